/** A page of somebody else's, built by Vite from the tarball and run in Chromium under a strict policy. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { type Browser, chromium } from "playwright";
import { build } from "vite";
import { afterAll, beforeAll, expect, it } from "vitest";
import { makeProject, type Project, root } from "./project.js";

const executablePath = process.env.ROPEWALK_CHROMIUM ?? "/usr/bin/chromium";
const POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; worker-src 'self'";
const TYPES: Record<string, string> = { ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm" };

const script = `
  import { load } from "ropewalk";
  import { load as loadExternal } from "ropewalk/external";

  const rotate = async (load) => {
    const ropewalk = await load();
    const rope = ropewalk.rope({ headDim: 4 });
    const y = rope.rotate(Float32Array.of(1, 0, 1, 0), { sequence: 1, heads: 1, positions: 2 });
    return Array.from(y, (value) => value.toFixed(4)).join(" ");
  };
  const fill = async () => {
    const ropewalk = await load();
    const config = await (await fetch("./config.json")).json();
    const tokenizer = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "captain"].join("\\n");
    const model = await ropewalk.roformer({ config, weights: "./model.safetensors", tokenizer });
    return String(model.fillMask("the [MASK]", { topK: 3 })[0].length);
  };
  const inTeam = async () => {
    const ropewalk = await load();
    const config = await (await fetch("./config.json")).json();
    const model = await ropewalk.roformer({ config, weights: "./model.safetensors" }, { workers: 2 });
    const { lastHiddenState } = await model.forward({ inputIds: [1, 2, 3, 1, 2, 3], batch: 2, sequence: 3 });
    const half = lastHiddenState.length / 2;
    return "same " + lastHiddenState.subarray(0, half).every((value, i) => value === lastHiddenState[half + i]);
  };
  const inWorker = () => new Promise((resolve, reject) => {
    const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = reject;
  });
  Promise.all([rotate(load), rotate(loadExternal), fill(), inTeam(), inWorker()]).then(
    (lines) => (document.title = lines.join(" | ")),
    (error) => (document.title = "failed: " + (error.stack ?? error.message ?? error)),
  );
`;

const worker = `
  import { load } from "ropewalk";
  const ropewalk = await load();
  const config = { vocab_size: 5, hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 2, intermediate_size: 8 };
  const trainer = await ropewalk.trainer({ config });
  const { loss } = trainer.train({ inputIds: [1, 2, 3, 4], labels: [-100, 2, -100, -100], sequence: 4 });
  self.postMessage([ropewalk.version, trainer.step, loss > 0].join(" "));
`;

let project: Project;
let server: Server;
let browser: Browser;

beforeAll(async () => {
  project = makeProject();
  project.write("index.html", '<!doctype html><title></title><script type="module" src="./main.js"></script>');
  project.write("main.js", script);
  project.write("worker.js", worker);
  const golden = join(root, "tests/golden/roformer/base");
  project.write("public/config.json", readFileSync(join(golden, "config.json"), "utf8"));
  project.run("cp", join(golden, "model.safetensors"), "public/model.safetensors");
  // No configuration of Vite but the format of workers, which any import() in a worker asks for.
  await build({ root: project.folder, logLevel: "error", configFile: false, worker: { format: "es" } });
  server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const file = join(project.folder, "dist", pathname === "/" ? "index.html" : pathname);
    if (!existsSync(file) || !statSync(file).isFile()) {
      response.writeHead(404).end();
      return;
    }
    const type = TYPES[extname(file)] ?? "application/octet-stream";
    response.writeHead(200, { "content-type": type, "content-security-policy": POLICY }).end(readFileSync(file));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  browser = await chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ["--no-sandbox"] : [] });
});

afterAll(async () => {
  await browser?.close();
  server?.close();
  project?.remove();
});

it("rotates, fills a mask, runs in two workers and trains in one, from the inlined and the external entry", async () => {
  const page = await browser.newPage();
  const problems: string[] = [];
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  page.on("pageerror", (error) => problems.push(error.message));
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  await page.waitForFunction(() => document.title !== "", undefined, { timeout: 60_000 });
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
  const rotated = "-0.4161 0.9093 0.9998 0.0200";
  expect(await page.title()).toBe(`${rotated} | ${rotated} | 3 | same true | ${version} 1 true`);
  expect(problems.filter((text) => !text.includes("favicon"))).toEqual([]);
});
