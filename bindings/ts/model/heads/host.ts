/** Heads behind the last hidden state or the logits of words, and the parts of a model that they work with. */
import type { EncoderOutput, Floats, ReadOutputs } from "../encoder-output.js";
import type { FileSet } from "../files/model-files.js";
import type { Json } from "../files/read.js";
import type { CancelOptions, EmbedFacts, EmbedOptions, TruncationOptions } from "../text/embed-options.js";
import type { Encoded, Framed } from "../text/encoded.js";
import type { LayerRope } from "../text/encoder-base.js";
import type { Tokenizer } from "../text/tokenizer.js";
import type { Gives } from "./gives.js";
import type { Form, Side } from "./surface.js";

/** Facts about a loaded model. */
export interface EncoderFacts extends EmbedFacts {
  config: Json;
  modelType: string;
  parameterCount: number;
  maxTokens: number;
  notes: readonly string[];
  ropes: readonly LayerRope[];
  /** Rows of the table of words. */
  vocabulary: number;
  /** Rows of the table of token types. */
  tokenTypes: number;
  lowerCase: boolean;
  gives: readonly Gives[];
  /** In place of one vector for a text. */
  head?: Head;
  /** Writes the pairs of a causal reranker. */
  template?: PairTemplate;
  /** Changes the tokens of every text. */
  frame?: (framed: Framed) => Framed;
}

/** The chat template of a causal reranker. */
export interface PairTemplate {
  /** Makes ids of queries and documents, at most `most`, and says how many there were. "": the template's instruction. */
  framer(
    fn: string,
    tokenizer: Tokenizer,
    instruction: string,
    most: number,
  ): (query: string, document: string) => { encoded: Encoded; tokens: number };
}

/** Passes of one call: from the indices of texts of the same length to their outputs. */
export interface Passes {
  /** Tokens of each text. */
  texts: readonly Encoded[];
  outputs: ReadOutputs;
  signal: AbortSignal | undefined;
  /** Called once for each group, in any order. */
  use(output: EncoderOutput, group: readonly number[]): void;
}

/** The parts of a model that heads work with. */
export interface HeadHost {
  readonly facts: EncoderFacts;
  readonly maxTokens: number;
  /** Throws where the model came without one. */
  tokenizer(fn: string): Tokenizer;
  /** Texts or pairs with their special tokens, cut to `most` tokens; `most` is `maxTokens` unless given. */
  truncated(
    fn: string,
    pairs: readonly (readonly [first: string, pair?: string])[],
    options: CancelOptions & TruncationOptions,
    most?: number,
  ): Promise<Framed[]>;
  run(fn: string, passes: Passes): Promise<void>;
  embed(texts: readonly string[], options: EmbedOptions): Promise<Floats[]>;
}

/** A head that has been read; it is loaded with the model, since `forward` cannot wait for it. */
export interface Head<Vector = unknown> {
  readonly kind: "tokens" | "sparse";
  /** Entries of a vector; undefined: as many as there are words. */
  readonly dimensions: number | undefined;
  /** The head's output of a pass: [B, T, n] or [B, V]. */
  outputOf(output: EncoderOutput, attentionMask: Int32Array | undefined, batch: number, sequence: number): Floats;
  embed(
    host: HeadHost,
    fn: string,
    texts: readonly string[],
    side: Side,
    options: CancelOptions & TruncationOptions,
  ): Promise<Vector[]>;
}

/** Reads the files of a head. */
export type ReadHead = (fn: string, files: FileSet, form: Form) => Promise<Head>;
