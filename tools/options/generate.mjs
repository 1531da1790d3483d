// `npm run generate`: the table of options, and every file that is made from it.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { formatWritten } from "../run/format.mjs";
import { fromRoot } from "../setup/environment.mjs";
import { generated } from "./typescript.mjs";

/** `families` is the program that knows the families. */
export function generate(program, families) {
  const table = JSON.parse(execFileSync(fromRoot(program), { encoding: "utf8" }));
  writeFileSync(fromRoot("tools/families/facts.jsonl"), execFileSync(fromRoot(families)));
  const files = { "tools/options/table.json": () => `${JSON.stringify(table, null, 2)}\n`, ...generated };
  for (const [path, content] of Object.entries(files)) writeFileSync(fromRoot(path), content(table));
  formatWritten(Object.keys(files).filter((path) => /\.(ts|json)$/.test(path)));
}
