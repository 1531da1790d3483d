// A project of somebody else: an empty folder into which the packed tarball is installed by npm, as users do.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));

export function run(folder, command, ...args) {
  try {
    return execFileSync(command, args, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    throw new Error(`${command} ${args.join(" ")} failed in ${folder}:\n${error.stdout ?? ""}${error.stderr ?? ""}`);
  }
}

export function pack(folder) {
  const [packed] = JSON.parse(run(root, "npm", "pack", "--json", "--pack-destination", folder));
  return join(folder, packed.filename);
}

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
