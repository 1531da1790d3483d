import { standalone } from "./svg-styles.js";

const svgSpace = "http://www.w3.org/2000/svg";

export interface Picture {
  readonly svg: string;
  readonly width: number;
  readonly height: number;
}

type Attributes = Readonly<Record<string, string | number>>;

function element(name: string, attributes: Attributes, text = ""): SVGElement {
  const made = document.createElementNS(svgSpace, name);
  for (const [key, value] of Object.entries(attributes)) {
    made.setAttribute(key, typeof value === "number" ? String(Number(value.toFixed(2))) : value);
  }
  made.textContent = text;
  return made;
}

const clear = (colour: string) => colour === "transparent" || /,\s*0\)$/.test(colour);
const pixels = (length: string) => Number.parseFloat(length) || 0;

/** Draws what the page has laid out, drawings, canvases, boxes and words, again as one SVG at the same places. */
class Copyist {
  readonly drawn: SVGElement[] = [];
  constructor(private readonly origin: DOMRect) {}

  private place(rect: DOMRect) {
    const { left, top } = this.origin;
    return { x: rect.left - left, y: rect.top - top, width: rect.width, height: rect.height };
  }

  copy(node: Node): void {
    if (node instanceof Text) this.words(node);
    if (!(node instanceof Element)) return;
    const style = getComputedStyle(node);
    const rect = node.getBoundingClientRect();
    if (style.display === "none" || style.visibility === "hidden" || style.clipPath !== "none") return;
    if (node instanceof SVGSVGElement) {
      const drawing = standalone(node);
      for (const [name, value] of Object.entries(this.place(rect))) drawing.setAttribute(name, value.toFixed(2));
      this.drawn.push(drawing);
    } else if (node instanceof HTMLCanvasElement) {
      const how = { href: node.toDataURL(), preserveAspectRatio: "none", "image-rendering": "pixelated" };
      this.drawn.push(element("image", { ...this.place(rect), ...how }));
    } else {
      this.box(style, rect);
      if (node.classList.contains("key")) this.swatch(node, rect);
      for (const child of node.childNodes) this.copy(child);
    }
  }

  private box(style: CSSStyleDeclaration, rect: DOMRect): void {
    const { x, y, width, height } = this.place(rect);
    const around = (by: number) => ({ x: x - by, y: y - by, width: width + 2 * by, height: height + 2 * by });
    // Rings: shadows that only spread, the innermost on top.
    for (const [, colour = "", spread = ""] of [
      ...style.boxShadow.matchAll(/(rgba?\([^)]*\)) 0px 0px 0px ([\d.]+)px(?! inset)/g),
    ].reverse()) {
      const by = Number(spread);
      this.drawn.push(element("rect", { ...around(by / 2), fill: "none", stroke: colour, "stroke-width": by }));
    }
    const line = style.borderTopStyle === "none" ? 0 : pixels(style.borderTopWidth);
    const edge = line > 0 && !clear(style.borderTopColor) ? style.borderTopColor : "none";
    const fill = clear(style.backgroundColor) ? "none" : style.backgroundColor;
    if (edge === "none" && fill === "none") return;
    const corner = pixels(style.borderTopLeftRadius);
    this.drawn.push(
      element("rect", {
        ...around(-line / 2),
        rx: corner,
        fill,
        stroke: edge,
        "stroke-width": edge === "none" ? 0 : line,
      }),
    );
  }

  /** The mark before the name of a line, which the stylesheet makes (styles/plot.css). */
  private swatch(node: Element, rect: DOMRect): void {
    const style = getComputedStyle(node, "::before");
    const [width, height] = [pixels(style.width), pixels(style.height)];
    const { x, y } = this.place(rect);
    const top = y + (rect.height - height) / 2;
    if (style.backgroundImage !== "none") {
      const line = { x1: x, x2: x + width, y1: top + height / 2, y2: top + height / 2, "stroke-width": height };
      this.drawn.push(element("line", { ...line, stroke: style.color, "stroke-dasharray": "4 2" }));
      return;
    }
    const border = pixels(style.borderTopWidth);
    const round = style.borderTopLeftRadius.endsWith("%") ? width / 2 : pixels(style.borderTopLeftRadius);
    this.drawn.push(
      element("rect", {
        ...{ x: x + border / 2, y: top + border / 2, width: width - border, height: height - border, rx: round },
        fill: clear(style.backgroundColor) ? "none" : style.backgroundColor,
        ...(border > 0 && { stroke: style.borderTopColor, "stroke-width": border }),
      }),
    );
  }

  /** A word at a time, since lines break where the page's width says. */
  private words(node: Text): void {
    const style = getComputedStyle(node.parentElement!);
    const size = pixels(style.fontSize);
    const font = { "font-family": style.fontFamily, "font-size": size, "font-weight": style.fontWeight };
    for (const { 0: word, index } of node.data.matchAll(/\S+/g)) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      const { x, y, width, height } = this.place(range.getBoundingClientRect());
      if (width === 0 || height === 0) continue;
      // From the middle of the line to its baseline.
      const drop = 0.35 * size;
      const upright = style.writingMode.startsWith("vertical");
      const [left, line] = upright ? [x + width / 2 + drop, y + height] : [x, y + height / 2 + drop];
      const transform = `translate(${left.toFixed(2)} ${line.toFixed(2)})${upright ? " rotate(-90)" : ""}`;
      this.drawn.push(element("text", { transform, ...font, fill: style.color }, word));
    }
  }
}

function describedIn(root: Element): string {
  return root.querySelector("[role=img], [aria-roledescription]")?.getAttribute("aria-label") ?? "";
}

/** The figure as it is now, in the colours of now, under its title; `link` restores the page that it comes from. */
export function pictureOf(root: HTMLElement, title: string, link: string): Picture {
  const rect = root.getBoundingClientRect();
  const pad = 12;
  // A legend that stands in the head of the card, beside its title, comes along.
  const legend = root.querySelector(".drawing-legend") ? null : root.closest(".card")?.querySelector(".key-line");
  const head = legend ? 52 : 28;
  const [width, height] = [Math.ceil(rect.width) + 2 * pad, Math.ceil(rect.height) + 2 * pad + head];
  const copyist = new Copyist(rect);
  copyist.copy(root);
  const picture = element("svg", { width, height, viewBox: `${-pad} ${-pad - head} ${width} ${height}` });
  if (legend) {
    const { left, top } = legend.getBoundingClientRect();
    const key = new Copyist(new DOMRect(left, top + 26, 0, 0));
    key.copy(legend);
    copyist.drawn.push(...key.drawn);
  }
  const { backgroundColor: fill, color, fontFamily } = getComputedStyle(root.closest(".card") ?? document.body);
  const font = { "font-family": fontFamily, "font-size": 15, "font-weight": 600, fill: color };
  picture.append(
    element("title", {}, title),
    element("desc", {}, describedIn(root).replace(" The table below holds the numbers.", "")),
    element("metadata", {}, link),
    element("rect", { x: -pad, y: -pad - head, width, height, fill }),
    element("text", { x: 0, y: 14 - head, ...font }, title),
    ...copyist.drawn,
  );
  return { svg: new XMLSerializer().serializeToString(picture), width, height };
}

/** Twice as fine as the page, for print and for slides. */
export async function png({ svg, width, height }: Picture, scale = 2): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = width * scale;
  canvas.height = height * scale;
  canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the browser made no PNG"))), "image/png");
  });
}
