import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { addresses } from "./plugins/addresses.js";
import { libraryFromScripts, packageOnce } from "./plugins/library.js";
import { licences } from "./plugins/licences.js";
import { formulas } from "./plugins/maths.js";
import { mathsFont } from "./plugins/maths-font.js";
import { offline } from "./plugins/offline.js";
import { contentSecurityPolicy } from "./plugins/policy.js";
import { preloads } from "./plugins/preloads.js";
import { pageProse } from "./plugins/prose.js";
import { recordedSpeed } from "./plugins/recorded-speed.js";

const own = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string };
const fromRoot = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** In the built site the package is a file beside the scripts; the development server reads it where it is built. */
const packageOutside = {
  external: ["ropewalk"],
  output: {
    paths: { ropewalk: libraryFromScripts },
    // Packed together, what is small and shared is smaller than file by file. Every visit loads the first two at once, and
    // pages of figures, of programs to copy and of ropes the others.
    codeSplitting: {
      groups: [
        { name: "states", test: /\/pages\/[\w-]+\/state\.ts$/ },
        {
          name: "basics",
          test: /preload-helper|\/web\/(text|state|components\/(copy|limit|number-box|range-hint|slider|segmented|select)\.)/,
        },
        { name: "library", test: /\/web\/library/ },
        { name: "figures", test: /\/web\/components\/(plot|figure|heat|legend|ramp|scroll-table)/ },
        { name: "programs", test: /\/web\/(code|components\/(seed|term|base-choice|lazy-details)\.)/ },
        { name: "vectors", test: /\/web\/rope\/(pairs|vectors)\./ },
        { name: "ropes", test: /\/web\/rope\/(arrow|dial|explained|facts|rule-editor|vector-choice)\./ },
      ],
    },
    // The code of a page is named after the page.
    chunkFileNames: ({ facadeModuleId }: { facadeModuleId?: string | null }) =>
      `assets/${/\/pages\/([\w-]+)\/panel\.tsx$/.exec(facadeModuleId ?? "")?.[1] ?? "[name]"}-[hash].js`,
  },
};

export default defineConfig(({ command }) => ({
  root: fromRoot("web"),
  base: "./",
  // Not a single-page fallback: a missing model file must be a 404, not index.html.
  appType: "mpa",
  plugins: [
    pageProse(fromRoot("web/pages"), fromRoot("docs/guide.md"), own.version, process.env.ROPEWALK_REPOSITORY),
    formulas,
    // styles/figure.css refers to it.
    mathsFont(
      fromRoot("node_modules/@fontsource/noto-sans-math/files/noto-sans-math-latin-400-normal.woff2"),
      fromRoot("web/pages"),
      fromRoot("build/fonts/maths.woff2"),
    ),
    recordedSpeed(fromRoot("docs/performance/results.json")),
    packageOnce(fromRoot("dist")),
    licences(fromRoot("."), fromRoot("dist"), ["@fontsource/noto-sans-math", "temml"]),
    contentSecurityPolicy,
    preloads,
    addresses(process.env.ROPEWALK_SITE ?? ""),
    offline(fromRoot("web/offline/service-worker.ts"), fromRoot("dist-site")),
  ],
  resolve: {
    alias: {
      "plain-c": fromRoot("build/plain"),
      ...(command === "serve" && { ropewalk: fromRoot("dist/web.js") }),
    },
  },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: fromRoot("dist-site"),
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    // Inlined data: URLs would need wider permissions in the policy.
    assetsInlineLimit: 0,
    rolldownOptions: packageOutside,
  },
  worker: { format: "es", rolldownOptions: packageOutside },
  server: { host: "127.0.0.1" },
  preview: { host: "127.0.0.1" },
}));
