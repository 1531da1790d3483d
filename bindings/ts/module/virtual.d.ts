/** Modules that tools/package/wasm-modules.mjs fills in; `*` is core, analysis, model, decoder, train, relaxed or grammar. */

/** Emscripten's code around the module. */
declare module "ropewalk:*-glue" {
  const create: import("./glue.js").Glue;
  export default create;
}

/** The module, gzipped, in base64: the same size on the wire as the file, since servers compress the text again. */
declare module "ropewalk:*-inlined" {
  const gzippedBase64: string;
  export default gzippedBase64;
}

/** The version of the package. */
declare module "ropewalk:version" {
  const version: string;
  export default version;
}

/** Bytes of the module. */
declare module "ropewalk:*-size" {
  const size: number;
  export default size;
}

/** The file of the module, where the platform compiles what is imported. */
declare module "ropewalk:*-compiled" {
  const module: WebAssembly.Module;
  export default module;
}

/** The script of entries/worker.ts, packed as the modules are: base64 of a gzip stream. */
declare module "ropewalk:worker-text" {
  const packed: string;
  export default packed;
}
