/** Metadata of GGUF files: from the beginning of the file, and of its tensors those few that divide frequencies. */

import { type ByteSource, streamOf } from "../module/bytes.js";
import type { Core } from "../module/core.js";
import { failure } from "../module/errors.js";
import type { NativeAnalysis } from "../module/native.js";
import type { ByteStream, Open } from "../module/platform.js";
import type { LoadProgress } from "../module/receive.js";

const FN = "ggufMetadata";
/** Pairs of a head, layers and the like have fewer, every vocabulary more. */
const LONGEST_ARRAY = 4096;
const FACTORS = ["rope_freqs.weight", "rope_factors_long.weight", "rope_factors_short.weight"];
/** A gap that is read rather than asked for again. */
const SHORT_GAP = 1 << 24;

interface GgufTensor {
  name: string;
  type: string;
  /** Sizes, the fastest first. */
  shape: number[];
  /** Place of the first byte in the file. */
  offset: number;
  bytes: number;
}

interface GgufHeader {
  metadata: Record<string, unknown>;
  tensors: GgufTensor[];
}

/** A stream from its beginning to its end, part by part. */
class Forward {
  #chunk = new Uint8Array(0);
  /** Bytes of the file that were handed out or skipped. */
  #at: number;
  /** The beginning of the file, as far as the header was looked for in it. */
  beginning = new Uint8Array(0);
  readonly #chunks: AsyncIterator<Uint8Array>;

  constructor(
    readonly size: number | undefined,
    stream: ByteStream,
    at = 0,
  ) {
    this.#chunks = stream.chunks[Symbol.asyncIterator]();
    this.#at = at;
  }

  get at(): number {
    return this.#at;
  }

  /** The next bytes, `most` at most; undefined at the end. */
  async next(most: number): Promise<Uint8Array | undefined> {
    while (this.#chunk.length === 0) {
      const { done, value } = await this.#chunks.next();
      if (done) return undefined;
      this.#chunk = value as Uint8Array<ArrayBuffer>;
    }
    const taken = this.#chunk.subarray(0, most);
    this.#chunk = this.#chunk.subarray(taken.length);
    this.#at += taken.length;
    return taken;
  }

  /** The bytes from `offset` on: ahead, or in the beginning that was kept. */
  async read(offset: number, size: number): Promise<Uint8Array> {
    while (this.#at < offset) {
      if ((await this.next(offset - this.#at)) === undefined) break;
    }
    const out = new Uint8Array(size);
    const kept = this.beginning.subarray(offset, offset + size);
    out.set(kept);
    let filled = kept.length;
    while (filled < size) {
      const part = await this.next(size - filled);
      if (part === undefined) throw failure("range", FN, `the file ends at byte ${this.#at}, inside a tensor`);
      out.set(part, filled);
      filled += part.length;
    }
    return out;
  }

  async close(): Promise<void> {
    await this.#chunks.return?.();
  }
}

/** Bytes from the module's own reader of headers; undefined while it takes more than `have`. */
function headerOf(
  core: Core<NativeAnalysis>,
  have: Uint8Array,
  fileSize: number | undefined,
): GgufHeader | { needed: number } {
  const address = core.allocate(FN, "`source`", have.length);
  try {
    core.bytes(address, have.length).set(have);
    if (core.native._ropewalk_gguf_header(address, have.length, fileSize ?? -1, LONGEST_ARRAY) !== 0)
      throw core.failureOfFile(FN);
    return JSON.parse(core.text()) as GgufHeader | { needed: number };
  } finally {
    core.free(address);
  }
}

async function readHeader(
  core: Core<NativeAnalysis>,
  file: Forward,
  { onProgress, signal }: LoadProgress,
): Promise<GgufHeader> {
  let bytes = new Uint8Array(1 << 16);
  let size = 0;
  let needed = 24;
  for (;;) {
    signal?.throwIfAborted();
    const part = await file.next(1 << 20);
    if (part !== undefined) {
      if (size + part.length > bytes.length) {
        const larger = new Uint8Array(Math.max(size + part.length, 2 * bytes.length));
        larger.set(bytes.subarray(0, size));
        bytes = larger;
      }
      bytes.set(part, size);
      size += part.length;
      onProgress?.(size, file.size);
      if (size < needed) continue;
    }
    // At the end of the file its size is known, so that a header that goes on is refused.
    const header = headerOf(core, bytes.subarray(0, size), part === undefined ? size : file.size);
    if ("metadata" in header) {
      file.beginning = bytes.subarray(0, size);
      return header;
    }
    needed = Math.max(header.needed, Math.min(2 * size, size + SHORT_GAP));
  }
}

/** For what is no location. */
const unopened: Open = () => Promise.reject();

/** The same file from `offset` on, if that is cheaper than to read up to there. */
async function ahead(source: ByteSource, file: Forward, offset: number, signal?: AbortSignal): Promise<Forward> {
  if (offset - file.at <= SHORT_GAP) return file;
  if (source instanceof Blob) {
    await file.close();
    return new Forward(source.size, await streamOf(FN, "source", source.slice(offset), unopened, signal), offset);
  }
  if ((typeof source !== "string" && !(source instanceof URL)) || !/^https?:/i.test(String(source))) return file;
  const options = { headers: { range: `bytes=${offset}-` }, ...(signal === undefined ? {} : { signal }) };
  const response = await fetch(source, options);
  const range = response.headers.get("content-range");
  const isAsked = response.status === 206 && (range === null || range.startsWith(`bytes ${offset}-`));
  if (!isAsked || response.body === null || response.headers.get("content-type")?.startsWith("multipart/")) {
    // The server sends whole files, or another part: then what is open already is as good.
    await response.body?.cancel();
    return file;
  }
  await file.close();
  return new Forward(file.size, await streamOf(FN, "source", response, unopened, signal), offset);
}

function factorsOf(tensor: GgufTensor, bytes: Uint8Array): number[] {
  if (tensor.type !== "F32") {
    throw failure("type", FN, `the tensor "${tensor.name}" has the type ${tensor.type}; allowed: F32`);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: bytes.length / 4 }, (_, i) => view.getFloat32(4 * i, true));
}

export async function ggufMetadata(
  core: Core<NativeAnalysis>,
  open: Open,
  source: ByteSource,
  options: LoadProgress,
): Promise<Record<string, unknown>> {
  const { signal } = options;
  signal?.throwIfAborted();
  const stream = await streamOf(FN, "source", source, open, signal);
  let file = new Forward(stream.size, stream);
  try {
    const { metadata, tensors } = await readHeader(core, file, options);
    for (const tensor of tensors) {
      if (!FACTORS.includes(tensor.name)) continue;
      const { name, offset, bytes } = tensor;
      if (bytes > 4 * LONGEST_ARRAY) {
        throw failure("range", FN, `the tensor "${name}" has ${bytes} bytes; allowed: up to ${4 * LONGEST_ARRAY}`);
      }
      signal?.throwIfAborted();
      file = await ahead(source, file, offset, signal);
      metadata[name] = factorsOf(tensor, await file.read(offset, bytes));
    }
    return metadata;
  } finally {
    await file.close();
  }
}
