/** Defaults that the classes of Transformers hold, for keys that a configuration lacks. */

export interface FamilyDefaults {
  /** `rope_theta` of the class where the file has none; 10000 unless given. */
  base?: number;
  /** Bases by layer type: which key of the older files each comes from, and its default. */
  layers?: Readonly<Record<string, { key: string; base: number; scaled: boolean }>>;
  /** Share of the head that rotates where the file does not say it; 1 unless given. */
  fraction?: number;
  /** Other names of `rope_theta` and `partial_rotary_factor`. */
  baseKey?: string;
  fractionKey?: string;
  /** The rotary dimension itself, and its default. */
  dimensionKey?: string;
  dimension?: number;
  /** First release of Transformers that has the class; "4" unless given. "none": the checkpoint brings its own code. */
  since?: "5" | "none";
  /** Every n-th layer does not rotate where the file does not list them (SmolLM3). */
  stillEvery?: number;
  /** Latent attention, whose softmax scale is multiplied by the square of YaRN's mscale_all_dim. */
  latent?: boolean;
  /** Why llama.cpp's converter does not take it. */
  notInLlamaCpp?: string;
  /** llama.cpp's converter writes no base: 10000. */
  llamaCppWithoutBase?: boolean;
  /** llama.cpp's converter writes Llama 3's rule for this class. */
  llamaCppLlama3?: boolean;
  /** llama.cpp's converter writes LongRoPE's factors for this class. */
  llamaCppLongRope?: boolean;
  /** Code that asks getattr for `rope_theta` does not exist for this family. */
  noGetattr?: boolean;
}

const gemma3 = {
  full_attention: { key: "rope_theta", base: 1e6, scaled: true },
  sliding_attention: { key: "rope_local_base_freq", base: 1e4, scaled: false },
};
const modernBert = {
  full_attention: { key: "global_rope_theta", base: 160000, scaled: true },
  sliding_attention: { key: "local_rope_theta", base: 1e4, scaled: true },
};
const own: FamilyDefaults = { since: "none" };
const half: FamilyDefaults = { fraction: 0.5 };
const latent: FamilyDefaults = { latent: true };
const gptJ: FamilyDefaults = {
  dimensionKey: "rotary_dim",
  dimension: 64,
  noGetattr: true,
  notInLlamaCpp: "NotImplementedError: architecture 'GPTJForCausalLM' not supported",
};
const five: FamilyDefaults = { since: "5" };
const gte: FamilyDefaults = {
  since: "none",
  notInLlamaCpp: "NotImplementedError: architecture 'NewModel' not supported",
};

/** Families that are read as all others are, with base 10000 and no exception, are not listed. */
export const families: Readonly<Record<string, FamilyDefaults>> = {
  apertus: { base: 12e6 },
  baichuan: own,
  chatglm: own,
  codegen: { ...gptJ, notInLlamaCpp: "NotImplementedError: architecture 'CodeGenForCausalLM' not supported" },
  deepseek_v2: latent,
  deepseek_v3: latent,
  deepseek_v32: { ...latent, since: "5" },
  deepseek_v4: five,
  ernie4_5: { base: 500000 },
  exaone: { since: "none", llamaCppLlama3: true },
  gemma3_text: { layers: gemma3 },
  gemma4_text: five,
  glm: half,
  glm4: half,
  glm4_moe: half,
  glm_moe_dsa: five,
  gpt_neox: {
    fraction: 0.25,
    fractionKey: "rotary_pct",
    baseKey: "rotary_emb_base",
    noGetattr: true,
    llamaCppWithoutBase: true,
  },
  gpt_oss: { base: 150000 },
  gptj: gptJ,
  gte,
  helium: { base: 100000 },
  kimi_k2: { latent: true, since: "none" },
  llama: { llamaCppLlama3: true },
  ministral3: five,
  mistral: { llamaCppLlama3: true },
  mistral4: { latent: true, since: "5" },
  mixtral: { base: 1e6, llamaCppLlama3: true },
  modernbert: { layers: modernBert },
  neobert: own,
  nemotron: half,
  new: gte,
  nomic_bert: { base: 1000, since: "5", noGetattr: true },
  "nemotron-nas": { since: "none", llamaCppLlama3: true },
  persimmon: half,
  phi: { ...half, llamaCppWithoutBase: true },
  phi3: { llamaCppLongRope: true },
  qwen: own,
  qwen3_5_text: five,
  recurrent_gemma: half,
  smollm3: { base: 2e6, stillEvery: 4 },
  stablelm: { fraction: 0.25 },
  xverse: own,
};

export const defaultsOf = (modelType: string): FamilyDefaults =>
  Object.hasOwn(families, modelType) ? families[modelType]! : {};
