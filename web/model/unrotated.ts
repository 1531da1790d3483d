import { load, type RopeOptions, ropeOptionsFromConfig } from "ropewalk";
import type { QueriesAndKeys } from "./model-calls.js";

/** With one of these the frequencies are another rule's, which only the part of the library that analyses can read. */
const otherRules = ["rope_scaling", "rope_parameters", "partial_rotary_factor"];

/** How a model of that config.json rotates; undefined where it does not. */
async function optionsOf(
  config: Readonly<Record<string, unknown>>,
  sequenceLength: number,
  headDim: number,
): Promise<RopeOptions | undefined> {
  if ((config.position_encoding ?? "rope") !== "rope") return undefined;
  if (otherRules.some((key) => config[key])) {
    await load({ analysis: true });
    return { ...ropeOptionsFromConfig(config, { sequenceLength }), headDim, pairing: "interleaved" };
  }
  const base = typeof config.rope_theta === "number" ? config.rope_theta : 10000;
  return { headDim, pairing: "interleaved", frequencies: { type: "default", base } };
}

/** Queries and keys [S, H, D] as they were before their rotation, with the radians per position of each pair. */
export async function unrotated(
  { queries, keys }: QueriesAndKeys,
  config: Readonly<Record<string, unknown>>,
  sequence: number,
  heads: number,
): Promise<{ plain: QueriesAndKeys; thetas: readonly number[] }> {
  const options = queries[0] && (await optionsOf(config, sequence, queries[0].length / (sequence * heads)));
  if (!options) return { plain: { queries, keys }, thetas: [] };
  const rope = (await load()).rope(options);
  try {
    const back = (values: Float32Array) => rope.unrotate(values, { sequence, heads });
    const plain = { queries: queries.map(back), keys: keys.map(back) };
    return { plain, thetas: Array.from(rope.frequencies) };
  } finally {
    rope.dispose();
  }
}
