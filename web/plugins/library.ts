import { readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import type { Plugin } from "vite";

/** Where the site keeps the package, seen from its own scripts. */
export const libraryFromScripts = "../lib/web.js";

const tokenizer = "@huggingface/tokenizers";

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
 * one that npm has. Only its dependency, which browsers cannot find by name, is bundled beside it.
 */
export function packageOnce(dist: string): Plugin {
  return {
    name: "package-once",
    apply: "build",
    async generateBundle() {
      const files = filesFrom(dist, "web.js");
      for (const [name, source] of files) {
        const own = source.replaceAll(`"${tokenizer}"`, '"./tokenizers.js"');
        this.emitFile({ type: "asset", fileName: `lib/${name}`, source: own });
      }
      const { outputFiles } = await build({
        stdin: { contents: `export * from "${tokenizer}";`, resolveDir: dist },
        bundle: true,
        format: "esm",
        minify: true,
        write: false,
        legalComments: "none",
      });
      this.emitFile({ type: "asset", fileName: "lib/tokenizers.js", source: outputFiles[0]!.text });
    },
  };
}
