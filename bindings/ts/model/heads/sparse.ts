/** SPLADE: a weight for each word of the vocabulary, from the logits of the masked language model. */
import { type EncoderOutput, type Floats, onlyOutputs } from "../encoder-output.js";
import type { FileSet } from "../files/model-files.js";
import { readJson } from "../files/read.js";
import { refuse } from "../refuse.js";
import type { CancelOptions, TruncationOptions } from "../text/embed-options.js";
import type { Head, HeadHost } from "./host.js";
import { promptOfSide } from "./sides.js";
import type { Form, Side, SparseVector } from "./surface.js";
import { exactLog1p } from "./unit.js";

const STRATEGIES = ["max", "sum"];
/** Names of the activation, and how often ln(1 + x) is taken of max(x, 0). */
const ACTIVATIONS: Readonly<Record<string, number>> = { relu: 1, log1p_relu: 2 };

class SparseHead implements Head<SparseVector> {
  readonly kind = "sparse";
  readonly dimensions = undefined;
  readonly #sums: boolean;
  readonly #times: number;

  constructor(sums: boolean, times: number) {
    this.#sums = sums;
    this.#times = times;
  }

  #weight(logit: number): number {
    let x = Math.max(logit, 0);
    for (let i = 0; i < this.#times; i++) x = exactLog1p(x);
    return x;
  }

  outputOf({ logits }: EncoderOutput, mask: Int32Array | undefined, batch: number, sequence: number): Floats {
    const width = logits!.length / batch / sequence;
    const weights = new Float32Array(batch * width);
    const one = new Float64Array(width);
    for (let b = 0; b < batch; b++) {
      one.fill(0);
      for (let t = b * sequence; t < (b + 1) * sequence; t++) {
        if (mask?.[t] === 0) continue;
        const row = logits!.subarray(t * width, (t + 1) * width);
        // The weight rises with the logit, so that the largest logit has the largest.
        for (let v = 0; v < width; v++)
          if (row[v]! > 0) one[v] = this.#sums ? one[v]! + this.#weight(row[v]!) : Math.max(one[v]!, row[v]!);
      }
      for (let v = 0; v < width; v++)
        if (one[v]! > 0) weights[b * width + v] = this.#sums ? one[v]! : this.#weight(one[v]!);
    }
    return weights;
  }

  async embed(
    host: HeadHost,
    fn: string,
    texts: readonly string[],
    side: Side,
    options: CancelOptions & TruncationOptions,
  ): Promise<SparseVector[]> {
    const prompt = promptOfSide(host.facts, side);
    const framed = await host.truncated(
      fn,
      texts.map((text) => [prompt + text] as const),
      options,
    );
    const found: SparseVector[] = new Array(texts.length);
    await host.run(fn, {
      texts: framed.map(({ encoded }) => encoded),
      outputs: onlyOutputs({ logits: true }),
      signal: options.signal,
      use: (output, group) => {
        const sequence = framed[group[0]!]!.encoded.inputIds.length;
        const weights = this.outputOf(output, undefined, group.length, sequence);
        const width = weights.length / group.length;
        group.forEach((index, i) => {
          const row = weights.subarray(i * width, (i + 1) * width);
          const ids = Int32Array.from(row.keys()).filter((id) => row[id]! > 0);
          found[index] = { ids, weights: Float32Array.from(ids, (id) => row[id]!) };
        });
      },
    });
    return found;
  }
}

export async function readSparseHead(fn: string, files: FileSet, { modules }: Form): Promise<Head> {
  const pooling = modules.find(({ kind }) => kind === "SpladePooling");
  const file = `${pooling?.path}/config.json`;
  const config = (pooling && (await readJson(fn, files, file))) ?? {};
  const { pooling_strategy: strategy = "max", activation_function: activation = "relu" } = config;
  if (!STRATEGIES.includes(strategy as string))
    throw refuse.unsupported(fn, `${file}: pooling_strategy`, strategy, '"max" or "sum"');
  const times = ACTIVATIONS[activation as string];
  if (times === undefined)
    throw refuse.unsupported(fn, `${file}: activation_function`, activation, '"relu" or "log1p_relu"');
  return new SparseHead(strategy === "sum", times);
}
