// Declarations: dist/types mirrors bindings/ts, and one file per entry points into it.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

export function emitTypes(root, dist) {
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  execFileSync(process.execPath, [tsc, "-p", join(root, "tools/package/tsconfig.json")], { stdio: "inherit" });
  for (const [entry, name] of [
    ["web", "index"],
    ["external", "external"],
  ]) {
    writeFileSync(join(dist, `${name}.d.ts`), `export * from "./types/entries/${entry}.js";\n`);
  }
}
