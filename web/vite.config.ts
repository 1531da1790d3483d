import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";
import { formulas } from "./plugins/maths.js";
import { contentSecurityPolicy } from "./plugins/policy.js";
import { roomProse } from "./plugins/prose.js";

const fromRoot = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));

/**
 * The page itself computes ropes only; models run in the worker, which is bundled by itself. Without this, the code of
 * models would stand in the site a second time, for nobody.
 */
const modelsInWorkerOnly: Plugin = {
  name: "models-in-worker-only",
  // The development server has one pipeline for the page and its worker.
  apply: "build",
  enforce: "pre",
  resolveId(source, importer) {
    const asked = importer === fromRoot("dist/web.js") && /^\.\/model(-inlined)?\.js$/.test(source);
    return asked ? "\0models-in-worker-only" : null;
  },
  load: (id) =>
    id === "\0models-in-worker-only"
      ? 'export default ""; export function openModelRoom() { throw new Error("models run in the worker"); }'
      : null,
};

export default defineConfig({
  root: fromRoot("web"),
  base: "./",
  // Not a single-page fallback: a missing model file must be a 404, not index.html.
  appType: "mpa",
  plugins: [roomProse(fromRoot("web/rooms")), formulas, contentSecurityPolicy, modelsInWorkerOnly],
  resolve: { alias: { ropewalk: fromRoot("dist/web.js") } },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: fromRoot("dist-site"),
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    // Inlined data: URLs would need wider permissions in the policy.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 600,
  },
  worker: { format: "es" },
  server: { host: "127.0.0.1" },
  preview: { host: "127.0.0.1" },
});
