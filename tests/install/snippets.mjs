// The programs that the documents show, so that what is tested is what a reader copies.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "../../tools/setup/commands.mjs";
import { fromRoot } from "../../tools/setup/environment.mjs";

/** The contents of the code block of a language with that index, counted from 0. */
export function block(file, language, index) {
  const text = readFileSync(fromRoot(file), "utf8");
  const found = [...text.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, "gm"))][index];
  if (!found) throw new Error(`${file} has no code block ${index} of ${language}`);
  return found[1];
}

/** The program of docs/cpp.md, first.cpp, and what it says that it prints. */
export const firstProgram = {
  check(printed) {
    const expected = block("docs/cpp.md", "text", 0);
    if (printed !== expected)
      throw new Error(`first.cpp printed\n${printed}\nand not what docs/cpp.md says:\n${expected}`);
  },
};

/** A project in a new folder: first.cpp, a CMakeLists.txt if there is one, and other files by name. */
export function writeProject(folder, cmake = null, files = {}) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "first.cpp"), block("docs/cpp.md", "cpp", 0));
  if (cmake) writeFileSync(join(folder, "CMakeLists.txt"), cmake);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

/** Runs a program and returns what it prints; throws with its output for any exit code but 0. */
export async function must(command, args, options) {
  const { code, output, stdout } = await run(command, args, options);
  if (code !== 0) throw new Error(`${[command, ...args].join(" ")} ended with exit code ${code}:\n${output}`);
  return stdout;
}
