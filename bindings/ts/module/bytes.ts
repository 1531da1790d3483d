/** Everything that can hold bytes, as one stream. */
import { failure, refusal } from "./errors.js";
import { chunksOf, responseStream } from "./fetch.js";
import type { ByteStream, Bytes, Open } from "./platform.js";

/** Bytes, or where they are. A string is a URL; in Node it may also be a path. */
export type ByteSource = Bytes | Blob | Response | URL | string;

export function viewOf(source: Bytes): Uint8Array {
  // A detached buffer has no bytes either, and no view can be made of it.
  if (source.byteLength === 0) return new Uint8Array(0);
  return ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
    : new Uint8Array(source);
}

export const isBuffer = (value: object): value is Bytes =>
  ArrayBuffer.isView(value) ||
  value instanceof ArrayBuffer ||
  (typeof SharedArrayBuffer !== "undefined" && value instanceof SharedArrayBuffer);

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield bytes;
}

/** The chunks of a download. An error of the connection does not say which file it was: this one does. */
async function* arriving(
  fn: string,
  argument: string,
  file: string,
  { chunks }: ByteStream,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  let read = 0;
  try {
    for await (const chunk of chunks) {
      read += chunk.length;
      yield chunk;
    }
  } catch (cause) {
    if (signal?.aborted) throw cause;
    throw failure("network", fn, `${file} was cut off after ${read} bytes`, { argument }, { cause });
  }
}

export async function streamOf(
  fn: string,
  name: string,
  source: ByteSource,
  open: Open,
  signal?: AbortSignal,
): Promise<ByteStream> {
  try {
    const isAddress = typeof source === "string" || source instanceof URL;
    if (isAddress || source instanceof Response) {
      const stream = isAddress ? await open(source, signal) : responseStream(source, signal);
      if (stream.response === undefined) return stream;
      // Servers redirect to addresses of a thousand letters.
      const file = isAddress ? String(source) : name.replace(/^files: /, "");
      return { ...stream, chunks: arriving(fn, name, file, stream, signal) };
    }
  } catch (error) {
    // Those that open addresses do not know who asked.
    if (error instanceof Error && "function" in error && error.function === "")
      Object.assign(error, { function: fn, message: `${fn}: ${error.message}` });
    throw error;
  }
  if (typeof source === "object" && source !== null) {
    if (isBuffer(source)) return { size: source.byteLength, chunks: once(viewOf(source)) };
    if (source instanceof Blob) return { size: source.size, chunks: chunksOf(source.stream(), signal) };
  }
  throw refusal("type", fn, name, source, "an ArrayBuffer or a view of one, a Blob, a Response, a URL or a string");
}
