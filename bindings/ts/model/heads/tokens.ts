/**
 * Late interaction: a vector for each token, as PyLate and sentence-transformers make them. Linear layers work on every
 * token, and each row has unit length.
 */
import { type EncoderOutput, type Floats, onlyOutputs } from "../encoder-output.js";
import type { FileSet } from "../files/model-files.js";
import { bytesOf, type Json, needed, readJson } from "../files/read.js";
import { refuse } from "../refuse.js";
import type { CancelOptions, TruncationOptions } from "../text/embed-options.js";
import type { Framed } from "../text/encoded.js";
import type { Tokenizer } from "../text/tokenizer.js";
import type { Head, HeadHost } from "./host.js";
import { promptOfSide } from "./sides.js";
import type { Form, Side, TokenVectors } from "./surface.js";
import { readTensors, tensorNamed } from "./tensors.js";
import { toUnit } from "./unit.js";

/** y = activation(W x + b), W [outputs, inputs]. */
interface Dense {
  inputs: number;
  outputs: number;
  weight: Float32Array;
  bias: Float32Array | undefined;
  rectified: boolean;
}

/** The choices of a side of the search. */
interface SideSettings {
  /** A token behind the first, "" for none. */
  prefix: string;
  /** The longest text in tokens, with the prefix. */
  most: number;
  /** Tokens that fill a text up to so many; 0: none. */
  expanded: number;
  skips: boolean;
}

interface Settings {
  query: SideSettings;
  document: SideSettings;
  /** True if other tokens see those that fill. */
  attend: boolean;
  skiplist: readonly string[];
}

const PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";

/** A value of a file, or the default; null stands for nothing. */
function settingOf<T>(
  fn: string,
  file: string,
  config: Json,
  key: string,
  isRight: (value: unknown) => boolean,
  or: T,
): T {
  const value = config[key] ?? undefined;
  if (value === undefined) return or;
  if (isRight(value)) return value as T;
  throw refuse.malformed(fn, file, `has ${JSON.stringify(value)} for \`${key}\``);
}
const isText = (value: unknown) => typeof value === "string";
const isSwitch = (value: unknown) => typeof value === "boolean";
const isCount = (value: unknown) => Number.isInteger(value) && (value as number) >= 1;
const isTexts = (value: unknown) => Array.isArray(value) && value.every(isText);

const PROMPTS = "config_sentence_transformers.json";

/** PyLate's keys, with its defaults. */
function readPyLate(fn: string, config: Json): Settings {
  const of = <T>(key: string, isRight: (value: unknown) => boolean, or: T) =>
    settingOf(fn, PROMPTS, config, key, isRight, or);
  const expands = of("do_query_expansion", isSwitch, true);
  const length = of("query_length", isCount, 32);
  return {
    query: { prefix: of("query_prefix", isText, "[Q] "), most: length, expanded: expands ? length : 0, skips: false },
    document: {
      prefix: of("document_prefix", isText, "[D] "),
      most: of("document_length", isCount, 180),
      expanded: 0,
      skips: true,
    },
    attend: expands && of("attend_to_expansion_tokens", isSwitch, false),
    skiplist: of("skiplist_words", isTexts, [...PUNCTUATION]),
  };
}

/** Those of sentence-transformers: lengths and expansion of the transformer, skipped words of MultiVectorMask. */
function readSentence(fn: string, file: string, lengths: Json, maskFile: string, mask: Json): Settings {
  const of = <T>(key: string, isRight: (value: unknown) => boolean, or: T) =>
    settingOf(fn, file, lengths, key, isRight, or);
  const expansion = of<Json>("query_expansion", (value) => typeof value === "object", {});
  const { strategy = "fixed", length = 32, attend = false, ...others } = expansion;
  const expands = lengths.query_expansion != null;
  if (!["fixed", "min"].includes(strategy as string) || !isCount(length) || !isSwitch(attend) || Object.keys(others)[0])
    throw refuse.unsupported(
      fn,
      `${file}: query_expansion`,
      JSON.stringify(expansion),
      "`strategy`, `length`, `attend`",
    );
  if (mask.keep_only_token_ids != null)
    throw refuse.unsupported(fn, `${maskFile}: keep_only_token_ids`, "a list", "null: pictures are not read");
  const tasks = mask.skiplist_tasks ?? ["document"];
  const skips = (side: Side) => [tasks].flat().includes(side);
  const most = of("query_length", isCount, Number.POSITIVE_INFINITY);
  return {
    query: {
      prefix: "",
      most: expands && strategy === "fixed" ? Math.min(most, length as number) : most,
      expanded: expands ? (length as number) : 0,
      skips: skips("query"),
    },
    document: {
      prefix: "",
      most: of("document_length", isCount, Number.POSITIVE_INFINITY),
      expanded: 0,
      skips: skips("document"),
    },
    attend: attend as boolean,
    skiplist: settingOf(fn, maskFile, mask, "skiplist_words", isTexts, []),
  };
}

const PYLATE_KEYS = [
  "query_prefix",
  "document_prefix",
  "do_query_expansion",
  "skiplist_words",
  "attend_to_expansion_tokens",
];

const inFolder = (path: string, name: string): string => (path === "" ? name : `${path}/${name}`);

async function readSettings(fn: string, files: FileSet, { modules }: Form): Promise<Settings> {
  const config = (await readJson(fn, files, PROMPTS)) ?? {};
  if (PYLATE_KEYS.some((key) => config[key] != null)) return readPyLate(fn, config);
  const file = inFolder(modules[0]!.path, "sentence_bert_config.json");
  const lengths = (await readJson(fn, files, file)) ?? {};
  const mask = modules.find(({ kind }) => kind === "MultiVectorMask");
  const maskFile = inFolder(mask?.path ?? "", "config.json");
  const masked = mask && (await readJson(fn, files, maskFile));
  return readSentence(fn, file, lengths, maskFile, masked ?? {});
}

async function readDense(fn: string, files: FileSet, path: string): Promise<Dense> {
  const file = inFolder(path, "config.json");
  const config = await needed(fn, files, file, readJson(fn, files, file));
  const { in_features: inputs, out_features: outputs, bias = true, activation_function: activation = "Tanh" } = config;
  if (!isCount(inputs) || !isCount(outputs))
    throw refuse.malformed(fn, file, "has no `in_features` and `out_features`");
  const name = String(activation).replace(/^.*\./, "");
  if (name !== "Identity" && name !== "ReLU")
    throw refuse.unsupported(fn, `${file}: activation_function`, activation, "Identity or ReLU for vectors of tokens");
  if (config.use_residual) throw refuse.unsupported(fn, `${file}: use_residual`, true, "false");
  const weights = inFolder(path, "model.safetensors");
  const content = await needed(fn, files, weights, files.open(weights));
  if ("parsed" in content) throw refuse.type(fn, weights, content.parsed, "bytes, a Blob, a URL or a path");
  const tensors = readTensors(fn, weights, await bytesOf(content.stream));
  const tensor = (key: string, shape: number[]) => tensorNamed(fn, weights, tensors, key, shape).values();
  return {
    inputs: inputs as number,
    outputs: outputs as number,
    weight: tensor("linear.weight", [outputs as number, inputs as number]),
    bias: bias ? tensor("linear.bias", [outputs as number]) : undefined,
    rectified: name === "ReLU",
  };
}

function apply({ inputs, outputs, weight, bias, rectified }: Dense, x: ArrayLike<number>): Float64Array {
  const y = new Float64Array(outputs);
  for (let o = 0; o < outputs; o++) {
    let sum = 0;
    for (let i = 0, at = o * inputs; i < inputs; i++, at++) sum += x[i]! * weight[at]!;
    if (bias !== undefined) sum += bias[o]!;
    y[o] = rectified ? Math.max(0, sum) : sum;
  }
  return y;
}

/** A text as the model reads it, and the tokens whose vectors are compared. */
interface Dressed {
  encoded: Framed["encoded"];
  kept: number[];
}

class TokenHead implements Head<TokenVectors> {
  readonly kind = "tokens";
  readonly dimensions: number | undefined;
  readonly #layers: readonly Dense[];
  readonly #settings: Settings;
  #skipped: ReadonlySet<number> | undefined;

  constructor(layers: readonly Dense[], settings: Settings) {
    this.#layers = layers;
    this.#settings = settings;
    this.dimensions = layers.at(-1)?.outputs;
  }

  /** [n] of the hidden state of one token. */
  #vectorOf(hidden: Floats): Float64Array {
    let x = Float64Array.from(hidden);
    for (const layer of this.#layers) x = apply(layer, x) as typeof x;
    return toUnit(x);
  }

  outputOf(
    { lastHiddenState: hidden }: EncoderOutput,
    mask: Int32Array | undefined,
    batch: number,
    sequence: number,
  ): Floats {
    const tokens = batch * sequence;
    const width = hidden.length / tokens;
    const vectors = new Float32Array(tokens * (this.dimensions ?? width));
    for (let t = 0; t < tokens; t++)
      if (mask?.[t] !== 0) {
        const row = this.#vectorOf(hidden.subarray(t * width, (t + 1) * width));
        vectors.set(row, t * row.length);
      }
    return vectors;
  }

  /** Ids of words that have a token of their own. */
  #skips(tokenizer: Tokenizer): ReadonlySet<number> {
    const idOf = (word: string) => tokenizer.idOf(word);
    this.#skipped ??= new Set(this.#settings.skiplist.flatMap((word) => idOf(word) ?? []));
    return this.#skipped;
  }

  #dress(fn: string, tokenizer: Tokenizer, { encoded }: Framed, side: Side): Dressed {
    const { prefix, expanded, skips } = this.#settings[side];
    const inputIds = [...encoded.inputIds];
    if (prefix !== "") {
      const id = tokenizer.idOf(prefix);
      if (id === undefined) throw refuse.lacking(fn, `the tokenizer has no token ${JSON.stringify(prefix)}`);
      inputIds.splice(1, 0, id);
    }
    const length = inputIds.length;
    const fill = Math.max(0, expanded - length);
    if (fill > 0 && tokenizer.maskId === undefined)
      throw refuse.lacking(fn, "the tokenizer has no mask, which queries are filled with");
    for (let i = 0; i < fill; i++) inputIds.push(tokenizer.maskId!);
    const skipped = skips ? this.#skips(tokenizer) : undefined;
    const seen = this.#settings.attend ? inputIds.length : length;
    return {
      encoded: {
        inputIds,
        tokenTypeIds: inputIds.map(() => 0),
        attentionMask: inputIds.map((_, i) => Number(i < seen)),
        tokens: encoded.tokens,
      },
      kept: [...inputIds.keys()].filter((i) => !skipped?.has(inputIds[i]!)),
    };
  }

  async embed(
    host: HeadHost,
    fn: string,
    texts: readonly string[],
    side: Side,
    options: CancelOptions & TruncationOptions,
  ): Promise<TokenVectors[]> {
    const { prefix, most } = this.#settings[side];
    const prompt = promptOfSide(host.facts, side);
    const longest = Math.min(host.maxTokens, most) - Number(prefix !== "");
    const pairs = texts.map((text) => [prompt + text] as const);
    const framed = await host.truncated(fn, pairs, options, longest);
    const dressed = framed.map((each) => this.#dress(fn, host.tokenizer(fn), each, side));
    const found: TokenVectors[] = new Array(texts.length);
    await host.run(fn, {
      texts: dressed.map(({ encoded }) => encoded),
      outputs: onlyOutputs({}),
      signal: options.signal,
      use: ({ lastHiddenState: hidden }, group) => {
        group.forEach((index, i) => {
          const { encoded, kept } = dressed[index]!;
          const tokens = encoded.inputIds.length;
          const width = hidden.length / group.length / tokens;
          const n = this.dimensions ?? width;
          const vectors = new Float32Array(kept.length * n);
          kept.forEach((token, row) => {
            const at = (i * tokens + token) * width;
            vectors.set(this.#vectorOf(hidden.subarray(at, at + width)), row * n);
          });
          const ids = Int32Array.from(kept, (token) => encoded.inputIds[token]!);
          found[index] = { vectors, rows: kept.length, ids };
        });
      },
    });
    return found;
  }
}

export async function readTokenHead(fn: string, files: FileSet, form: Form): Promise<Head> {
  const layers: Dense[] = [];
  for (const { kind, path } of form.modules) if (kind === "Dense") layers.push(await readDense(fn, files, path));
  layers.forEach((layer, i) => {
    const before = layers[i - 1];
    if (before !== undefined && before.outputs !== layer.inputs)
      throw refuse.malformed(
        fn,
        "modules.json",
        `has a Dense of ${layer.inputs} inputs behind ${before.outputs} outputs`,
      );
  });
  return new TokenHead(layers, await readSettings(fn, files, form));
}
