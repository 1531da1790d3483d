/** One case on one model. */
import type { Decoder, Encoder } from "../../entries/node.js";
import type { VerifyCase } from "./cases.js";

export interface Comparison {
  checkpoint: string;
  output: VerifyCase["output"];
  agrees: boolean;
  /** There was nothing to compare: `found` says why. */
  failed?: true;
  /** The largest difference of a number. */
  difference?: number;
  tolerance?: number;
  /** The words that were found, or why none were. */
  found?: string;
}

function differenceOf(model: Encoder, one: VerifyCase): number {
  const [row, column] = one.from ?? [0, 0];
  const inputs = one.ids
    ? [{ inputIds: one.ids, sequence: one.ids.length, ...(one.mask && { attentionMask: one.mask }) }]
    : one.texts!.map((text) => {
        const { inputIds, tokenTypeIds } = model.encode(text);
        return { inputIds, tokenTypeIds, sequence: inputIds.length };
      });
  let largest = 0;
  for (const [i, input] of inputs.entries()) {
    const output = model.forward(input, { logits: one.output === "logits" })[one.output as "logits"];
    if (output === undefined) throw new Error(`the checkpoint gives no ${one.output}`);
    const width = output.length / input.sequence;
    one.values![i]!.forEach((expected, r) => {
      expected.forEach((value, c) => {
        const found = output[(row + r) * width + column + c] ?? Number.NaN;
        // A comparison that is not true counts: NaN is the largest difference of all.
        const difference = Math.abs(found - value);
        if (!(difference <= largest)) largest = difference;
      });
    });
  }
  return largest;
}

async function differenceOfVectors(model: Encoder, { texts, values, from: [row, column] = [0, 0] }: VerifyCase) {
  if (row !== 0) throw new Error("a vector has one row, 0");
  let largest = 0;
  for (const [i, vector] of (await model.embed(texts!)).entries()) {
    for (const [c, value] of values![i]!.flat().entries()) {
      const difference = Math.abs((vector[column + c] ?? Number.NaN) - value);
      if (!(difference <= largest)) largest = difference;
    }
  }
  return largest;
}

/** The likeliest tokens behind the ids. */
export function compareGreedy(model: Decoder, { checkpoint, output, ids, tokens }: VerifyCase): Comparison {
  using cache = model.cache();
  let logits = cache.feed(ids!);
  const found = tokens!.map(() => {
    const likeliest = logits.indexOf(logits.reduce((most, logit) => Math.max(most, logit)));
    logits = cache.feed([likeliest]);
    return likeliest;
  });
  return { checkpoint, output, agrees: found.join() === tokens!.join(), found: found.join(" ") };
}

export async function compare(model: Encoder, one: VerifyCase): Promise<Comparison> {
  const { checkpoint, output, words, masked, tolerance = 1e-4 } = one;
  if (output === "fillMask") {
    const [fillings] = await model.fillMask(masked!, { topK: words!.length });
    const found = fillings!.map(({ tokenStr }) => tokenStr.trim());
    return { checkpoint, output, agrees: found.join(" ") === words!.join(" "), found: found.join(" ") };
  }
  const difference = output === "vectors" ? await differenceOfVectors(model, one) : differenceOf(model, one);
  return { checkpoint, output, agrees: difference <= tolerance, difference, tolerance };
}
