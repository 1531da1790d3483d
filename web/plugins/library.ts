import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";

/** The package's place in the site, seen from its own scripts. */
export const libraryFromScripts = "../lib/web.js";

/** The entry and all that it imports, as they stand in the package. */
function filesFrom(folder: string, entry: string, found = new Map<string, string>()): ReadonlyMap<string, string> {
  if (found.has(entry)) return found;
  const source = readFileSync(join(folder, entry), "utf8");
  found.set(entry, source);
  for (const [, name] of source.matchAll(/(?:from|import\(|new URL\()"\.\/([\w-]+\.js)"/g))
    filesFrom(folder, name!, found);
  return found;
}

/**
 * Puts the package's own files into lib/ of the site, where the page and its workers import them: one copy, the very
 * one that npm has.
 */
export function packageOnce(dist: string): Plugin {
  return {
    name: "package-once",
    apply: "build",
    generateBundle() {
      for (const [name, source] of filesFrom(dist, "web.js"))
        this.emitFile({ type: "asset", fileName: `lib/${name}`, source });
    },
  };
}
