/**
 * The drawing as SVG text: the same functions make the stills that need no script and each frame of the page. All numbers in it
 * are coordinates; words come from our own records.
 */
export interface Paper {
  readonly width: number;
  readonly height: number;
  readonly narrow: boolean;
}
export const WIDE: Paper = { width: 640, height: 370, narrow: false };
/** For a place of so many pixels: one unit is at least a pixel, so that no letter becomes smaller than it is written. */
export function paperFor(width: number, height: number): Paper {
  const scale = Math.max(1, Math.min(width / WIDE.width, height / WIDE.height));
  return { width: width / scale, height: height / scale, narrow: width < 600 };
}

export const at = (value: number) => String(Math.round(value * 10) / 10);
export const between = (from: number, to: number, share: number) => from + (to - from) * share;

/** A strand: its angle at each position, and where it lies on the paper. */
export interface Strand {
  readonly from: number;
  readonly to: number;
  /** Radians at a position. */
  readonly angle: (position: number) => number;
  readonly x: (position: number) => number;
  readonly y: number;
  readonly radius: number;
}

/** Seen a little from the side, so that a circle around the axis is a narrow ellipse. */
const SLANT = 0.28;
/** Radians of one curve of a strand, which is nowhere a hundredth of a unit beside it. */
const STEP = Math.PI / 4;

export function pointOf({ angle, x, y, radius }: Strand, position: number): readonly [number, number] {
  const turned = angle(position);
  return [x(position) + SLANT * radius * Math.cos(turned), y - radius * Math.sin(turned)];
}

/** The part behind the axis is paler; `kind` is another class of both parts. Angles and places grow evenly along a strand. */
export function drawStrand(strand: Strand, kind = ""): string {
  const { from, to, angle, x, y, radius } = strand;
  const [begin, end] = [angle(from), angle(to)];
  const runs = { front: "", back: "" };
  let side: "front" | "back" | undefined;
  for (let m = from, a = begin; m < to; ) {
    const b = Math.min(end, (Math.floor(a / STEP + 1e-6) + 1) * STEP);
    const n = b < end ? between(from, to, (b - begin) / (end - begin)) : to;
    // The arms of a cubic that follows the circle, and those of the axis.
    const arm = (4 / 3) * Math.tan((b - a) / 4);
    const third = (n - m) / 3;
    const pull = (position: number, turned: number, sign: number) =>
      `${at(x(position + sign * third) + SLANT * radius * (Math.cos(turned) - sign * arm * Math.sin(turned)))} ` +
      at(y - radius * (Math.sin(turned) + sign * arm * Math.cos(turned)));
    const point = (position: number) => pointOf(strand, position).map(at).join(" ");
    const now = Math.cos((a + b) / 2) >= 0 ? "front" : "back";
    runs[now] += `${side === now ? "" : `M${point(m)}`}C${pull(m, a, 1)} ${pull(n, b, -1)} ${point(n)}`;
    [side, m, a] = [now, n, b];
  }
  return `<path class="strand back ${kind}" d="${runs.back}"/><path class="strand ${kind}" d="${runs.front}"/>`;
}

export function axis({ from, to, x, y }: Strand): string {
  return `<path class="axis" d="M${at(x(from))} ${at(y)}H${at(x(to))}"/>`;
}

export type Tone = "" | "q" | "k";

/** A word on a strand: the circle around the axis, and the arrow from the axis to the strand. A key's head is hollow. */
export function drawWord(strand: Strand, position: number, tone: Tone = ""): string {
  const { x, y, radius } = strand;
  const [px, py] = pointOf(strand, position).map(at);
  const [cx, cy] = [at(x(position)), at(y)];
  return (
    `<ellipse class="ring" cx="${cx}" cy="${cy}" rx="${at(SLANT * radius)}" ry="${at(radius)}"/>` +
    `<path class="arm ${tone}" d="M${cx} ${cy}L${px} ${py}"/><circle class="tip ${tone}" cx="${px}" cy="${py}" r="5"/>`
  );
}

export interface Hand {
  readonly angle: number;
  readonly tone: Tone;
}

/** A strand seen along its axis: a clock with a hand for each word. Two hands have the wedge between them. */
export function drawClock(cx: number, cy: number, radius: number, hands: readonly Hand[]): string {
  const tip = ({ angle }: Hand, share: number) => [
    cx + share * radius * Math.cos(angle),
    cy - share * radius * Math.sin(angle),
  ];
  let wedge = "";
  const [first, second] = hands;
  if (first && second) {
    const [from, to] = [tip(second, 0.6), tip(first, 0.6)];
    const arc = `A${at(0.6 * radius)} ${at(0.6 * radius)} 0 0 0 ${to.map(at).join(" ")}`;
    wedge = `<path class="wedge" d="M${at(cx)} ${at(cy)}L${from.map(at).join(" ")}${arc}Z"/>`;
  }
  const drawn = hands.map((hand) => {
    const [x, y] = tip(hand, 0.9).map(at);
    return `<path class="arm ${hand.tone}" d="M${at(cx)} ${at(cy)}L${x} ${y}"/><circle class="tip ${hand.tone}" cx="${x}" cy="${y}" r="5"/>`;
  });
  return `<circle class="ring" cx="${at(cx)}" cy="${at(cy)}" r="${at(radius)}"/>${wedge}${drawn.join("")}`;
}

export function text(x: number, y: number, words: string, kind = ""): string {
  return `<text class="${kind}" x="${at(x)}" y="${at(y)}">${words}</text>`;
}
