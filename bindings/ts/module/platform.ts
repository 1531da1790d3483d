/** Sources of bytes and modules, which differ between a page, Node and an edge runtime. */

import type { NativeMemory } from "./native.js";

/** An ArrayBuffer, a SharedArrayBuffer or a view of one. */
export type Bytes = ArrayBufferLike | ArrayBufferView;

/** WebAssembly.Module, in projects whose `lib` or `types` declare WebAssembly; others have no name for one. */
export type WasmModule = typeof globalThis extends { WebAssembly: { Module: { prototype: infer Module } } }
  ? Module
  : never;

/** A source of a module other than the package itself: for edge runtimes, a CDN, strict hosting. */
export type WasmSource = URL | string | Bytes | WasmModule | Response | PromiseLike<Response>;

/** A module that runs already: one that ropewalk-native opened. */
export interface RunningModule {
  readonly running: NativeMemory;
}

export type ModuleSource = WasmSource | RunningModule;

/** A module that comes with the package, or where it lies. */
export type OwnWasm = () => WasmSource | Promise<WasmSource>;

/** Bytes on their way, wherever they come from. */
export interface ByteStream {
  /** In bytes, where it is known beforehand. */
  size: number | undefined;
  chunks: AsyncIterable<Uint8Array>;
  /** The file's name, for messages, where it is one of several. */
  name?: string;
  /** The answer of a server, as long as nobody has read `chunks`: engines compile it while it arrives. */
  response?: Response;
}

/** Opens a URL, or in Node also a path, for reading. */
export interface Open {
  (location: URL | string, signal?: AbortSignal): Promise<ByteStream>;
  /** Names of the files in a folder of Node, none where there is no such folder. Pages cannot list folders. */
  list?(folder: URL | string): Promise<string[]>;
}
