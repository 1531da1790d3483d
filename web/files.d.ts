/// <reference types="vite/client" />
/** MathML, made by web/plugins/maths.ts at build time. */
declare module "*.tex" {
  const mathml: string;
  export default mathml;
}
