// The folder of one host inside the project: programs and pages that run the steps, and the ways to run them.
import { spawn } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { serveFolder } from "../../tools/run/serve.mjs";
import { lastWords, run } from "../../tools/setup/commands.mjs";
import { inChromium } from "./browsers.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const model = fileURLToPath(new URL("../../web/public/model", import.meta.url));
const FIRST_PORT = 43_100;
const COMMAND_TIMEOUT_MS = 600_000;

/** A program or file of the packages in package.json. */
export const installed = (path) => join(here, "node_modules", path);

export const versionOf = (name) => JSON.parse(readFileSync(installed(`${name}/package.json`), "utf8")).version;

const page = (script) => `<!doctype html><html lang="en"><title>Host</title>${script}</html>\n`;
const moduleScript = '<script type="module" src="./main.js"></script>';

const source = (base, names, entry) => `
  import { load } from ${JSON.stringify(entry)};
  import { runSteps } from "./steps.js";
  runSteps(load, ${base}, ${JSON.stringify(names)}).then((results) => {
    globalThis.results = results;
    if (typeof process !== "undefined") console.log("RESULTS " + JSON.stringify(results));
  });
`;

/** A page that runs the steps; one with rotation alone is \`names: ["rotate"]\`. */
export const pageSource = (names, entry = "ropewalk") =>
  source('new URL("model/", document.baseURI).href', names, entry);

/** A program whose first argument is the address of the checkpoint. */
export const programSource = (entry = "ropewalk") => source("process.argv[2]", undefined, entry);

/** The results that a program of `programSource` printed. */
export function resultsIn(output) {
  const line = output.split("\n").find((each) => each.startsWith("RESULTS "));
  if (!line) throw new Error(`no results, but: ${lastWords(output, 12)}`);
  return JSON.parse(line.slice("RESULTS ".length));
}

/** Everything under a folder as static files, until `work` is done. */
export async function served(folder, headers, work) {
  const { server, address } = await serveFolder(folder, FIRST_PORT, headers);
  try {
    return await work(address);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** Where a site lies that is not at the root of its host. */
export const SUB_PATH = "/some/sub/path/";

/** Opens a built page of the folder at SUB_PATH, with nothing else on the server. */
export function openBelow(folder, built) {
  const path = SUB_PATH.slice(1, -1);
  mkdirSync(join(folder.folder, "site", dirname(path)), { recursive: true });
  folder.link(join(folder.folder, built), join("site", path));
  return folder.open("site", {}, `${path}/`);
}

export function makeFolder(project, name, environment) {
  const folder = join(project.folder, name);
  const write = (path, text) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const copySteps = (path) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    copyFileSync(join(here, "steps.mjs"), join(folder, path));
  };
  // A package of its own, as whoever begins a project has.
  write("package.json", JSON.stringify({ name: "host", private: true, type: "module" }));
  const self = {
    folder,
    write,
    /** Adds index.html, main.js and steps.js. */
    addPage(names, script = moduleScript) {
      write("index.html", page(script));
      write("main.js", pageSource(names));
      copySteps("steps.js");
    },
    /** Adds a program and the steps beside it. */
    addProgram(file, text = programSource()) {
      write(file, text);
      copySteps(join(dirname(file), "steps.js"));
    },
    addSteps: copySteps,
    /** Puts the checkpoint below `path`. */
    addModel(path) {
      mkdirSync(join(folder, path), { recursive: true });
      symlinkSync(model, join(folder, path, "model"));
    },
    link: (target, path) => symlinkSync(target, join(folder, path)),
    addHtml: (path, script = moduleScript) => write(path, page(script)),
    /** Runs a program to its end and returns what it wrote. */
    async run(command, ...args) {
      const result = await run(command, args, { cwd: folder, env: environment, timeout: COMMAND_TIMEOUT_MS });
      if (result.code !== 0) {
        throw new Error(`${command.split("/").pop()} ended with ${result.code}: ${lastWords(result.output, 12)}`);
      }
      return result.output;
    },
    /** Opens a built page of this folder in Chromium, or the page `at` below the folder that is served. */
    open: (path, headers = {}, at = "") => served(join(folder, path), headers, (address) => inChromium(address + at)),
    /** Starts a server and does the work at its address once it answers; ends it then. */
    async withServer(command, args, address, work) {
      const server = spawn(command, args, { cwd: folder, env: environment, stdio: ["ignore", "pipe", "pipe"] });
      let output = "";
      for (const stream of [server.stdout, server.stderr]) stream.on("data", (text) => (output += text));
      const ended = new Promise((resolve) => server.on("close", resolve));
      try {
        for (const begun = Date.now(); ; ) {
          if (
            await fetch(address).then(
              () => true,
              () => false,
            )
          )
            break;
          if (server.exitCode !== null || Date.now() - begun > COMMAND_TIMEOUT_MS) {
            throw new Error(`the server does not answer: ${lastWords(output, 8)}`);
          }
          await new Promise((resolve) => setTimeout(resolve, 250));
        }
        return await work(address);
      } finally {
        server.kill();
        await ended;
      }
    },
  };
  return self;
}
