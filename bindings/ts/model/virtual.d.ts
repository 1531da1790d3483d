/** A module that tools/package/wasm-modules.mjs fills in. */

/** What the module of the models says about the families that it reads. */
declare module "ropewalk:families" {
  const families: readonly import("./families.js").Family[];
  export default families;
}
