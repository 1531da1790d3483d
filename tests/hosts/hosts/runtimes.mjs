// Runtimes other than Node and browsers.
import { createServer } from "node:net";
import { installed, resultsIn } from "../folder.mjs";
import { nodeProgram } from "./node.mjs";

const bun = installed(`@oven/bun-${process.platform}-${process.arch === "arm64" ? "aarch64" : "x64"}/bin/bun`);
const deno = installed(`@deno/${process.platform}-${process.arch}${process.platform === "linux" ? "-glibc" : ""}/deno`);

/** workerd has neither files nor the program's arguments: the address of the checkpoint comes with the request. */
const worker = `
  import { load } from "ropewalk";
  import { runSteps } from "./steps.js";
  export default {
    async fetch(request) {
      const base = new URL(request.url).searchParams.get("model");
      return Response.json(await runSteps(load, base));
    },
  };
`;

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

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
    without: { workers: "The runtime has no workers of its own." },
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
      return folder.withServer(nodeProgram(24), args, `${address}favicon.ico?ready`, async () => {
        const response = await fetch(`${address}?model=${encodeURIComponent(modelAddress)}`);
        return response.json();
      });
    },
  },
];
