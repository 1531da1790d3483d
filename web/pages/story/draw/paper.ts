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
export const NARROW: Paper = { width: 360, height: 216, narrow: true };

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
/** Radians between two points of a strand, at most. */
const STEP = 0.16;

export function pointOf({ angle, x, y, radius }: Strand, position: number): readonly [number, number] {
  const turned = angle(position);
  return [x(position) + SLANT * radius * Math.cos(turned), y - radius * Math.sin(turned)];
}

/** The part behind the axis is paler; `kind` is another class of both parts. */
export function drawStrand(strand: Strand, kind = ""): string {
  const { from, to, angle } = strand;
  const count = Math.max(2, Math.ceil(Math.abs(angle(to) - angle(from)) / STEP), Math.ceil((to - from) / 8));
  const runs: Record<"front" | "back", string> = { front: "", back: "" };
  let last = "";
  let side: "front" | "back" | undefined;
  for (let i = 0; i <= count; i++) {
    const position = between(from, to, i / count);
    const point = pointOf(strand, position).map(at).join(" ");
    const now = Math.cos(angle(position)) >= 0 ? "front" : "back";
    runs[now] += side === now ? `L${point}` : last ? `M${last}L${point}` : `M${point}`;
    [side, last] = [now, point];
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
