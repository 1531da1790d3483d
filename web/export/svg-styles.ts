/** A drawing's own styles come from the page's stylesheet: these are written into a copy that has to stand alone. */
const inherited = [
  ...["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linecap"],
  ...["stroke-linejoin", "font-family", "font-size", "font-weight", "text-anchor", "visibility"],
] as const;
const own: ReadonlyArray<readonly [property: string, initial: string]> = [
  ["opacity", "1"],
  ["display", "inline"],
  ["vector-effect", "none"],
  ["paint-order", "normal"],
];
const meaningless = ["class", "style", "role", "tabindex", "aria-label", "aria-hidden"];

function inline(from: Element, to: Element, parent: CSSStyleDeclaration | undefined): void {
  const style = getComputedStyle(from);
  for (const name of inherited) {
    const value = style.getPropertyValue(name);
    if (value !== parent?.getPropertyValue(name)) to.setAttribute(name, value.replaceAll("px", ""));
  }
  for (const [name, initial] of own) {
    const value = style.getPropertyValue(name);
    if (value !== initial && value !== "block") to.setAttribute(name, value);
  }
  for (const name of meaningless) to.removeAttribute(name);
  for (let i = 0; i < from.children.length; i++) inline(from.children[i]!, to.children[i]!, style);
}

/** A copy of the drawing that looks the same without any stylesheet. */
export function standalone(drawing: SVGSVGElement): SVGSVGElement {
  const copy = drawing.cloneNode(true) as SVGSVGElement;
  inline(drawing, copy, undefined);
  return copy;
}
