// Runtimes other than Node and browsers.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../browsers.mjs";
import { installed, resultsIn } from "../folder.mjs";
import { nodeProgram } from "./node.mjs";

const bun = installed(`@oven/bun-${process.platform}-${process.arch === "arm64" ? "aarch64" : "x64"}/bin/bun`);
const workerd = installed(
  `@cloudflare/workerd-${process.platform}-${process.arch === "arm64" ? "arm64" : "64"}/bin/workerd`,
);
const deno = installed(`@deno/${process.platform}-${process.arch}${process.platform === "linux" ? "-glibc" : ""}/deno`);

/** workerd has neither files nor the program's arguments: the address of the checkpoint comes with the request. */
const worker = `
  import { load } from "ropewalk";
  import { runSteps } from "./steps.js";
  export default {
    async fetch(request) {
      const base = new URL(request.url).searchParams.get("model");
      if (!base) return new Response("ready");
      return Response.json(await runSteps(load, base));
    },
  };
`;

/** Asks a server that runs `worker` for the results. */
async function asked(address, modelAddress) {
  const response = await fetch(`${address}?model=${encodeURIComponent(modelAddress)}`);
  return response.json();
}

/** workerd's own configuration: one service of these modules, which may fetch from this machine. */
const workerdConfig = (port, files) => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .host),
    (name = "internet", network = (allow = ["private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const host :Workerd.Worker = (
  modules = [
${files.map((name) => `    (name = "${name}", ${name.endsWith(".wasm") ? "wasm" : "esModule"} = embed "dist/${name}"),`).join("\n")}
  ],
  compatibilityDate = "2026-01-01",
);
`;

const NO_WORKERS = { workers: "The runtime has no workers of its own." };

export const hosts = [
  {
    name: "Deno",
    ways: "`npm:` package in `node_modules`",
    packageOf: "deno",
    async run({ folder, modelAddress }) {
      folder.addProgram("main.mjs");
      return resultsIn(await folder.run(deno, "run", "-A", "--cached-only", "main.mjs", modelAddress));
    },
  },
  {
    name: "Bun",
    packageOf: "bun",
    async run({ folder, modelAddress }) {
      folder.addProgram("main.mjs");
      return resultsIn(await folder.run(bun, "main.mjs", modelAddress));
    },
  },
  {
    name: "Bun, one executable",
    ways: "`bun build --compile`",
    packageOf: "bun",
    async run({ folder, modelAddress }) {
      folder.addProgram("main.mjs");
      await folder.run(bun, "build", "--compile", "main.mjs", "--outfile", "program");
      return resultsIn(await folder.run("./program", modelAddress));
    },
  },
  {
    name: "Cloudflare Workers",
    ways: "`wrangler dev`, which runs workerd",
    packageOf: "wrangler",
    without: NO_WORKERS,
    async run({ folder, modelAddress }) {
      folder.addProgram("main.js", worker);
      folder.write(
        "wrangler.json",
        JSON.stringify({ name: "host", main: "main.js", compatibility_date: "2026-01-01" }),
      );
      const port = await freePort();
      const options = ["dev", "--ip", "127.0.0.1", "--port", String(port), "--inspector-port", "0"];
      const args = [installed("wrangler/wrangler-dist/cli.js"), ...options];
      const address = `http://127.0.0.1:${port}/`;
      const ready = `${address}favicon.ico?ready`;
      return folder.withServer(nodeProgram(24), args, ready, () => asked(address, modelAddress));
    },
  },
  {
    name: "workerd",
    ways: "an isolate that compiles no code at run time; esbuild with `--conditions=workerd --loader:.wasm=copy`",
    packageOf: "workerd",
    without: NO_WORKERS,
    async run({ folder, modelAddress }) {
      folder.addProgram("main.js", worker);
      const options = ["--bundle", "--format=esm", "--splitting", "--outdir=dist", "--log-level=error"];
      const forWorkerd = ["--conditions=workerd", "--loader:.wasm=copy"];
      await folder.run(installed("esbuild/bin/esbuild"), "main.js", ...options, ...forWorkerd);
      const port = await freePort();
      const files = readdirSync(join(folder.folder, "dist")).sort((a, b) => (b === "main.js") - (a === "main.js"));
      folder.write("workerd.capnp", workerdConfig(port, files));
      const address = `http://127.0.0.1:${port}/`;
      const args = ["serve", "workerd.capnp"];
      return folder.withServer(workerd, args, `${address}favicon.ico`, () => asked(address, modelAddress));
    },
  },
];
