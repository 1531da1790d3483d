import { at, axis, between, drawStrand, type Paper, pointOf, type Strand, text } from "./paper.js";

export interface CutView {
  readonly theta: number;
  /** All tokens that the model has read. */
  readonly words: readonly string[];
  /** The text that it writes next. */
  readonly writes: string;
  /** The first token that is cut out, and the first one behind. */
  readonly piece: readonly [number, number];
  /** 0 to 1: how far the piece is out and the rest has moved up. */
  readonly cut: number;
  /** 0 to 1: how much of the turn the rest was turned back. */
  readonly back: number;
}

/**
 * Scene 7: a piece is cut out of a strand, and the rest spreads over the whole width. Where the rest is not turned back, it leaves the
 * strand that is expected there.
 */
export function drawCut(paper: Paper, { theta, words, writes, piece: [from, to], cut, back }: CutView): string {
  const { width, height, narrow } = paper;
  const margin = narrow ? 14 : 22;
  const tokens = words.length;
  const removed = (to - from) * cut;
  const along = (length: number) => (m: number) => margin + (m / length) * (width - 2 * margin);
  const base = {
    y: height * (narrow ? between(0.32, 0.5, cut) : 0.6),
    radius: height * (narrow ? 0.09 : 0.12),
    x: along(tokens - removed),
    angle: (m: number) => theta * m,
  };
  const first: Strand = { ...base, from: 0, to: from };
  const rest: Strand = {
    ...base,
    from: to,
    to: tokens,
    x: (m) => base.x(m - removed),
    angle: (m) => theta * (m - (to - from) * back),
  };
  const lifted: Strand = {
    ...base,
    from,
    to,
    x: along(tokens),
    y: base.y - cut * height * 0.38,
    radius: base.radius * (1 - 0.55 * cut),
  };
  const hung = [first, lifted, rest].flatMap((strand) =>
    words.slice(strand.from, strand.to).map((word, i) => {
      const [x, y] = pointOf(strand, strand.from + i + 0.5);
      // Words lie flatter once the rest is spread.
      const place = `translate(${at((narrow ? strand.x(strand.from + i + 0.5) : x) - 4)} ${at(strand.y + strand.radius + 10)})rotate(${at(strand === lifted ? 90 : 90 - 45 * cut)})`;
      return (
        `<circle class="dot" cx="${at(x)}" cy="${at(y)}" r="3"/>` +
        `<text class="small begin" transform="${place}">${word}</text>`
      );
    }),
  );
  // A new line after so many letters.
  const lines = writes.match(new RegExp(`.{1,${Math.floor(width / 10)}}(?= |$)`, "g"))!;
  const above = lines.length * 21;
  return (
    axis({ ...base, from: 0, to: tokens - removed }) +
    `<g opacity="${at(cut)}">${drawStrand({ ...base, from: 0, to: tokens - removed }, "ghost")}` +
    `${text(width - margin, 20, narrow ? "band: expected" : "band: where the rest should lie", "small end")}</g>` +
    drawStrand(first) +
    drawStrand(lifted, "piece") +
    drawStrand(rest) +
    hung.join("") +
    lines.map((line, i) => text(width / 2, height - above + 21 * i + 9, line.trim(), "word name")).join("")
  );
}
