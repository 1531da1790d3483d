/**
 * Runs every example of every document as a file in an empty project with the packed package, and compares what it prints
 * with the block of text behind it. JavaScript runs as it stands; TypeScript is checked strictly and compiled first; a page
 * runs in Chromium, where a function below does what its visitor does. A component of React is built by Vite into a page.
 */
import { copyFileSync, cpSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright";
import { build } from "vite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { decoderFiles } from "../ts/decoder-folder.js";
import { fromRoot, writeFiles } from "../ts/files.js";
import { bytePairs, filesOf, inferenceFiles, vocabulary } from "../ts/model-folder.js";
import { documents, type Example, examplesOf } from "./documents.js";
import { namesFiles } from "./names-model.js";
import { openBrowser, serveFolders } from "./pages.js";
import { makeProject, publishedMiniLM } from "./project.mjs";

/** Checks of what the examples print that no block of text follows, in the order in which they stand in their document. */
const checks: Record<string, ((printed: string[]) => void)[]> = {
  "docs/applications.md": [
    ([count, ...hits]) => {
      expect(count).toBe("2 hits");
      for (const hit of hits) expect(hit).toMatch(/^(knots|bread)\.md (true|false)$/);
    },
    (printed) => {
      expect(printed).toHaveLength(2);
      for (const line of printed) expect(line).toMatch(/^true (eos|length)$/);
    },
    ([nothing]) => expect(nothing).toBe(""),
  ],
  "docs/at-scale.md": [
    (printed) => {
      expect(printed).toHaveLength(2);
      for (const line of printed) expect(line).toMatch(/^[01] -?\d\.\d{3} the (captain|king) /);
    },
  ],
  "docs/recipes.md": [([nothing]) => expect(nothing).toBe("")],
  "docs/decoders.md": [
    ([line, ...more]) => {
      expect(line).toBe("llama 512");
      expect(more[0]).toMatch(/^3 null .*rotate/);
    },
    (printed) => {
      expect(printed).toHaveLength(2);
      for (const line of printed) expect(line).toMatch(/^[1-9]\d+ [1-9]\d+$/);
    },
    (printed) => expect(printed.at(-1)).toMatch(/(length|eos)$/),
    (printed) => {
      expect(printed[0]).toBe("2 true");
      expect(printed.join("\n")).toMatch(/1 drop[\s\S]*1 chunk/);
    },
    (printed) => {
      expect(printed).toHaveLength(3);
      for (const [layer, line] of printed.entries())
        expect(line).toMatch(new RegExp(`^without layer ${layer}: -?\\d\\S* nats more$`));
    },
  ],
  "docs/encoders.md": [
    ([line]) => expect(line).toMatch(/^-?\d\S* (Ropes|The bakery)/),
    (printed) => {
      expect(printed).toHaveLength(5);
      for (const line of printed) expect(line).toMatch(/^[a-z]+ 0\.\d+$/);
    },
    (printed) => {
      expect(printed.filter((line) => !/^(sea|kitchen) 0\.\d+$/.test(line))).toEqual([
        "[ 'tokens' ] true true",
        "2",
        "[ 'sparse', 'words' ] true",
        "[ 'vectors' ] true",
      ]);
      expect(printed).toHaveLength(6);
    },
  ],
};

/** A message of spaces is not sent, and a full context ends no conversation. */
async function expectMannersOfChat(page: Page, said: string): Promise<void> {
  const field = page.getByLabel("Message");
  expect(await page.getByRole("progressbar").isVisible()).toBe(false);
  await field.fill("  ");
  await page.keyboard.press("Enter");
  expect(await page.getByRole("log").textContent()).toBe(said);
  const long = "the captain gave the rope to the sailor . ".repeat(6).trim();
  for (let turn = 0; turn < 6; turn++) {
    await field.fill(long);
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.querySelector("button:disabled")?.textContent === "Stop");
  }
  const log = (await page.getByRole("log").textContent()) ?? "";
  expect(log.split(long)).toHaveLength(7);
  expect(log).not.toContain("allowed:");
}

/** Visits to the page of a document, or of its component (jsx): each returns the text that the page shows at the end. */
const visits: Record<string, (page: Page) => Promise<string>> = {
  "docs/recipes.md jsx": async (page) => {
    const [button, status] = [page.getByRole("button"), page.getByRole("status")];
    // While the model waits, so that it is the loading that stops.
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await page.route("**/model.safetensors", (route) => held.then(() => route.continue()).catch(() => {}));
    await button.click();
    await button.getByText("Stop").click();
    await button.getByText("Search").waitFor();
    expect(await status.textContent()).toBe("");
    letGo();
    await button.click();
    await status.getByText("Ready").waitFor();
    const query = "the sailor got the rope from the captain";
    await page.getByLabel("Query").fill(query);
    const first = page.getByRole("listitem").first();
    const found = await first.textContent();
    await button.click();
    await page.waitForFunction(() => document.querySelector("li") === null);
    await page.reload();
    // No text is embedded again: the status says nothing of them.
    const told = page.evaluate(
      () =>
        new Promise<string[]>((resolve) => {
          const seen: string[] = [];
          new MutationObserver(() => {
            seen.push(document.querySelector("[role=status]")?.textContent ?? "");
            if (seen.at(-1) === "Ready") resolve(seen);
          }).observe(document, { subtree: true, childList: true, characterData: true });
        }),
    );
    await button.click();
    expect((await told).filter((text) => text.endsWith(" texts"))).toEqual([]);
    await page.getByLabel("Query").fill(query);
    expect(await first.textContent()).toBe(found);
    expect(page.workers()).toHaveLength(1);
    await button.click();
    await expect.poll(() => page.workers().length).toBe(0);
    return `> ${query}\n${found}`;
  },
  "docs/applications.md": async (page) => {
    const found: string[] = [];
    for (const query of ["the sailor got the rope from the captain", "K-12"]) {
      await page.getByRole("combobox", { name: "Search" }).fill(query);
      // All four: by words alone there are fewer for the second.
      await page.getByRole("status").getByText(`4 results for ${query}`).waitFor();
      const title = page.getByRole("option").first().locator("[part=title]");
      found.push(`> ${query}`, (await title.textContent()) ?? "");
    }
    return found.join("\n");
  },
  "docs/recipes.md": async (page) => {
    const [field, send] = [page.getByLabel("Message"), page.getByRole("button", { name: "Send" })];
    for (const message of ["the captain gave the rope to the sailor .", "who has the rope ?"]) {
      await field.fill(message);
      await send.click();
      await page.waitForFunction(() => document.querySelector("button:disabled")?.textContent === "Stop");
    }
    const said = (await page.getByRole("log").textContent()) ?? "";
    expect(await field.evaluate((input) => input === document.activeElement)).toBe(true);
    await page.reload();
    await page.waitForFunction(() => document.querySelector("button:disabled")?.textContent === "Stop");
    expect(await page.getByRole("log").textContent()).toBe(said);
    await expectMannersOfChat(page, said);
    await page.getByRole("button", { name: "Start again" }).click();
    await page.waitForFunction(() => document.querySelector("[role=log]")?.textContent === "");
    return said;
  },
};

const published = publishedMiniLM();
const minilm = published.folder;
/** True for an example whose model is another, smaller one here. */
const hasStandIn = (source: string) =>
  (minilm === null && source.includes('"minilm"')) || (published.gguf === null && source.includes('"minilm.gguf"'));

/** Examples that download a model get a folder or a file instead. */
const offline = (source: string) =>
  source
    .replace(/hubFiles\("[^"]+\/All-MiniLM-L6-v2-Embedding-GGUF", \{ cache: true \}\)/, '"minilm.gguf"')
    .replace(/hubFiles\("[^"]+\/all-MiniLM-L6-v2", \{ cache: true \}\)/, '"minilm"')
    .replace(/hubFiles\("[^"]+\/SmolLM2[^"]+-Instruct", \{ cache: true \}\)/, '"chatty"')
    .replace(/hubFiles\("[^"]+\/SmolLM2[^"]+", \{ cache: true \}\)/, '"smollm2"');

const nameOf = (file: string, number: number) => `${file.replace(/\W/g, "-")}-${number}`;
const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/**
 * Compares with what a document states, where a line "..." stands for any text. A small model stands in for the published
 * one: then only the words are compared, not the numbers.
 */
function expectPrinted(printed: string, stated: string, standIn: boolean): void {
  const plain = (text: string) => (standIn ? text.replace(/-?\d+(?:\.\d+)?/g, "#") : text);
  const parts = plain(stated.trimEnd()).split(/^\.\.\.$/m);
  expect(plain(printed.trimEnd())).toMatch(new RegExp(`^${parts.map(escaped).join("[\\s\\S]*")}$`));
}

const project = makeProject();
afterAll(() => project.remove());

const addFiles = (folder: string, files: Iterable<readonly [string, unknown]>) =>
  writeFiles(join(project.folder, folder), files);

/** The models that the examples name: folders that a reader would have. */
function addModels(): void {
  const shipped = fromRoot("web/public/model");
  const { model } = JSON.parse(readFileSync(join(shipped, "tokenizer.json"), "utf8")) as {
    model: { vocab: Record<string, number> };
  };
  const words = Object.entries(model.vocab).sort(([, a], [, b]) => a - b);
  project.write("roformer/vocab.txt", words.map(([word]) => word).join("\n"));
  for (const name of ["config.json", "model.safetensors"])
    copyFileSync(join(shipped, name), join(project.folder, "roformer", name));
  addFiles("reranker", filesOf("bert-reranker", { "vocab.txt": vocabulary() }));
  addFiles("colbert", filesOf("modernbert-colbert", { "tokenizer.json": bytePairs() }));
  addFiles("splade", filesOf("bert-splade", { "vocab.txt": vocabulary() }));
  addFiles("potion", filesOf("static-model2vec"));
  addFiles("nli", inferenceFiles());
  const gguf = published.gguf ?? fromRoot("tests/golden/gguf-2/bert-q8_0.gguf");
  copyFileSync(gguf, join(project.folder, "minilm.gguf"));
  if (minilm) cpSync(minilm, join(project.folder, "minilm"), { recursive: true });
  else addFiles("minilm", filesOf("bert-minilm", { "vocab.txt": vocabulary() }));
  project.write("notes/knots.md", "A bowline makes a loop.\n\nA sheet bend joins two ropes.\n");
  project.write("notes/bread.md", "Bread is baked from flour, water and salt.\n");
  for (const part of ["model", "chatml"])
    cpSync(fromRoot("tests/golden/chat", part), join(project.folder, "chatty"), { recursive: true });
  addFiles("chatty", [["generation_config.json", { eos_token_id: 409 }]]);
  const said = "Once upon a time there was sailor who tied rope and ship to the sea".split(" ");
  addFiles("smollm2", Object.entries(decoderFiles({}, said)));
  copyFileSync(fromRoot("build/wasm/bindings/c/ropewalk.wasm"), join(project.folder, "ropewalk.wasm"));
  addRecipes();
}

/** The file of an index as docs/at-scale.md describes it, with a row of its own for each text. */
function indexFile(texts: readonly string[], dimensions: number): Uint8Array {
  const header = { dimensions, keeps: true, ids: texts.map((_, i) => `${i}`), fields: texts.map((text) => ({ text })) };
  const json = Buffer.from(JSON.stringify(header));
  const head = Buffer.alloc(Math.ceil((12 + json.length) / 4) * 4);
  head.write("ropeidx1", "latin1");
  head.writeUInt32LE(json.length, 8);
  json.copy(head, 12);
  const rows = texts.map((_, row) => Float32Array.from({ length: dimensions }, (_, i) => Math.cos(row + i)));
  return Buffer.concat([head, ...rows.map((row) => Buffer.from(row.buffer))]);
}

/** Models of the site, a template for one of them, and a story and a site in their words. */
function addRecipes(): void {
  for (const folder of ["models/embedder", "public/model"])
    cpSync(fromRoot("web/public/embedder"), join(project.folder, folder), { recursive: true });
  cpSync(fromRoot("web/public/embedder"), join(project.folder, "models/minilm"), { recursive: true });
  addFiles(".", [["corpus.index", indexFile(["the captain gave the rope", "the king sold the castle"], 128)]]);
  cpSync(fromRoot("web/public/decoder"), join(project.folder, "models/chat"), { recursive: true });
  project.write("models/chat/chat_template.jinja", "{% for message in messages %}{{ message.content }}\n{% endfor %}");
  addFiles("models/names", namesFiles());
  project.write(
    "site/harbour.html",
    `<title>The harbour</title><nav>home</nav>
    <main><h2 id="rope">The rope</h2><p>the captain gave the rope to the sailor
    <h2 id="boat">The boat</h2><p>the painter painted a boat at the harbour</main>`,
  );
  project.write(
    "site/shop.md",
    "# Shop\n\n## Lamps\n\na lamp for the cabin, X-400\n\n## Keys\n\na key for the chest, K-12\n",
  );
  project.write(
    "story/harbour.txt",
    "the painter painted a boat at the harbour .\nthe pilot lost the key in the forest .\n",
  );
  project.write(
    "story/castle.txt",
    "the king sold the castle to the merchant .\nthe cook baked bread in the kitchen .\n",
  );
}

/** A page of Vite's template for React around a component, as development has it: with StrictMode, which starts effects twice. */
async function buildComponent(name: string, source: string): Promise<void> {
  const folder = `${name}-source`;
  project.write(`${folder}/index.html`, `<div id="root"></div><script type="module" src="/src/main.jsx"></script>`);
  project.write(
    `${folder}/src/main.jsx`,
    `import { StrictMode } from "react";
    import { createRoot } from "react-dom/client";
    import App from "./App.jsx";
    createRoot(document.getElementById("root")).render(<StrictMode><App /></StrictMode>);`,
  );
  project.write(`${folder}/src/App.jsx`, source);
  const told = ["the painter painted a boat at the harbour", "the captain gave the rope to the sailor"];
  project.write(`${folder}/src/texts.json`, JSON.stringify([...told, "the cook baked bread in the kitchen"]));
  const model = join(project.folder, "models/embedder");
  cpSync(model, join(project.folder, folder, "public/models/embedder"), { recursive: true });
  for (const each of ["react", "react-dom"])
    symlinkSync(fromRoot("node_modules", each), join(project.folder, "node_modules", each));
  await build({
    root: join(project.folder, folder),
    base: "./",
    configFile: false,
    logLevel: "error",
    oxc: { jsx: { runtime: "automatic" } },
    define: { "process.env.NODE_ENV": '"development"' },
    build: { outDir: join(project.folder, name) },
  });
}

/** The name that a program gives itself in its first line. */
const ownName = (source: string) => /^\/\/ (\S+\.js)\n/.exec(source)?.[1];

const all = documents.flatMap((file) =>
  examplesOf(file).map((example, i) => ({ file, number: i + 1, ...example, name: nameOf(file, i + 1) })),
);

beforeAll(() => {
  addModels();
  for (const { language, name, source } of all) {
    const own = ownName(source);
    if (own !== undefined) project.write(own, offline(source));
    if (language === "html") project.write(`${name}.html`, source);
    if (language === "js") project.write(`${name}.mjs`, offline(source));
    if (language === "ts") project.write(`${name}.ts`, offline(source));
  }
  const sources = all.filter(({ language }) => language === "ts").map(({ name }) => `${name}.ts`);
  const tsc = fromRoot("node_modules/typescript/bin/tsc");
  const types = ["--types", "node", "--typeRoots", fromRoot("node_modules/@types")];
  const flags = ["--target", "es2022", "--module", "nodenext", "--lib", "es2022,dom,esnext.disposable"];
  project.run(process.execPath, tsc, "--strict", ...flags, ...types, ...sources);
});

const [{ address }, browser] = [await serveFolders([["/", project.folder]]), await openBrowser()];

async function shownBy(path: string, visit: (page: Page) => Promise<string>): Promise<string> {
  const page = await browser.newPage();
  const failed = new Promise<never>((_, reject) => page.on("pageerror", reject));
  await page.goto(`${address}${path}`);
  const shown = await Promise.race([visit(page), failed]);
  await page.close();
  return shown;
}

it.each([
  ["model.safetensors", "model.safetensors could not be reached"],
  ["chat_template.jinja", "This model has no chat template."],
])("says in the page of a conversation that %s is not there", async (file, sentence) => {
  const page = await browser.newPage();
  await page.route(`**/${file}`, (route) => (file.endsWith(".jinja") ? route.fulfill({ status: 404 }) : route.abort()));
  const { name } = all.find((each) => each.file === "docs/recipes.md" && each.language === "html")!;
  await page.goto(`${address}${name}.html`);
  await page.getByRole("status").getByText(sentence).waitFor();
  expect(await page.getByRole("button", { name: "Send" }).isDisabled()).toBe(true);
  await page.close();
});

/** Runs an example. The exit code of a command may say what it found. */
async function printedBy(
  { file, language, source, config }: Example & { file: string },
  name: string,
): Promise<string> {
  if (language === "html") return shownBy(`${name}.html`, visits[file]!);
  if (language === "jsx") {
    await buildComponent(name, source);
    return shownBy(`${name}/index.html`, visits[`${file} jsx`]!);
  }
  if (language !== "sh") return project.run(process.execPath, `${name}.${language === "js" ? "mjs" : "js"}`);
  if (config !== undefined) project.write("config.json", config);
  return project.run("sh", "-c", `${source.trim()} || [ $? -ge 3 ]`);
}

it.each(all.filter(({ file }) => file === "docs/recipes.md"))("$name has at most 40 lines", ({ source }) => {
  expect(source.trimEnd().split("\n").length).toBeLessThanOrEqual(40);
});

describe.each(documents.filter((file) => examplesOf(file).length > 0))("%s", (file) => {
  const examples = all.filter((example) => example.file === file);
  const unstated = examples.filter(({ prints }) => prints === undefined);

  it("has a check for each example that does not state what it prints", () => {
    expect(unstated).toHaveLength(checks[file]?.length ?? 0);
  });

  it.each(examples.map((example) => [example.number, example] as const))("runs example %i", async (_, example) => {
    const printed = await printedBy(example, example.name);
    if (example.prints !== undefined) expectPrinted(printed, example.prints, hasStandIn(offline(example.source)));
    else checks[file]![unstated.indexOf(example)]!(printed.trim().split("\n"));
  });
});
