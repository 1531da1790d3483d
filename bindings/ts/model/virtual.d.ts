/** Modules that tools/package/wasm-modules.mjs fills in. */

/** The families that the modules of models read: lists of names, each with the properties that its families share. */
declare module "ropewalk:families" {
  type Family = import("./families.js").Family;
  const groups: readonly (readonly [names: readonly string[], common: Omit<Family, "modelType">])[];
  export default groups;
}

/** Types of config.json that encoders and decoders read. */
declare module "ropewalk:causal" {
  const types: readonly string[];
  export default types;
}
