/** Where bytes and modules come from: what differs between a page and Node. */
import type { Glue } from "./glue.js";

/** Bytes on their way, wherever they come from. */
export interface ByteStream {
  /** In bytes, where it is known beforehand. */
  size: number | undefined;
  chunks: AsyncIterable<Uint8Array>;
}

/** Opens a URL, or in Node also a path, for reading. */
export type Open = (location: URL | string, signal?: AbortSignal) => Promise<ByteStream>;

/** A WebAssembly module, and the JavaScript that Emscripten made for it. */
export interface Part {
  glue: Glue;
  wasm(): Promise<BufferSource> | URL;
}
