/** One case on one model. */
import type { Encoder } from "../../entries/node.js";
import type { VerifyCase } from "./cases.js";

export interface Comparison {
  checkpoint: string;
  output: VerifyCase["output"];
  agrees: boolean;
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

export async function compare(model: Encoder, one: VerifyCase): Promise<Comparison> {
  const { checkpoint, output, words, masked, tolerance = 1e-4 } = one;
  if (output === "fillMask") {
    const [fillings] = await model.fillMask(masked!, { topK: words!.length });
    const found = fillings!.map(({ tokenStr }) => tokenStr.trim());
    return { checkpoint, output, agrees: found.join(" ") === words!.join(" "), found: found.join(" ") };
  }
  const difference = differenceOf(model, one);
  return { checkpoint, output, agrees: difference <= tolerance, difference, tolerance };
}
