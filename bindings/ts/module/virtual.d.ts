/** Modules that tools/package/build.mjs fills in. */

declare module "ropewalk:core-glue" {
  const create: import("./glue.js").Glue;
  export default create;
}

declare module "ropewalk:model-glue" {
  const create: import("./glue.js").Glue;
  export default create;
}

declare module "ropewalk:core-inlined" {
  /** core.wasm, gzipped, in base64: the same size on the wire as the file, since servers compress the text again. */
  const gzippedBase64: string;
  export default gzippedBase64;
}

declare module "ropewalk:core-size" {
  /** Bytes of core.wasm. */
  const size: number;
  export default size;
}

declare module "ropewalk:model-inlined" {
  const gzippedBase64: string;
  export default gzippedBase64;
}

declare module "ropewalk:analysis-glue" {
  const create: import("./glue.js").Glue;
  export default create;
}

declare module "ropewalk:analysis-inlined" {
  const gzippedBase64: string;
  export default gzippedBase64;
}
