/** llama.cpp on GGUF metadata: what its runtime makes of the keys, and what it decides by architecture. */
import { type Json, type Model, numbersOf, optionalNumber } from "../model.js";
import type { Read } from "../reader.js";
import * as rules from "../rules.js";
import { names } from "./rewritten.js";

/** Channels 2i and 2i + 1 are a pair (LLAMA_ROPE_TYPE_NORM); all others are halves. */
const NEIGHBOURS =
  "arcee arctic baichuan bailingmoe chameleon chatglm cohere2 command-r deci deepseek deepseek2 ernie4_5 ernie4_5-moe granite granitehybrid granitemoe internlm2 llama llama4 minicpm neo-bert olmo plm smollm3 starcoder xverse";
/** Sliding layers with a base of their own and no scaling, whatever keys the file has. */
const LOCAL_BASE: Readonly<Record<string, number>> = { gemma3: 10000, gemma3n: 10000, "gemma-embedding": 10000 };
/** Sliding layers that are not scaled. */
const LOCAL_PLAIN = "olmo2 laguna";

export const hasSlidingRope = (architecture: string, config: Json): boolean =>
  architecture in LOCAL_BASE ||
  (names(LOCAL_PLAIN, architecture) && config[`${architecture}.attention.sliding_window`] !== undefined);

const first = (value: unknown): unknown => (Array.isArray(value) ? value[0] : value);

export function readGguf({ config, modelType, layerType, context }: Model): Read {
  const get = (key: string) => optionalNumber({ [key]: first(config[`${modelType}.${key}`]) }, key);
  const [local, plainLocal] = [LOCAL_BASE[modelType], names(LOCAL_PLAIN, modelType)];
  const sliding = layerType === "sliding_attention";
  const of = (key: string) => (sliding ? get(`${key}_swa`) : undefined) ?? get(key);
  const head =
    of("attention.key_length") ?? (get("embedding_length") ?? Number.NaN) / (get("attention.head_count") ?? Number.NaN);
  const d = of("rope.dimension_count") ?? head;
  if (!Number.isFinite(d)) throw new rules.Refusal("neither rope.dimension_count nor attention.head_count");
  const base = (sliding ? (get("rope.freq_base_swa") ?? local) : undefined) ?? get("rope.freq_base") ?? 10000;
  const plain = sliding && (local !== undefined || plainLocal);
  const type = plain ? "none" : (config[`${modelType}.rope.scaling.type`] ?? "linear");
  const factor = get("rope.scaling.factor") ?? get("rope.scale_linear") ?? 0;
  const given = get("rope.scaling.attn_factor") ?? 1;
  const original = get("rope.scaling.original_context_length") ?? get("context_length") ?? 0;
  const notes: string[] =
    sliding && local !== undefined ? ["base and scale of these layers are those of the architecture"] : [];
  const pairing = names(NEIGHBOURS, modelType) ? "interleaved" : "half";
  const scaled = factor === 0 || type === "none" ? 1 : factor;
  const done = (rotation: rules.Rotation): Read => ({ ...rotation, notes, pairing });
  if (type === "longrope") {
    const lists = {
      short: numbersOf(config, "rope_factors_short.weight"),
      long: numbersOf(config, "rope_factors_long.weight"),
    };
    return done(rules.longRope(base, d, { ...lists, original, length: context, magnitude: given }));
  }
  if (type === "yarn") {
    const latent = get("rope.scaling.yarn_log_multiplier") !== undefined;
    const betaFast = get("rope.scaling.yarn_beta_fast") ?? 32;
    const betaSlow = get("rope.scaling.yarn_beta_slow") ?? 1;
    const magnitude = latent ? 1 : given * rules.yarnScale(scaled);
    return done(rules.yarn(base, d, { factor: scaled, original, betaFast, betaSlow, truncate: true, magnitude }));
  }
  const rotation = scaled === 1 ? rules.plain(base, d) : rules.linear(base, d, scaled);
  if (config["rope_freqs.weight"] === undefined || plain) return done(rotation);
  const divisors = numbersOf(config, "rope_freqs.weight");
  const frequencies = rotation.frequencies.map((theta, j) => theta / (divisors[j] ?? Number.NaN));
  return done({ ...rotation, rule: "custom", frequencies });
}
