import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import subsetFont from "subset-font";
import type { Plugin } from "vite";
import { mathml, withMaths } from "./maths.js";

/** The letter as `<mi>` draws it: of Unicode's mathematical italics. */
function italic(letter: string): string {
  const code = letter.codePointAt(0)!;
  const from = (first: number, to: number) => String.fromCodePoint(to + code - first);
  // The Planck constant has the place of h.
  if (letter === "h") return "\u210e";
  if (/[a-z]/.test(letter)) return from(0x61, 0x1d44e);
  if (/[A-Z]/.test(letter)) return from(0x41, 0x1d434);
  if (/[\u03b1-\u03c9]/.test(letter)) return from(0x3b1, 0x1d6fc);
  return letter === "\u03d5" ? "\u{1d719}" : "";
}

/** All formulas of the pages: their .tex files and those in prose. */
function formulas(pages: string): string {
  const files = readdirSync(pages, { recursive: true, encoding: "utf8" });
  const read = (name: string) => readFileSync(join(pages, name), "utf8");
  const tex = files.filter((name) => name.endsWith(".tex")).map((name) => mathml(read(name).trim(), true));
  const prose = files.filter((name) => name.endsWith("prose.html")).map((name) => withMaths(read(name)));
  return [...tex, ...prose.flatMap((html) => html.match(/<math.*?<\/math>/gs) ?? [])].join("");
}

/**
 * Writes the glyphs that the formulas of the pages need, about 10 KB of 270. Systems without a font for mathematics set
 * indices and exponents at the wrong height.
 */
export function mathsFont(font: string, pages: string, to: string): Plugin {
  return {
    name: "maths-font",
    async buildStart() {
      const signs = new Set(formulas(pages).replace(/<[^>]*>/g, ""));
      for (const sign of [...signs]) signs.add(italic(sign));
      const subset = await subsetFont(readFileSync(font), [...signs].join(""), { targetFormat: "woff2" });
      mkdirSync(dirname(to), { recursive: true });
      writeFileSync(to, subset);
    },
  };
}
