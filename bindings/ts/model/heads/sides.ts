/** Prompts of queries and documents, as sentence-transformers chooses them. */
import { refuse } from "../refuse.js";
import type { EncoderFacts } from "./host.js";
import type { Side } from "./surface.js";

const NAMES: Readonly<Record<Side, readonly string[]>> = {
  query: ["query"],
  document: ["document", "passage", "corpus"],
};

/** The prefix of texts of that side: the prompt of its name, or else the default prompt. */
export function promptOfSide({ prompts, defaultPrompt }: EncoderFacts, side: Side): string {
  const name = NAMES[side].find((each) => Object.hasOwn(prompts, each)) ?? defaultPrompt;
  return name === undefined ? "" : prompts[name]!;
}

/** "Instruct: TASK\nQuery:" of Qwen3-Embedding and E5, "task: TASK | query: " of EmbeddingGemma. */
const INSTRUCTION = /^(Instruct: |task: )([^\n|]*?)(\n ?Query: ?| \| query: )$/;

/** The prompt of queries with another instruction. */
export function promptWith(fn: string, facts: EncoderFacts, instruction: string): string {
  const found = INSTRUCTION.exec(promptOfSide(facts, "query"));
  if (found === null) throw noInstruction(fn, instruction);
  return `${found[1]}${instruction}${found[3]}`;
}

export const noInstruction = (fn: string, instruction: string): Error =>
  refuse.range(fn, "instruction", instruction, "none: the prompt of this model has no instruction");
