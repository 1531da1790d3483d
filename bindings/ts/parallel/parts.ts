/** A batch in parts of neighbouring sequences, and the outputs of the parts as one. */
import type { ReadInput } from "../model/encoder-input.js";
import type { EncoderOutput, Floats } from "../model/encoder-output.js";

/** Undefined when the sizes do not agree, which the model, given the whole, explains. */
export function partsOf(input: ReadInput, count: number): ReadInput[] | undefined {
  const { inputIds, tokenTypeIds, attentionMask, sequenceIds, batch, sequence } = input;
  const arrays = [inputIds, tokenTypeIds ?? inputIds, attentionMask ?? inputIds, sequenceIds ?? inputIds];
  if (arrays.some((values) => values.length !== batch * sequence)) return undefined;
  const parts: ReadInput[] = [];
  for (let i = 0; i < count; i++) {
    const begin = Math.floor((i * batch) / count);
    const end = Math.floor(((i + 1) * batch) / count);
    if (begin === end) continue;
    const of = (values: Int32Array) => values.slice(begin * sequence, end * sequence);
    parts.push({
      inputIds: of(inputIds),
      batch: end - begin,
      sequence,
      ...(tokenTypeIds && { tokenTypeIds: of(tokenTypeIds) }),
      ...(attentionMask && { attentionMask: of(attentionMask) }),
      ...(sequenceIds && { sequenceIds: of(sequenceIds) }),
    });
  }
  return parts;
}

function joined(arrays: readonly Floats[]): Floats {
  const all = new Float32Array(arrays.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const array of arrays) {
    all.set(array, at);
    at += array.length;
  }
  return all;
}

/** Every output begins with B, so that parts follow each other. Parts of one model have the same outputs. */
export function joinedOutputs(parts: readonly EncoderOutput[]): EncoderOutput {
  if (parts.length === 1) return parts[0]!;
  const names = Object.keys(parts[0]!) as (keyof EncoderOutput)[];
  const entries = names.map((name) => {
    const values = parts.map((each) => each[name]!);
    const [first] = values;
    if (!Array.isArray(first)) return [name, joined(values as Floats[])];
    return [name, first.map((_, layer) => joined((values as Floats[][]).map((layers) => layers[layer]!)))];
  });
  return Object.fromEntries(entries) as EncoderOutput;
}
