// Declarations: dist/types mirrors bindings/ts, and one file per entry points into it.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const ENTRIES = [
  ["web", "index"],
  ["external", "external"],
];

/** What the modules export: named by public declarations, but for nobody to read in an editor. */
const WITHOUT_COMMENTS = ["module/native.d.ts", "module/core.d.ts"];

/** What no declaration of an entry leads to would only be weight. */
function prune(types) {
  const reached = new Set();
  const visit = (file) => {
    if (reached.has(file)) return;
    reached.add(file);
    for (const [, target] of readFileSync(file, "utf8").matchAll(/(?:from|import\()\s*"(\.[^"]+)\.js"/g))
      visit(join(dirname(file), `${target}.d.ts`));
  };
  for (const [entry] of ENTRIES) visit(join(types, "entries", `${entry}.d.ts`));
  for (const name of readdirSync(types, { recursive: true })) {
    const file = join(types, name);
    if (name.endsWith(".d.ts") && !reached.has(file)) rmSync(file);
  }
  for (const name of WITHOUT_COMMENTS) {
    const file = join(types, name);
    writeFileSync(file, readFileSync(file, "utf8").replaceAll(/^ *\/\*\*[\s\S]*?\*\/\n/gm, ""));
  }
}

export function emitTypes(root, dist) {
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  execFileSync(process.execPath, [tsc, "-p", join(root, "tools/package/tsconfig.json")], { stdio: "inherit" });
  prune(join(dist, "types"));
  for (const [entry, name] of ENTRIES) {
    writeFileSync(join(dist, `${name}.d.ts`), `export * from "./types/entries/${entry}.js";\n`);
  }
}
