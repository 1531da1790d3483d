/**
 * Weights on their way into the module: first the headers of all files, then each file in turn, through a window in the
 * module's memory. JavaScript holds one chunk of a stream at a time.
 */
import type { Core } from "../../module/core.js";
import type { NativeEncoderLoader } from "../../module/native.js";
import type { ByteStream } from "../../module/platform.js";
import type { LoadProgress } from "../../module/receive.js";
import { refuse } from "../refuse.js";
import { cancelUnread } from "./weights.js";

/** A loader of encoders or decoders, and the window through which files reach it. */
type NativeLoader<Made> = Omit<NativeEncoderLoader, "finish"> & { finish(): Made | null };

/** The memory that a model needs, known before its weights are read. */
export interface ModelSize {
  /** Elements of all parameters; a tied weight counts once. */
  parameters: number;
  /** Bytes to be read. */
  download: number;
  /** Bytes of WebAssembly memory after loading, and the largest while loading. */
  memory: { loaded: number; peak: number };
  /**
   * Names of the tensors that `precision: "int8"` keeps in 8 bits with a scale for each row, as a checkpoint may hold them;
   * none of a decoder's.
   */
  matrices: string[];
}

/** Says by its first bytes that a file is no weights; undefined where nothing shows it. */
function notWeights(bytes: Uint8Array): string | undefined {
  // Browsers decode no memory that workers share.
  const text = new TextDecoder().decode(bytes.slice());
  if (/^\s*<[!h]/i.test(text)) return "is a web page, so no such file is there";
  return text.startsWith("version https://git-lfs")
    ? "is a pointer of Git LFS: `git lfs pull` gets the file"
    : undefined;
}

/** A file whose bytes are taken in portions of any size. */
export class Incoming {
  readonly size: number | undefined;
  /** The size to hold the header to: servers may be wrong about theirs. */
  readonly trustedSize: number | undefined;
  readonly name: string | undefined;
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #cancel: () => void;
  #rest: Uint8Array = new Uint8Array(0);

  constructor(stream: ByteStream) {
    const { size, chunks, response, name } = stream;
    this.#cancel = () => cancelUnread(stream);
    this.size = size;
    this.trustedSize = response === undefined ? size : undefined;
    this.name = name;
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** At most so many of the next bytes; undefined at the end of the file. */
  async peek(most: number): Promise<Uint8Array | undefined> {
    while (this.#rest.length === 0) {
      const { done, value } = await this.#chunks.next();
      if (done) return undefined;
      this.#rest = value;
    }
    return this.#rest.subarray(0, most);
  }

  take(count: number): void {
    this.#rest = this.#rest.subarray(count);
  }

  /** Ends the stream, wherever it is. Nobody waits for that. */
  close(): void {
    void this.#chunks.return?.()?.catch(() => {});
    this.#cancel();
  }
}

class Weights<Made> {
  readonly #fn: string;
  readonly #core: Core;
  readonly #loader: NativeLoader<Made>;
  readonly #files: readonly Incoming[];
  readonly #progress: LoadProgress;
  #total: number | undefined;
  #loaded = 0;

  constructor(
    fn: string,
    core: Core,
    loader: NativeLoader<Made>,
    streams: readonly ByteStream[],
    progress: LoadProgress,
  ) {
    this.#fn = fn;
    this.#core = core;
    this.#loader = loader;
    this.#files = streams.map((stream) => new Incoming(stream));
    this.#progress = progress;
    const total = this.#files.reduce((sum, { size }) => sum + (size ?? Number.NaN), 0);
    this.#total = Number.isNaN(total) ? undefined : total;
  }

  /** Puts the next bytes of a file into the window, and says how many; 0 at its end. `use` says how many it has taken. */
  async #pass(file: Incoming, use: (count: number) => number): Promise<number> {
    const { onProgress, signal } = this.#progress;
    signal?.throwIfAborted();
    const bytes = await file.peek(this.#loader.windowSize());
    signal?.throwIfAborted();
    if (bytes === undefined) return 0;
    this.#core.bytes(this.#loader.window(), bytes.length).set(bytes);
    const taken = use(bytes.length);
    if (taken < 0) throw this.#core.failureOfFile(this.#fn, file.name);
    file.take(taken);
    this.#loaded += taken;
    onProgress?.(this.#loaded, this.#total);
    return bytes.length;
  }

  async readHeaders(): Promise<void> {
    for (const [i, file] of this.#files.entries()) {
      const why = notWeights((await file.peek(64)) ?? new Uint8Array(0));
      if (why !== undefined) throw refuse.malformed(this.#fn, file.name ?? "files", why);
      const use = (count: number) => this.#loader.readHeader(i, count, file.trustedSize ?? -1);
      while (!this.#loader.hasHeader(i)) {
        // A file that ends here is refused by match().
        if ((await this.#pass(file, use)) === 0) break;
      }
    }
    if (this.#loader.match() !== 0) throw this.#core.failureOfFile(this.#fn);
    // A server that compresses does not say how many bytes will come. The headers do.
    this.#total ??= this.#loader.download();
  }

  async readTensors(): Promise<void> {
    if (this.#loader.reserve() !== 0) throw this.#core.failureOfFile(this.#fn);
    for (const [i, file] of this.#files.entries()) {
      const use = (count: number) => (this.#loader.read(i, count) === 0 ? count : -1);
      while ((await this.#pass(file, use)) > 0);
    }
  }

  finish(): Made {
    const native = this.#loader.finish();
    if (native === null) throw this.#core.failureOfFile(this.#fn);
    return native;
  }

  close(): void {
    for (const file of this.#files) file.close();
    this.#loader.delete();
  }
}

/**
 * Makes a model. `loader`, made for as many files, is deleted. `afterHeaders` runs while the headers are in memory and the
 * weights are not, `beforeFinish` once they are.
 */
export async function loadFrom<Made>(
  fn: string,
  core: Core,
  loader: NativeLoader<Made>,
  streams: readonly ByteStream[],
  progress: LoadProgress,
  { afterHeaders, beforeFinish }: { afterHeaders?: () => void; beforeFinish?: () => Promise<void> } = {},
): Promise<Made> {
  const weights = new Weights(fn, core, loader, streams, progress);
  try {
    await weights.readHeaders();
    afterHeaders?.();
    await weights.readTensors();
    await beforeFinish?.();
    return weights.finish();
  } finally {
    weights.close();
  }
}

/** Computes the model's needs from the headers alone. `loader` is deleted. */
export async function sizeOf(
  fn: string,
  core: Core,
  loader: NativeLoader<unknown>,
  streams: readonly ByteStream[],
  progress: LoadProgress,
): Promise<ModelSize> {
  const weights = new Weights(fn, core, loader, streams, progress);
  try {
    await weights.readHeaders();
    const memory = { loaded: loader.bytesLoaded(), peak: loader.bytesAtPeak() };
    loader.quantisedByRows();
    const matrices = core.text().split("\n").filter(Boolean);
    return { parameters: loader.parameterCount(), download: loader.download(), memory, matrices };
  } finally {
    weights.close();
  }
}
