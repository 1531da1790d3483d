import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import type { Plugin } from "vite";
import { pageNames, pathOf } from "../pages/index.js";

const output = "service-worker.js";

/** Writes the service worker once every other file of the site is there. */
export function offline(source: string, site: string): Plugin {
  return {
    name: "offline",
    apply: "build",
    async closeBundle(failure) {
      // A build that failed has its own error to tell.
      if (failure) return;
      const files = readdirSync(site, { recursive: true, encoding: "utf8" })
        .filter((name) => name !== output && statSync(join(site, name)).isFile())
        .map((name) => name.replaceAll("\\", "/"))
        .sort();
      const hash = createHash("sha256");
      for (const name of files) hash.update(`${name}\0`).update(readFileSync(join(site, name)));
      // Hosts answer to the folder with its index.html, and some forward from the one to the other.
      // The page of threads depends on the headers that the server sends now.
      const kept = files
        .map((name) => (name === "index.html" ? "./" : name))
        // One document is kept for all pages; previews are for other people's servers.
        .filter((name) => !/\.md$|^threads\/|^previews\/|^sitemap|\/index\.html$/.test(name));
      const folders = pageNames.map((name) => pathOf(name).slice(2)).filter(Boolean);
      await build({
        entryPoints: [source],
        outfile: join(site, output),
        bundle: true,
        minify: true,
        target: "es2022",
        define: {
          BUILD: JSON.stringify(hash.digest("hex").slice(0, 16)),
          FILES: JSON.stringify(kept),
          PAGES: JSON.stringify(folders),
        },
        logLevel: "warning",
      });
    },
  };
}
