/** Computes a model's needs before it is loaded, from its configuration and the headers of its weights. */

import type { ErrorDetails } from "../module/errors.js";
import type { ByteStream, Open } from "../module/platform.js";
import type { DecoderOptions } from "./decoder/surface.js";
import { type FileSet, filesOf, type ModelFiles } from "./files/model-files.js";
import { type Json, readJson } from "./files/read.js";
import type { ModelSize } from "./files/stream-weights.js";
import { knownOptions } from "./options.js";

const FN = "modelSize";

/** Encoders or decoders. Returns the refusal of a model that may be of the other kind. */
export type SizeOf = (fn: string, files: FileSet, options: DecoderOptions) => Promise<ModelSize | Error>;

/** True if a model was refused for its kind, or for a configuration that is not there. */
export const isOtherKind = (error: unknown): error is Error & ErrorDetails =>
  ["model_type", "files", "general.architecture"].includes((error as Partial<ErrorDetails>).argument!);

/** A stream that begins anew each time, and keeps what was read of it. */
function replayed(stream: ByteStream): { again(): ByteStream; close(): void } {
  const kept: Uint8Array[] = [];
  const rest = stream.chunks[Symbol.asyncIterator]();
  async function* chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    for (let i = 0; ; i++) {
      if (i === kept.length) {
        const { done, value } = await rest.next();
        if (done) return;
        kept.push(value.slice());
      }
      yield kept[i]!;
    }
  }
  return {
    again: () => ({ ...stream, chunks: chunks() }),
    close: () => void rest.return?.()?.catch(() => {}),
  };
}

/** The same files, of which a configuration and a GGUF file can be opened again where they came as a Response. */
function remembering(files: FileSet): FileSet & { close(): void } {
  const read = new Map<string, Promise<Json | undefined>>();
  let gguf: ReturnType<typeof replayed> | undefined;
  return {
    ...files,
    close: () => gguf?.close(),
    async open(name) {
      if (name === files.gguf) {
        const content = gguf === undefined ? await files.open(name) : undefined;
        if (content !== undefined && "stream" in content) gguf = replayed(content.stream);
        return gguf === undefined ? content : { stream: gguf.again() };
      }
      if (!/(^|\/)(config|params)\.json$/.test(name)) return files.open(name);
      if (!read.has(name)) read.set(name, readJson(FN, files, name));
      const parsed = await read.get(name);
      return parsed && { parsed };
    },
  };
}

export async function modelSize(
  source: ModelFiles,
  open: Open,
  options: DecoderOptions,
  first: SizeOf,
  second: () => Promise<SizeOf>,
): Promise<ModelSize> {
  const { signal } = knownOptions(FN, options, ["precision", "context", "screen", "onProgress", "signal"]);
  signal?.throwIfAborted();
  const files = remembering(await filesOf(FN, source, open, signal));
  try {
    const size = await first(FN, files, options);
    if (!(size instanceof Error)) return size;
    const other = await (await second())(FN, files, options);
    if (other instanceof Error) throw size;
    return other;
  } finally {
    files.close();
  }
}
