// Declarations: what the entries export and all that it names, as one file without anything of the inside.
import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rollup } from "rollup";
import { dts } from "rollup-plugin-dts";

export async function emitTypes(root, dist) {
  const types = join(root, "build/package/types");
  rmSync(types, { recursive: true, force: true });
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const options = ["-p", join(root, "tools/package/tsconfig.json"), "--outDir", types];
  execFileSync(process.execPath, [tsc, ...options], { stdio: "inherit" });
  const bundle = await rollup({ input: join(types, "entries/web.d.ts"), plugins: [dts()] });
  // `Disposable` is younger than the libraries that most projects name.
  const banner = '/// <reference lib="esnext.disposable" />';
  const { output } = await bundle.generate({ format: "es", banner });
  await bundle.close();
  // The comment at the head of each file, and spaces in the place of tabs, are 5 KB of the package.
  const declarations = output[0].code
    .replace(/^\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n(?=\/\*\*)/gm, "")
    .replace(/^(?: {4})+/gm, (indent) => "\t".repeat(indent.length / 4));
  writeFileSync(join(dist, "index.d.ts"), declarations);
  // Every entry exports the same.
  writeFileSync(join(dist, "external.d.ts"), 'export * from "./index.js";\n');
  const search = await rollup({ input: join(types, "entries/search.d.ts"), plugins: [dts()] });
  await search.write({ file: join(dist, "search.d.ts"), format: "es" });
  await search.close();
}
