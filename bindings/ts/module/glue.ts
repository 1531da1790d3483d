/** The type of Emscripten's generated glue, which the build puts where "ropewalk:glue" is imported. */

/** A handle that Embind made. */
export interface ClassHandle {
  delete(): void;
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
