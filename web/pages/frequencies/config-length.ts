type Json = Readonly<Record<string, unknown>>;

const objectAt = (from: Json, key: string): Json =>
  typeof from[key] === "object" && from[key] !== null ? (from[key] as Json) : {};
const numbersAt = (from: Json, ...keys: string[]) =>
  keys.map((key) => from[key]).filter((value): value is number => typeof value === "number" && value > 0);

/** A length, and whose product it is where no key names it. */
export interface Length {
  readonly positions: number;
  readonly original?: number;
  readonly factor?: number;
}

/**
 * Positions that a model is made for by its config.json or GGUF metadata, as the checker takes them: its longest sequence,
 * or else the original one times the factor of its rule. undefined where it does not say.
 */
export function lengthOf(config: object): Length | undefined {
  const own = config as Json;
  const text = { ...own, ...objectAt(own, "text_config") };
  const arch = typeof own["general.architecture"] === "string" ? own["general.architecture"] : "";
  const scaling = { ...objectAt(text, "rope_parameters"), ...objectAt(text, "rope_scaling") };
  const [factor = 1] = numbersAt(scaling, "factor");
  const [original = 0] = [
    ...numbersAt(scaling, "original_max_position_embeddings"),
    ...numbersAt(text, "original_max_position_embeddings"),
  ];
  const named = Math.max(
    0,
    ...numbersAt(text, "max_position_embeddings", "n_positions", "seq_length", `${arch}.context_length`),
  );
  if (named > 0) return { positions: Math.round(named) };
  return original > 0 ? { positions: Math.round(factor * original), original, factor } : undefined;
}

/** The types of layers that a config.json names, and those that families with two rules have. */
export function layerTypesOf(config: object): readonly string[] {
  const own = { ...(config as Json), ...objectAt(config as Json, "text_config") };
  const listed = Array.isArray(own.layer_types) ? own.layer_types.map(String) : [];
  const keyed = Object.entries(objectAt(own, "rope_parameters"))
    .filter(([, value]) => typeof value === "object" && value !== null)
    .map(([name]) => name);
  return [...new Set([...keyed, ...listed, "full_attention", "sliding_attention"])];
}
