// Is a built thing still that of its inputs? A hash of their contents, kept beside the build.
import { createHash } from "node:crypto";
import { existsSync, lstatSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { readJson, writeWhole } from "../setup/cache.mjs";
import { fromRoot } from "../setup/environment.mjs";
import { say } from "../setup/progress.mjs";

const NOT_INPUTS = new Set(["node_modules", "build", "dist", "dist-site", "dist-c", "test-results", "__pycache__"]);

function* filesUnder(path) {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat) return;
  if (stat.isFile()) yield path;
  if (!stat.isDirectory()) return;
  for (const name of readdirSync(path).sort()) {
    if (!NOT_INPUTS.has(name)) yield* filesUnder(join(path, name));
  }
}

function hashOf(inputs, more) {
  const hash = createHash("sha256").update(JSON.stringify(more));
  for (const input of inputs) {
    for (const file of filesUnder(fromRoot(input))) {
      hash.update(`\0${file}\0`).update(readFileSync(file));
    }
  }
  return hash.digest("hex");
}

/**
 * Runs `make()` unless the stamp of `name` fits the inputs and all outputs are there. `more` is whatever else the result
 * depends on, such as the compiler's version. Where nothing is made, it says so of `title`, if there is one. Returns the hash,
 * for those that depend on this in turn.
 */
export async function unlessUnchanged({ name, title, inputs, more = [], outputs }, make) {
  const stamp = fromRoot("build/stamps", `${name}.json`);
  const hash = hashOf(inputs, more);
  const missing = outputs.some((output) => !existsSync(fromRoot(output)));
  if (!missing && readJson(stamp)?.hash === hash) {
    if (title) say(`\n== ${title}: unchanged`);
    return hash;
  }
  rmSync(stamp, { force: true });
  await make();
  writeWhole(stamp, `${JSON.stringify({ hash })}\n`);
  return hash;
}
