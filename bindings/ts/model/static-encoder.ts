/** An encoder without a transformer, whose vectors are means of rows of a table. */
import type { Owner } from "../module/handle.js";
import type { EncoderOutput } from "./encoder-output.js";
import type { Passes } from "./heads/host.js";
import type { StaticModel } from "./heads/static.js";
import { refuse } from "./refuse.js";
import { Pace } from "./text/pace.js";
import { TextModel } from "./text/text-model.js";
import type { Tokenizer } from "./text/tokenizer.js";

export class StaticEncoder extends TextModel {
  readonly #model: StaticModel;

  constructor(owner: Owner, model: StaticModel, tokenizer: Tokenizer | undefined) {
    super(owner, model.facts, tokenizer, () => {});
    this.#model = model;
  }

  forward(): never {
    this.assertLive("forward");
    throw refuse.lacking("forward", "a static model has no layers; `embed` gives its vectors");
  }

  /** Its vector of a text without tokens is 0. */
  protected override get fewestTokens(): number {
    return 0;
  }

  protected async run({ texts, outputs, signal, use }: Passes): Promise<void> {
    const pace = new Pace();
    for (const [index, { inputIds }] of texts.entries()) {
      await pace.breathe(signal);
      this.assertLive("embed");
      const sentenceEmbedding = this.#model.vectorOf("embed", inputIds, outputs);
      use({ sentenceEmbedding } as EncoderOutput, [index]);
    }
  }
}
