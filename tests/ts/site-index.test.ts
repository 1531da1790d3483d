/** `ropewalk index`: pages of several kinds in one file to search in, with their addresses. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "ropewalk";
import { beforeAll, describe, expect, it } from "vitest";
import { readHtml } from "../../bindings/ts/cli/site/html.js";
import { readMarkdown } from "../../bindings/ts/cli/site/markdown.js";
import { runCli, testFolder } from "./command-line.js";
import { fromRoot, writeFiles } from "./files.js";

const embedder = fromRoot("web/public/embedder");
const folder = testFolder("site-index");

const put = (name: string, text: string) => writeFiles(folder, [[name, text]]);

const run = (...args: string[]) => runCli(["index", ...args], { cwd: folder, timeout: 50_000 });

interface Passage {
  address: string;
  title: string;
  text: string;
}

/** The passages in an index, in the order of their addresses. */
async function passagesIn(file: string): Promise<Passage[]> {
  const index = (await load()).index({ saved: new Uint8Array(readFileSync(join(folder, file))) });
  const hits = index.search(new Float32Array(index.dimensions).fill(1), { k: index.size });
  index.dispose();
  const passages = hits.map(({ fields }) => fields as unknown as Passage);
  const key = ({ address, title }: Passage) => `${address} ${title}`;
  return passages.sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

const HTML = `<!doctype html>
<html><head><title>The harbour &amp; the sea</title><style>p > a { color: red }</style></head>
<body><nav><ul><li>home<li>about</ul></nav>
<main><p>the boat <!-- is not --> sailed<b>.</b>
<h2 id="rope" title="a > b">The <code>rope</code> <a href="#rope">#</a></h2><p>the captain gave the rope<p>to the sailor
<section id="key"><h2>Key</h2><ul><li>a red key<li>a key &lt; 3 &#39;coins&#x27;</ul></section>
<h3>No anchor</h3>text<script>if (a < b) "</p>";</script></main><p>the end of every page</body></html>`;

const MARKDOWN = `---
title: "Ships"
---
Before *any* heading with \`code\`.

# Ships and boats

A [ship](ship.md) is **not** a ![boat](boat.png "Boat"), snake_case stays.

Wood and nails
--------------

| wood | nails |
| --- | ---: |
| oak | 40 |

1. > quoted &amp; \\*plain\\*

[reference]: https://example.com

## Code

\`\`\`\`sh
# no heading
\`\`\`
\`\`\`\`

## Code

Again.
`;

describe("ropewalk index", () => {
  let ended: Awaited<ReturnType<typeof run>>;
  beforeAll(async () => {
    put("site/harbour/index.html", HTML);
    put("site/ships.md", MARKDOWN);
    put("site/README.md", "# Home\n\nthe captain has a boat\n");
    put("site/notes/one note.txt", "\ufeffthe cook baked bread\n");
    put(
      "site/products.jsonl",
      '{"text":"a lamp","address":"shop?lamp","title":"Lamp"}\n\n{"text":"a key","address":"k"}\n',
    );
    put("site/.hidden.md", "hidden");
    put("site/node_modules/a.md", "hidden");
    put("site/picture.svg", "<svg/>");
    const options = ["--out", "search.index", "--base", "/docs/", "--extension", ".html", "--json"];
    ended = await run("site", "--model", embedder, ...options);
  });

  it("divides pages at their headings, and gives each part its address", async () => {
    expect([ended.code, ended.stderr]).toEqual([0, ""]);
    const said = JSON.parse(ended.stdout) as { pieces: number; bytes: number };
    const { bytes } = said;
    const address = "/docs/#home";
    expect(said).toEqual({ file: "search.index", files: 5, pieces: 13, dimensions: 128, bytes, address });
    expect(bytes).toBe(readFileSync(join(folder, "search.index")).length);
    const html = "The harbour & the sea";
    expect(await passagesIn("search.index")).toEqual([
      { address: "/docs/#home", title: "Home", text: "the captain has a boat" },
      { address: "/docs/harbour/", title: html, text: "the boat sailed." },
      { address: "/docs/harbour/", title: `${html} \u00b7 No anchor`, text: "text" },
      { address: "/docs/harbour/#key", title: `${html} \u00b7 Key`, text: "a red key\na key < 3 'coins'" },
      {
        address: "/docs/harbour/#rope",
        title: `${html} \u00b7 The rope`,
        text: "the captain gave the rope\nto the sailor",
      },
      { address: "/docs/k", title: "", text: "a key" },
      { address: "/docs/notes/one%20note.txt", title: "notes/one note", text: "the cook baked bread" },
      { address: "/docs/ships.html", title: "Ships", text: "Before any heading with code." },
      { address: "/docs/ships.html#code", title: "Ships \u00b7 Code", text: "# no heading\n```" },
      { address: "/docs/ships.html#code-1", title: "Ships \u00b7 Code", text: "Again." },
      {
        address: "/docs/ships.html#ships-and-boats",
        title: "Ships \u00b7 Ships and boats",
        text: "A ship is not a boat, snake_case stays.",
      },
      {
        address: "/docs/ships.html#wood-and-nails",
        title: "Ships \u00b7 Wood and nails",
        text: "wood nails\noak 40\n\nquoted & *plain*",
      },
      { address: "/docs/shop?lamp", title: "Lamp", text: "a lamp" },
    ]);
  });

  it("finds a passage by a question", async () => {
    const index = (await load()).index({ saved: new Uint8Array(readFileSync(join(folder, "search.index"))) });
    using model = await (await load()).encoder(embedder);
    const [hit] = index.search(await model.embed("the sailor got the rope from the captain"));
    expect(hit!.fields.address).toBe("/docs/harbour/#rope");
    index.dispose();
  });

  it("divides long sections, and takes the end of addresses", async () => {
    put("long/guide.md", `# Guide\n\n${"the captain gave the rope to the sailor .\n".repeat(20)}`);
    const options = ["--max-tokens", "32", "--extension", "/", "--out", "long.index"];
    const { code, stdout } = await run("long", "--model", embedder, ...options);
    expect(code).toBe(0);
    const passages = await passagesIn("long.index");
    expect(stdout).toBe(
      `long.index: ${passages.length} pieces of 1 file, ${readFileSync(join(folder, "long.index")).length} bytes; ` +
        "the first address is long/guide/#guide\n",
    );
    expect(passages.length).toBeGreaterThan(5);
    for (const { address, text } of passages) {
      expect(address).toBe("long/guide/#guide");
      expect(text.split(" ").length).toBeLessThan(32);
    }
  });

  it("makes addresses that lead to the files from where the index is", async () => {
    put("plain/index.html", '<main><p>the harbour<h2 id="rope">Rope</h2>the rope</main>');
    put("plain/parts/README.md", "# Parts\n\nthe sailor\n");
    put("plain/parts/ship's log.md", "# Log\n\nthe captain\n");
    put("plain/made.html", "<h1>Made</h1>the cook");
    put("plain/made.md", "# Made\n\nthe cook\n");
    put(
      "plain/lines.jsonl",
      ["k", "/shop", "https://a.b/"].map((each) => `{"text":"a","address":"${each}"}`).join("\n"),
    );
    put("a/b/picture.svg", "<svg/>");
    const addressesOf = async (file: string, ...args: string[]) => {
      const { stdout } = await run("plain", "--words", ...args);
      expect(stdout).toContain(file);
      const saved = JSON.parse(readFileSync(join(folder, file), "utf8")) as { passages: Passage[] };
      // Where an element that is in another folder finds its pages.
      const at = `https://site.example/${file}`;
      for (const { address } of saved.passages) expect(new URL(address, at).href).not.toContain(file);
      return saved.passages.map(({ address }) => address);
    };
    const below = (way: string) => [
      ...[`${way || "./"}`, `${way || "./"}#rope`, `${way}k`, "/shop", "https://a.b/", `${way}made.html`],
      ...[`${way}parts/README.md#parts`, `${way}parts/ship's%20log.md#log`],
    ];
    expect(await addressesOf("plain/search.json")).toEqual(below(""));
    expect(await addressesOf("words.json", "--out", "words.json")).toEqual(below("plain/"));
    expect(await addressesOf("a/b/words.json", "--out", "a/b/words.json")).toEqual(below("../../plain/"));
    expect(await addressesOf("words.json", "--out", "words.json", "--base", "/")).toEqual(below("/"));
  });

  it("writes words alone without a model, and the element beside them", async () => {
    put("with-model/page.md", "# Page\n\nthe sailor\n");
    put("with-model/minilm/vocab.txt", "[PAD]\n");
    put("with-model/minilm/model.safetensors", "");
    const { code, stdout, stderr } = await run("with-model", "--words", "--element", "with-model/element", "--json");
    expect([code, stderr]).toEqual([0, ""]);
    const saved = readFileSync(join(folder, "with-model/search.json"), "utf8");
    expect(JSON.parse(saved)).toEqual({
      passages: [{ address: "page.md#page", title: "Page", text: "the sailor" }],
    });
    expect(JSON.parse(stdout)).toMatchObject({
      file: join("with-model", "search.json"),
      pieces: 1,
      dimensions: 0,
      bytes: saved.length,
    });
    const copied = ["THIRD-PARTY.txt", "search.LICENSE.txt", "search.js"];
    expect(readdirSync(join(folder, "with-model/element")).sort()).toEqual(copied);
    // The licences in it are no pages, wherever the element was put before.
    expect((await run("with-model", "--words")).stdout).toContain("1 piece of 1 file");
    await run("with-model", "--words", "--element", "with-model");
    put("with-model/notes.txt", "the captain");
    expect((await run("with-model", "--words")).stdout).toContain("2 pieces of 2 files");
  });

  it("refuses what it cannot read, before it opens a model", async () => {
    put("none/a.png", "");
    put("lines/a.jsonl", '{"text":"a lamp","address":"k"}\n{"text":3}\n');
    put("broken/a.jsonl", "{\n");
    for (const [args, exit, words] of [
      [["site"], 2, "--model is missing"],
      [["site", "--words", "--model", "x"], 2, "--model is for an index with a model"],
      [["none", "--model", "x"], 1, "none: has no file to read; allowed: .html"],
      [["nowhere", "--model", "x"], 1, "nowhere: no such file"],
      [["lines", "--model", "x"], 1, "a.jsonl, line 2: has no `text`"],
      [["broken", "--model", "x"], 1, "a.jsonl, line 1: not JSON"],
      [["site", "--model", "x"], 1, "x: no such file or folder"],
    ] as const) {
      const ended = await run(...args);
      expect([ended.code, ended.stdout]).toEqual([exit, ""]);
      expect(ended.stderr).toContain(words);
    }
  });
});

/** Steps that grow with the square of this do not end within a test. */
const MANY = 1_000_000;

it.each([
  ["brackets that never end", "[".repeat(MANY)],
  ["links that never end", "[a](".repeat(MANY)],
  ["tags that never end", "<a".repeat(MANY)],
  ["addresses that never end", "<http:".repeat(MANY)],
  ["backticks that never end", "`".repeat(MANY)],
  ["comments that never end", `<!-- a --> ${"<!--".repeat(MANY)}`],
  ["spaces in a heading", `# a${" ".repeat(MANY)}b`],
  ["spaces in a table", `|-|${" ".repeat(MANY)}b`],
])("reads a Markdown file with a million %s", async (_, line) => {
  put("unclosed/page.md", `${line}\n\n# The end\n\nThe rope ends here.\n`);
  const result = await run("unclosed", "--words");
  expect(result).toMatchObject({ code: 0, stderr: "" });
  expect(readFileSync(join(folder, "unclosed/search.json"), "utf8")).toContain("The rope ends here.");
});

it("takes a picture out of the link around it, and parentheses with an address", () => {
  const { sections } = readMarkdown(
    "[![Build](a.svg)](https://ci.example/x) [knot](https://example.org/Knot_(rope)) [1]\n",
  );
  expect(sections.map(({ text }) => text)).toEqual(["Build knot [1]"]);
});

it("keeps character references that are no characters as they are written", () => {
  const page = readHtml('<main><h2 id="&#55296;&#xDFFF;">&#65;&#x1F600;</h2><p>text</p></main>');
  expect(page.sections).toEqual([{ heading: "A\u{1f600}", anchor: "&#55296;&#xDFFF;", text: "text" }]);
});
