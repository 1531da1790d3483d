/** The little that differs between a page and Node, and between the inlined and the external entry. */
import type { AnalysisRoom } from "../analysis/open.js";
import type { ParallelRoom } from "../parallel/roformer.js";
import type { ModelRoom } from "../train/open.js";
import type { WasmSource } from "./compile.js";
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

export interface Platform {
  core: Part;
  open: Open;
  /** Fetches the analysis, whose module is always inside its JavaScript. */
  openAnalysisRoom(): Promise<AnalysisRoom>;
  /** Fetches what only the RoFormer needs; `wasm` replaces the module that comes with it. */
  openModelRoom(wasm?: WasmSource): Promise<ModelRoom>;
  /** The same for RoFormers in several workers. */
  openParallelRoom(wasm?: WasmSource): Promise<ParallelRoom>;
}
