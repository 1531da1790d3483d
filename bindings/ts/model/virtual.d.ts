/** A module that tools/package/wasm-modules.mjs fills in. */

/** What the modules of models say about the families that they read: names, and what these have in common. */
declare module "ropewalk:families" {
  type Family = import("./families.js").Family;
  const groups: readonly (readonly [names: readonly string[], common: Omit<Family, "modelType">])[];
  export default groups;
}
