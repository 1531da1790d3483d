// The libraries that Ropewalk is compared with: installed here, when the bench first runs, and nowhere else.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { setUpNpmPackages } from "../../tools/setup/npm-packages.mjs";

const here = dirname(fileURLToPath(import.meta.url));

/** onnxruntime-node's script would fetch what only graphics cards need: the package holds the rest. */
export const installPeers = () => setUpNpmPackages(here, ["--ignore-scripts"]);

export function peerVersions() {
  return JSON.parse(readFileSync(join(here, "package.json"), "utf8")).devDependencies;
}
