/**
 * An encoder in a GGUF file as the files that it was converted from: config.json, the files of sentence-transformers, and
 * its tensors as safetensors, whose bytes are made while they arrive. Names and keys are those of llama.cpp's converter.
 */
import type { ByteStream } from "../../module/platform.js";
import type { Json } from "../files/read.js";
import type { NamedBytes } from "../files/sentence-files.js";
import { refuse } from "../refuse.js";
import type { GgufForm } from "./form.js";
import { FORMS } from "./forms.js";
import { type GgufHeader, type GgufTensor, readHeader } from "./header.js";

export interface GgufEncoder {
  metadata: Json;
  /** config.json, parsed. */
  config: object;
  sentence: NamedBytes[];
  weights: ByteStream;
  /** Bytes of the GGUF file. */
  size: number;
}

/** Facts about an architecture besides its form. */
interface Own {
  /** Keys of ropes in config.json: of the metadata behind the architecture and a dot. Default: one base. */
  ropes?: Readonly<Record<string, string>>;
  /** The converter adds 1 to the gains of norms, which the layers add themselves. */
  addsOne?: true;
  /** Decoders, of which files with a type of pooling are embedders. */
  causal?: true;
}

/** By `general.architecture`, where there is something. */
const OWN: Readonly<Record<string, Own>> = {
  "gemma-embedding": {
    ropes: {
      rope_theta: "rope.freq_base",
      rope_local_base_freq: "rope.freq_base_swa",
      query_pre_attn_scalar: "attention.key_length",
    },
    addsOne: true,
  },
  qwen3: { causal: true },
  "modern-bert": { ropes: { global_rope_theta: "rope.freq_base", local_rope_theta: "rope.freq_base_swa" } },
  "nomic-bert": { ropes: { rotary_emb_base: "rope.freq_base" } },
};

/** Values of pooling_type. */
const POOLINGS = ["none", "mean", "cls", "lasttoken", "rank"];

class Encoder {
  readonly #fn: string;
  readonly #header: GgufHeader;
  readonly #name: string;
  readonly #architecture: GgufForm & Own;

  constructor(fn: string, header: GgufHeader) {
    this.#fn = fn;
    this.#header = header;
    const { "general.architecture": name } = header.metadata;
    if (typeof name !== "string" || !Object.hasOwn(FORMS, name))
      throw refuse.unsupported(
        fn,
        "general.architecture",
        name,
        `${Object.keys(FORMS).join(", ")}; \`decoder\` loads language models`,
      );
    this.#name = name;
    this.#architecture = { ...FORMS[name]!, ...OWN[name] };
  }

  #of(key: string): unknown {
    return this.#header.metadata[`${this.#name}.${key}`];
  }

  #number(key: string): number {
    const value = this.#of(key);
    if (typeof value === "number") return value;
    throw refuse.malformed(this.#fn, "gguf", `has no number ${this.#name}.${key}`);
  }

  #tensor(name: string): GgufTensor | undefined {
    return this.#header.tensors.find((tensor) => tensor.name === name);
  }

  /** Rows of a table; undefined where there is none. */
  #rows(name: string): number | undefined {
    return this.#tensor(`${name}.weight`)?.shape[0];
  }

  /** Keys that ask for what encoders do not do. */
  #check(): void {
    const heads = this.#number("attention.head_count");
    const width = this.#number("embedding_length") / heads;
    const usual: Record<string, unknown> = {
      "attention.causal": false,
      "attention.head_count_kv": heads,
      "attention.key_length": width,
      "attention.value_length": width,
      "rope.scaling.type": "none",
      "rope.scaling.factor": 1,
      expert_count: 0,
    };
    if (this.#architecture.groups)
      for (const key of Object.keys(usual)) if (/head_count_kv|_length$/.test(key)) delete usual[key];
    if (this.#architecture.causal === true) usual["attention.causal"] = true;
    // Behind the pooling, which these files have only where the converter was asked for it.
    if (this.#rows("dense_2") !== undefined)
      throw refuse.unsupported(this.#fn, "dense_2.weight", "a projection of the vectors of texts", "none");
    for (const [key, only] of Object.entries(usual)) {
      const value = this.#of(key) ?? only;
      if (value !== only) throw refuse.unsupported(this.#fn, `${this.#name}.${key}`, value, String(only));
    }
  }

  config(): object {
    this.#check();
    const { ropes = { rope_theta: "rope.freq_base" } } = this.#architecture;
    const { modelType, names, keys, switches = {}, texts, groups } = this.#architecture;
    const own = Object.entries({ ...keys, ...ropes })
      .map(([name, key]) => [name, this.#of(key)] as const)
      .filter(([, value]) => value !== undefined);
    const labels = "cls.output" in names ? this.#rows("cls.output") : undefined;
    // A key without a value is none, in JSON as well.
    return {
      model_type: modelType,
      vocab_size: this.#rows("token_embd"),
      hidden_size: this.#number("embedding_length"),
      num_hidden_layers: this.#number("block_count"),
      num_attention_heads: this.#number("attention.head_count"),
      intermediate_size: this.#number("feed_forward_length"),
      max_position_embeddings: this.#rows("position_embd") ?? this.#number("context_length"),
      type_vocab_size: "token_types" in names ? (this.#rows("token_types") ?? 0) : undefined,
      ...(groups && {
        num_key_value_heads: this.#of("attention.head_count_kv"),
        head_dim:
          this.#of("attention.key_length") ?? this.#number("embedding_length") / this.#number("attention.head_count"),
      }),
      ...(labels !== undefined && { architectures: ["ForSequenceClassification"], num_labels: labels }),
      ...Object.fromEntries(Object.entries(switches).map(([key, tensor]) => [key, this.#tensor(tensor) !== undefined])),
      ...texts,
      ...Object.fromEntries(own),
    };
  }

  /** Without a type of pooling there are none. */
  sentence(): NamedBytes[] {
    const type = this.#of("pooling_type") ?? 0;
    const mode = POOLINGS[type as number];
    const { causal, names } = this.#architecture;
    const ranks = mode === "rank" && "cls.output" in names && this.#rows("cls.output") !== undefined;
    if (mode === "none" && causal) {
      const allowed = `${Object.keys(FORMS).join(", ")}; this one with a pooling_type, as embedders have it`;
      throw refuse.unsupported(this.#fn, "general.architecture", this.#name, allowed);
    }
    if (mode === undefined || (mode === "rank" && !ranks)) {
      const allowed = "0 to 3: none, mean, first or last token; 4, rank, beside a classifier";
      throw refuse.unsupported(this.#fn, `${this.#name}.pooling_type`, type, allowed);
    }
    if (mode === "none" || ranks) return [];
    const modules = ["Transformer", "Pooling", "Normalize"].map((each) => ({
      type: each,
      path: each === "Pooling" ? each : "",
    }));
    const pooling = { word_embedding_dimension: this.#number("embedding_length"), pooling_mode: mode };
    return Object.entries({ "modules.json": modules, "Pooling/config.json": pooling }).map(([name, content]) => ({
      name,
      bytes: new TextEncoder().encode(JSON.stringify(content)),
    }));
  }

  /** The name in a checkpoint of Hugging Face; what is not known keeps its own. */
  #nameOf(name: string): string {
    const [, whole, ending] = /^(.*)(\.[^.]*)$/.exec(name) ?? [];
    if (whole === undefined) return name;
    const layer = /^blk\.(\d+)\./.exec(whole)?.[1] ?? "";
    const { names } = this.#architecture;
    const role = whole.replace(/^blk\.\d+\./, "blk.{}.");
    return Object.hasOwn(names, role) ? names[role]!.replace("{}", layer) + ending : name;
  }

  /** True for the gains of a norm to which the converter has added 1. */
  hasOneMore({ name, block }: GgufTensor): boolean {
    return this.#architecture.addsOne === true && name.endsWith("_norm.weight") && block.name === "F32";
  }

  /** The header of safetensors, and the size of all. */
  safetensors(): { header: Uint8Array; size: number } {
    let at = 0;
    const entries = this.#header.tensors.map((tensor) => {
      const begin = at;
      at += sizeOf(tensor);
      const dtype = tensor.block.read === undefined ? tensor.block.name : "F32";
      return [this.#nameOf(tensor.name), { dtype, shape: tensor.shape, data_offsets: [begin, at] }];
    });
    const text = JSON.stringify(Object.fromEntries(entries));
    const json = new TextEncoder().encode(text + " ".repeat((8 - (text.length % 8)) % 8));
    const header = new Uint8Array(8 + json.length);
    new DataView(header.buffer).setBigUint64(0, BigInt(json.length), true);
    header.set(json, 8);
    return { header, size: header.length + at };
  }
}

const sizeOf = ({ block, elements }: GgufTensor): number => elements * (block.read === undefined ? block.bytes : 4);

/** Bytes of a stream in pieces of the size that is asked for. */
class Source {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array(0);

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** Fewer at the end. */
  async take(count: number): Promise<Uint8Array> {
    const all = new Uint8Array(count);
    for (let at = 0; at < count; ) {
      if (this.#rest.length === 0) {
        const { done, value } = await this.#chunks.next();
        if (done) return all.subarray(0, at);
        this.#rest = value;
      }
      const part = this.#rest.subarray(0, count - at);
      all.set(part, at);
      at += part.length;
      this.#rest = this.#rest.subarray(part.length);
    }
    return all;
  }

  /** Passes over bytes. A file may say that there are any number of them. */
  async skip(count: number): Promise<void> {
    for (let left = count; left > 0; ) {
      const { length } = await this.take(Math.min(left, PIECE));
      if (length === 0) return;
      left -= length;
    }
  }

  /** Puts bytes before those that come next. */
  putBack(bytes: Uint8Array): void {
    const all = new Uint8Array(bytes.length + this.#rest.length);
    all.set(bytes);
    all.set(this.#rest, bytes.length);
    this.#rest = all;
  }

  close(): void {
    void this.#chunks.return?.()?.catch(() => {});
  }
}

/** Elements that are made of blocks at a time. */
const PIECE = 1 << 17;

/** Bytes of safetensors. A file that ends early ends them early. */
async function* converted(
  header: Uint8Array,
  { size, tensors }: GgufHeader,
  source: Source,
  hasOneMore: (tensor: GgufTensor) => boolean,
): AsyncGenerator<Uint8Array> {
  try {
    yield header;
    let at = size;
    for (const tensor of tensors) {
      const { block, begin, end } = tensor;
      const more = hasOneMore(tensor);
      await source.skip(begin - at);
      at = begin;
      while (at < end) {
        const bytes = await source.take(Math.min(end - at, (PIECE / block.elements) * block.bytes));
        if (bytes.length === 0) return;
        at += bytes.length;
        const { read } = block;
        if (more) {
          const gains = new Float32Array(bytes.slice(0, bytes.length & ~3).buffer);
          yield new Uint8Array(gains.map((gain) => gain - 1).buffer);
          continue;
        }
        if (read === undefined) {
          yield bytes;
          continue;
        }
        const count = Math.floor(bytes.length / block.bytes);
        const out = new Float32Array(count * block.elements);
        for (let i = 0; i < count; i++) read(bytes, i * block.bytes, out, i * block.elements);
        yield new Uint8Array(out.buffer);
      }
    }
  } finally {
    source.close();
  }
}

/** Reads the header. */
export async function readGgufEncoder(fn: string, stream: ByteStream): Promise<GgufEncoder> {
  const source = new Source(stream.chunks);
  try {
    const { header, bytes } = await readHeader(fn, (count) => source.take(count));
    const encoder = new Encoder(fn, header);
    const config = encoder.config();
    const sentence = encoder.sentence();
    const { header: first, size } = encoder.safetensors();
    source.putBack(bytes.subarray(header.size));
    const end = Math.max(header.size, header.tensors.at(-1)?.end ?? 0);
    if (header.size > bytes.length) await source.take(header.size - bytes.length);
    return {
      metadata: header.metadata,
      config,
      sentence,
      weights: { size, chunks: converted(first, header, source, (tensor) => encoder.hasOneMore(tensor)) },
      size: end,
    };
  } catch (error) {
    source.close();
    throw error;
  }
}
