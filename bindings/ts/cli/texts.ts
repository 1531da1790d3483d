/** Texts of the command line: words, or else the lines of standard input. */
import { UsageError } from "./arguments.js";
import { decodedText, standardInput } from "./files.js";

async function inputOf(name: string): Promise<string> {
  if (process.stdin.isTTY) throw new UsageError(`${name} is missing`);
  return decodedText("standard input", await standardInput());
}

/** Standard input as one text, less the line break at its end. */
export async function wholeInput(name: string): Promise<string> {
  const text = (await inputOf(name)).replace(/\r?\n$/, "");
  if (text === "") throw new UsageError(`${name} is missing`);
  return text;
}

export async function textsOf(words: readonly string[], name: string): Promise<readonly string[]> {
  if (words.length > 0) return words;
  const lines = (await inputOf(name)).split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** One line about texts that were cut; undefined where none was. */
export function truncationWarning(cut: readonly number[], maxTokens: number): string | undefined {
  if (cut.length === 0) return undefined;
  const which =
    cut.length === 1 ? `text ${cut[0]! + 1} was` : `${cut.length} texts, the first of them text ${cut[0]! + 1}, were`;
  return `ropewalk: ${which} longer than ${maxTokens} tokens and cut`;
}
