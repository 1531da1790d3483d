// `npm run generate`: the table of options, and every file that is made from it.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { npmProgram } from "../run/stages.mjs";
import { projectRoot } from "../setup/environment.mjs";
import { generated } from "./typescript.mjs";

/** `families` is the program that knows the families. */
export function generate(program, families) {
  const root = projectRoot();
  const table = JSON.parse(execFileSync(join(root, program), { encoding: "utf8" }));
  writeFileSync(join(root, "tools/families/facts.jsonl"), execFileSync(join(root, families)));
  const files = { "tools/options/table.json": () => `${JSON.stringify(table, null, 2)}\n`, ...generated };
  for (const [path, content] of Object.entries(files)) writeFileSync(join(root, path), content(table));
  const biome = ["check", "--write", ...Object.keys(files).filter((path) => /\.(ts|json)$/.test(path))];
  execFileSync(npmProgram("biome"), biome, { cwd: root, stdio: "inherit" });
}
