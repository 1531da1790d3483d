/** Modules that tools/package/build.mjs fills in. */

declare module "ropewalk:glue" {
  const createCore: import("./glue.js").Glue;
  export default createCore;
}

declare module "ropewalk:inlined-core" {
  /** core.wasm, gzipped, in base64: the same size on the wire as the file, since servers compress the text again. */
  const gzippedBase64: string;
  export default gzippedBase64;
}
