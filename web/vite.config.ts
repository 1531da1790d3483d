import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";

const fromRoot = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** What the page may do: run its own scripts and WebAssembly, and fetch from its own folder. Nothing else. */
const policy = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

/** Only in the built site: the development server injects inline styles and opens a socket for reloading. */
const contentSecurityPolicy: Plugin = {
  name: "content-security-policy",
  apply: "build",
  transformIndexHtml: () => [
    { tag: "meta", attrs: { "http-equiv": "Content-Security-Policy", content: policy }, injectTo: "head-prepend" },
  ],
};

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
  plugins: [contentSecurityPolicy, modelsInWorkerOnly],
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
