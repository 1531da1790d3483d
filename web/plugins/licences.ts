import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";

/** The folder of the npm package that a module is from. */
const packageFolder = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;

/**
 * Writes `licences.txt`: Ropewalk's licence, the notices of the package, and the licences of all that the site's own
 * scripts are bundled with, and of the packages of its fonts.
 */
export function licences(root: string, dist: string, fonts: readonly string[]): Plugin {
  const folders = new Set(fonts.map((name) => join(root, "node_modules", name)));
  return {
    name: "licences",
    apply: "build",
    moduleParsed({ id }) {
      const folder = packageFolder.exec(id)?.[0];
      if (folder !== undefined) folders.add(folder);
    },
    generateBundle() {
      const texts = [readFileSync(join(root, "LICENSE"), "utf8")];
      for (const name of ["THIRD-PARTY.txt", "tokenizers.LICENSE.txt"])
        texts.push(`${name}\n\n${readFileSync(join(dist, name), "utf8")}`);
      for (const folder of [...folders].sort()) {
        const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Record<
          string,
          string
        >;
        const licence = join(folder, "LICENSE");
        if (!existsSync(licence))
          throw new Error(`${name} has no LICENSE: a site that contains it cannot be published`);
        texts.push(`${name} ${version}\n\n${readFileSync(licence, "utf8")}`);
      }
      const rule = `\n\n${"=".repeat(80)}\n\n`;
      this.emitFile({
        type: "asset",
        fileName: "licences.txt",
        source: `${texts.map((text) => text.trim()).join(rule)}\n`,
      });
    },
  };
}
