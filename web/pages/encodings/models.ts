/** The models that the encodings are compared in: one layer, the same word vectors and projections for all. */
import type { Encoder, PositionEncoding, Ropewalk } from "ropewalk";
import { normals, uniform } from "../../rope/vectors.js";
import { headDim, heads, mostWords, trainedLength } from "./sizes.js";

export function configOf(encoding: PositionEncoding): Record<string, unknown> {
  return {
    // Word 0 fills places that hold no word.
    vocab_size: mostWords + 1,
    hidden_size: heads * headDim,
    num_hidden_layers: 1,
    num_attention_heads: heads,
    intermediate_size: heads * headDim,
    max_position_embeddings: trainedLength,
    position_encoding: encoding,
  };
}

/**
 * Standard deviations of what is drawn, by name, each from a stream of its own, so that what two models have in common is
 * the same in both. Words, sines and learned positions are of one size when they are added; scores of unlike words are around
 * 1 in size. Keys are made like queries, so that a word attracts its likes.
 */
const draws: ReadonlyArray<readonly [name: string, deviation: number]> = [
  ["word_embeddings.weight", 0.7],
  ["query.weight", 1 / 8],
  ["key.weight", 1 / 8],
  ["position_embeddings.weight", 0.7],
  ["relative_attention_bias.weight", 1],
  ["relative_key.weight", 1 / 8],
  ["content_bias", 0.5],
  ["position_bias", 0.5],
  ["token_type_embeddings.weight", 0],
  ["relative.weight", 1 / 8],
  ["relative_profiles", 0.7],
  ["polar_bias", 1],
];

interface Entry {
  readonly data_offsets: readonly [begin: number, end: number];
}

/** Writes the draws of `seed` over a model.safetensors of float32 as a trainer saves it. */
export function redraw(file: Uint8Array<ArrayBuffer>, seed: number): void {
  const size = Number(new DataView(file.buffer).getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(file.subarray(8, 8 + size))) as Record<string, Entry>;
  const valuesOf = (ending: string) => {
    const entry = Object.entries(header).find(([name]) => name.endsWith(ending))?.[1];
    // Copied out and in, since offsets of a file need not be multiples of 4.
    return entry && { at: 8 + size + entry.data_offsets[0], bytes: entry.data_offsets[1] - entry.data_offsets[0] };
  };
  const drawn = new Map<string, Float32Array>();
  for (const [stream, [name, deviation]] of draws.entries()) {
    const place = valuesOf(name);
    if (!place) continue;
    const values = normals(place.bytes / 4, uniform(seed * 64 + stream)).map((value) => value * deviation);
    const query = drawn.get("query.weight");
    drawn.set(name, name === "key.weight" ? values.map((value, i) => 0.6 * value + 0.8 * query![i]!) : values);
    file.set(new Uint8Array(drawn.get(name)!.buffer), place.at);
  }
}

export async function weightsOf(
  ropewalk: Ropewalk,
  encoding: PositionEncoding,
  seed: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const trainer = await ropewalk.trainer({ config: configOf(encoding) });
  try {
    const file = trainer.save();
    redraw(file, seed);
    return file;
  } finally {
    trainer.dispose();
  }
}

export async function modelOf(ropewalk: Ropewalk, encoding: PositionEncoding, seed: number): Promise<Encoder> {
  const weights = await weightsOf(ropewalk, encoding, seed);
  return ropewalk.encoder({ "config.json": configOf(encoding), "model.safetensors": weights });
}
