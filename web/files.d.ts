/// <reference types="vite/client" />
declare module "subset-font" {
  /** The font with the glyphs of a text only. */
  export default function subsetFont(
    font: Uint8Array,
    text: string,
    options: { readonly targetFormat: "woff2" },
  ): Promise<Uint8Array>;
}
/** Times of docs/performance.md for the shapes of the Speed page, made by web/plugins/recorded-speed.ts at build time. */
declare module "virtual:recorded-speed" {
  type Times = ReadonlyArray<{
    readonly name: import("./pages/speed/speed-calls.js").Contestant;
    /** Microseconds per call. */
    readonly q1: number;
    readonly median: number;
    readonly q3: number;
  }>;
  const recorded: {
    readonly processor: string;
    readonly browser: string;
    /** YYYY-MM-DD */
    readonly date: string;
    readonly times: Readonly<
      Record<import("./pages/speed/speed-calls.js").ShapeName, Readonly<Record<"half" | "interleaved", Times>>>
    >;
  };
  export default recorded;
}
/** MathML, made by web/plugins/maths.ts at build time. */
declare module "*.tex" {
  const mathml: string;
  export default mathml;
}
