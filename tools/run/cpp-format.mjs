// clang-format over the project's C++ and C, in the style of .clang-format. The program comes with npm.
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fromRoot } from "../setup/environment.mjs";
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

/** The command that names every line it would change, and fails if there is one. */
export const checkCppFormat = () => clangFormat("--dry-run", "-Werror");

/** The command that formats the files in place. */
export const formatCpp = () => clangFormat("-i");
