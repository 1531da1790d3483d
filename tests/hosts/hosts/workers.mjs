// Workers of an application that use the package themselves: module workers, unbundled and bundled, and service workers.
import { join } from "node:path";
import { inChromium, inFirefox, inWebKit, noWebKit } from "../browsers.mjs";
import { installed, served } from "../folder.mjs";
import { STEPS } from "../steps.mjs";
import { withParcel, withRspack, withWebpack } from "./bundlers.mjs";

const moduleWorker = (entry = "ropewalk") => `
  import { load } from ${JSON.stringify(entry)};
  import { runSteps } from "./steps.js";
  addEventListener("message", async ({ data }) => postMessage(await runSteps(load, data)));
`;

/** The page takes every step as failed where the worker does not start. */
const startingModuleWorker = `
  const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  worker.addEventListener("message", ({ data }) => { globalThis.results = data; });
  worker.addEventListener("error", ({ message }) => {
    globalThis.results = { rotate: { error: message || "the worker does not start" } };
  });
  worker.postMessage(new URL("model/", document.baseURI).href);
`;

const serviceWorker = (entry = "ropewalk") => `
  import { load } from ${JSON.stringify(entry)};
  import { runSteps } from "./steps.js";
  addEventListener("message", (event) => {
    event.waitUntil(runSteps(load, event.data).then((results) => event.ports[0].postMessage(results)));
  });
`;

const startingServiceWorker = (options) => `
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = ({ data }) => { globalThis.results = data; };
  navigator.serviceWorker.register("./worker.js", ${JSON.stringify(options)}).then(
    ({ installing, waiting, active }) => {
      const base = new URL("model/", document.baseURI).href;
      (installing ?? waiting ?? active).postMessage(base, [port2]);
    },
    (error) => { globalThis.results = { rotate: { error: String(error) } }; },
  );
`;

/** A page whose worker is a file of its own. */
function addWorker(folder, page, worker) {
  folder.addPage();
  folder.write("main.js", page);
  folder.write("worker.js", worker);
}

const OWN_ENTRY = "./ropewalk/dist/web.js";
const POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; worker-src 'self'";

/** The package's files as they are: import maps do not reach into workers, so that the import names the file. */
async function unbundled({ folder, project }, page, worker, open) {
  addWorker(folder, page, worker);
  folder.addModel("");
  folder.link(join(project.folder, "node_modules/ropewalk"), "ropewalk");
  return served(folder.folder, { "content-security-policy": POLICY }, open);
}

const unbundledModuleWorker = (name, open, missing) => ({
  name: `${name}, module worker`,
  ways: "ES modules by their paths; `script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'`",
  missing,
  run: (context) => unbundled(context, startingModuleWorker, moduleWorker(OWN_ENTRY), open),
});

const bundledModuleWorker = ({ build, ...host }) => ({
  ...host,
  async run({ folder }) {
    addWorker(folder, startingModuleWorker, moduleWorker());
    const out = await build(folder);
    folder.addModel(out);
    return (await folder.open(out)).results;
  },
});

/** Vite 5 to 7 refuse a worker whose imports are dynamic, as those of the package's parts are, until they are told this. */
const formatFor = (version) => (version < 8 ? { ways: '`worker.format: "es"`', worker: { format: "es" } } : {});

function withVite(version) {
  const { ways, worker } = formatFor(version);
  return bundledModuleWorker({
    name: `Vite ${version}, module worker`,
    packageOf: `vite${version}`,
    ways,
    async build(folder) {
      if (worker) folder.write("vite.config.js", `export default ${JSON.stringify({ worker })};\n`);
      await folder.run(process.execPath, installed(`vite${version}/bin/vite.js`), "build");
      return "dist";
    },
  });
}

const NO_WORKERS = "Service workers cannot start workers.";

const bundledServiceWorker = (name, open, missing) => ({
  name: `${name}, service worker`,
  ways: "esbuild, one classic script",
  missing,
  without: { workers: NO_WORKERS },
  async run({ folder }) {
    addWorker(folder, startingServiceWorker({}), serviceWorker());
    const options = ["--bundle", "--format=iife", "--log-level=error", "--outfile=worker.js", "--allow-overwrite"];
    await folder.run(installed("esbuild/bin/esbuild"), "worker.js", ...options);
    folder.addModel("");
    return served(folder.folder, { "content-security-policy": POLICY }, open);
  },
});

const NO_IMPORTS =
  "Service workers may not import at run time, which unbundled files do for all but ropes: bundle them into one file.";

const unbundledServiceWorker = (name, open) => ({
  name: `${name}, service worker of ES modules`,
  ways: "unbundled, by their paths",
  without: Object.fromEntries(STEPS.filter((step) => step !== "rotate").map((step) => [step, NO_IMPORTS])),
  run: (context) => unbundled(context, startingServiceWorker({ type: "module" }), serviceWorker(OWN_ENTRY), open),
});

export const hosts = [
  unbundledModuleWorker("Chromium", inChromium),
  unbundledModuleWorker("Firefox", inFirefox),
  unbundledModuleWorker("WebKit (GTK)", inWebKit, noWebKit),
  ...[5, 6, 7, 8].map(withVite),
  bundledModuleWorker({ name: "webpack, module worker", packageOf: "webpack", build: withWebpack }),
  bundledModuleWorker({ name: "Rspack, module worker", packageOf: "@rspack/core", build: withRspack }),
  bundledModuleWorker({ name: "Parcel, module worker", packageOf: "parcel", build: withParcel }),
  bundledServiceWorker("Chromium", inChromium),
  bundledServiceWorker("Firefox", inFirefox),
  bundledServiceWorker("WebKit (GTK)", inWebKit, noWebKit),
  unbundledServiceWorker("Chromium", inChromium),
  unbundledServiceWorker("Firefox", inFirefox),
];
