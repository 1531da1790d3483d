// Biome over TypeScript, JavaScript, CSS and JSON, and clang-format over C++ and C. Both programs come with npm.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fromRoot, projectRoot } from "../setup/environment.mjs";
import { npmProgram } from "./stages.mjs";

const FOLDERS = ["cpp", "bindings", "conformance", "tests", "tools"];
const LIST = "build/sources.txt";

function clangFormat(...options) {
  const sources = FOLDERS.flatMap((folder) =>
    readdirSync(fromRoot(folder), { recursive: true, encoding: "utf8" })
      .filter((file) => /\.[ch](pp)?$/.test(file) && !/(^|\/)node_modules\//.test(file))
      .map((file) => join(folder, file)),
  );
  mkdirSync(fromRoot("build"), { recursive: true });
  writeFileSync(fromRoot(LIST), `${sources.sort().join("\n")}\n`);
  return [npmProgram("clang-format"), ...options, `--files=${LIST}`];
}

/** Commands that name every line they would change, and fail if there is one. */
export const checkFormat = () => [
  [npmProgram("biome"), "ci", "--error-on-warnings", "."],
  clangFormat("--dry-run", "-Werror"),
];

/** Commands that format everything in place. */
export const formatAll = () => [[npmProgram("biome"), "check", "--write", "."], clangFormat("-i")];

/** Formats files that a program has written. */
export const formatWritten = (paths) =>
  execFileSync(npmProgram("biome"), ["check", "--write", ...paths], { cwd: projectRoot(), stdio: "inherit" });
