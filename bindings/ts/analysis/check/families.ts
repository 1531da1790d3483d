/** Peculiarities of the emulated libraries with families, beside what the sheet of facts says about them. */

export interface FamilyData {
  /** Why llama.cpp's converter does not take it. */
  notInLlamaCpp?: string;
  /** Its converter does more than the rules here, and no file of it is compared: the reader says nothing. */
  llamaCppUnknown?: true;
  /** llama.cpp's converter writes no base: 10000. */
  llamaCppWithoutBase?: boolean;
  /** llama.cpp's converter of Llama: it writes Llama 3's rule, and none in the place of a rule that it does not know. */
  llamaCppLlama3?: boolean;
  /** llama.cpp's converter writes LongRoPE's factors for this class. */
  llamaCppLongRope?: boolean;
  /** Code that asks getattr for `rope_theta` does not exist for this family. */
  noGetattr?: boolean;
}

const gptJ = {
  noGetattr: true,
  notInLlamaCpp: "NotImplementedError: architecture 'GPTJForCausalLM' not supported",
};
const llama3: FamilyData = { llamaCppLlama3: true };
const gte = { notInLlamaCpp: "NotImplementedError: architecture 'NewModel' not supported" };

/** Families without a peculiarity are not listed. */
const families: Readonly<Record<string, FamilyData>> = {
  codegen: { ...gptJ, notInLlamaCpp: "NotImplementedError: architecture 'CodeGenForCausalLM' not supported" },
  exaone: llama3,
  gpt_neox: { noGetattr: true, llamaCppWithoutBase: true },
  gptj: gptJ,
  gte,
  kimi_k2: { llamaCppUnknown: true },
  llama: llama3,
  ministral3: { llamaCppUnknown: true },
  mistral: llama3,
  mixtral: llama3,
  new: gte,
  nomic_bert: { noGetattr: true },
  "nemotron-nas": llama3,
  phi: { llamaCppWithoutBase: true },
  phi3: { llamaCppLongRope: true },
};

export const familyOf = (modelType: string): FamilyData =>
  Object.hasOwn(families, modelType) ? families[modelType]! : {};
