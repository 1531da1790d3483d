import temml from "temml";
import type { Plugin } from "vite";

/** LaTeX as MathML, which browsers draw by themselves: nothing of it runs in the page. */
export function mathml(latex: string, display = false): string {
  const written = temml.renderToString(latex, { displayMode: display, throwOnError: true });
  // The policy forbids inline styles; these two say what browsers do anyway: matrices have padding, displays are blocks.
  const plain = written.replace(/ style="(?:(?:padding-(?:left|right):[\d.]+(?:em|pt)|display:block math);)+"/g, "");
  if (plain.includes(" style="))
    throw new Error(`${latex}: the policy of the page forbids its inline styles: ${plain}`);
  return plain;
}

/** Replaces formulas: between `\(` and `\)` in prose, or between `\[` and `\]` as a display. */
export function withMaths(html: string): string {
  return html.replace(/\\\((.+?)\\\)|\\\[(.+?)\\\]/gs, (_, inline?: string, display?: string) =>
    mathml((inline ?? display ?? "").trim().replaceAll("&lt;", "<").replaceAll("&amp;", "&"), inline === undefined),
  );
}

/** `import bound from "./bound.tex"`: the formula of that file as MathML, for `<Formula>`. */
export const formulas: Plugin = {
  name: "formulas",
  transform(source, id) {
    return id.endsWith(".tex") ? `export default ${JSON.stringify(mathml(source.trim(), true))};` : null;
  },
};
