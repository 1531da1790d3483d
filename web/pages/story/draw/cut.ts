import { at, axis, between, drawStrand, type Paper, pointOf, type Strand, text } from "./paper.js";

export interface CutView {
  readonly theta: number;
  readonly tokens: number;
  /** The first token that is cut out, and the first one behind. */
  readonly piece: readonly [number, number];
  /** 0 to 1: how far the piece is out and the rest has moved up. */
  readonly cut: number;
  /** 0 to 1: how much of the turn the rest was turned back. */
  readonly back: number;
}

/** Scene 7: a piece is cut out of a strand. Where the rest is not turned back, it leaves the strand that is expected there. */
export function drawCut(paper: Paper, { theta, tokens, piece: [from, to], cut, back }: CutView): string {
  const { width, height, narrow } = paper;
  const span = width - (narrow ? 24 : 44);
  const base = {
    y: height * 0.62,
    radius: narrow ? 40 : 58,
    x: (m: number) => (width - span) / 2 + (m / tokens) * span,
    angle: (m: number) => theta * m,
  };
  const whole: Strand = { ...base, from: 0, to: tokens };
  const removed = (to - from) * cut;
  const rest: Strand = {
    ...base,
    from: to,
    to: tokens,
    x: (m) => base.x(m - removed),
    angle: (m) => theta * (m - (to - from) * back),
  };
  const lifted: Strand = { ...base, from, to, y: base.y - cut * height * 0.38, radius: base.radius * (1 - 0.55 * cut) };
  const dots = Array.from({ length: tokens - to }, (_, i) => {
    const [x, y] = pointOf(rest, to + i + 0.5);
    return `<circle class="dot" cx="${at(x)}" cy="${at(y)}" r="3"/>`;
  });
  const middle = (strand: Strand) => (strand.x(strand.from) + strand.x(strand.to)) / 2;
  const below = base.y + base.radius + 22;
  return (
    axis(whole) +
    `<g opacity="${at(cut)}">${drawStrand({ ...base, from: 0, to: tokens - removed }, "ghost")}</g>` +
    drawStrand({ ...base, from: 0, to: from }) +
    drawStrand(lifted, "piece") +
    drawStrand(rest) +
    dots.join("") +
    text(middle(lifted), between(below, lifted.y + lifted.radius + 16, cut), "the piece", "small") +
    text(middle(rest), below, "the rest", "small")
  );
}
