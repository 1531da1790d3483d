/** Types of Emscripten's generated glue, which the build puts where "ropewalk:glue" is imported. native.ts has its exports. */

/** A handle that Embind made. */
export interface ClassHandle {
  delete(): void;
}

/** Memory as far as it goes by now: growth puts another buffer in its place. */
export interface ModuleMemory {
  readonly wasmMemory: { readonly buffer: ArrayBuffer };
  /** ropewalk-native has both alone: the address at which `wasmMemory` begins, and a copy of bytes from any address on. */
  readonly memoryAddress?: number;
  copy?(address: number, bytes: number): ArrayBuffer;
}

/** The table of functions that modules of models have besides: relaxed.wasm adds its own. */
export interface ModuleTable {
  readonly wasmTable: WebAssembly.Table;
  /** ropewalk-native has this in the place of workers: so many threads do large jobs from now on. */
  _ropewalk_use_threads?(count: number): void;
}

export interface GlueOptions {
  /** Called once with the imports; `done` takes the instance that was made with them. */
  instantiateWasm(imports: WebAssembly.Imports, done: (instance: WebAssembly.Instance) => void): object;
  /** Take lines, of modules that print. */
  print?(line: string): void;
  printErr?(line: string): void;
}

/** Resolves with the object that carries every export. */
export type Glue = (options: GlueOptions) => Promise<object>;
