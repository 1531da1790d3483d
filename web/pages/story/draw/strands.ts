import { at, axis, drawClock, drawStrand, drawWord, type Paper, type Strand, type Tone, text } from "./paper.js";

/** Positions that these strands are drawn for. */
const LENGTH = 64;
const WORD = 0.4;

function sidesOf({ width, height }: Paper) {
  const [left, radius] = [16, Math.min(width / 7.5, height / 6)];
  // At the right is the clock.
  return { left, radius, span: width - 2.3 * radius - 40 };
}
/** The position under a place of the paper. */
export function positionAt(paper: Paper, x: number): number {
  const { left, span } = sidesOf(paper);
  return ((x - left) / span) * LENGTH;
}

function strandAt(paper: Paper, theta: number, y: number, radius: number): Strand {
  const { left, span } = sidesOf(paper);
  return { from: 0, to: LENGTH, angle: (m) => WORD + theta * m, x: (m) => left + (m / LENGTH) * span, y, radius };
}

function ticks({ x }: Strand, y: number): string {
  return [0, 20, 40, 60].map((position) => text(x(position), y, String(position), "small")).join("");
}

/** Scene 3: one word on two strands, and what its arrows look like along the axis. */
export function drawTwoStrands(paper: Paper, thetas: readonly [number, number], position: number): string {
  const { width, height } = paper;
  const radius = 0.85 * sidesOf(paper).radius;
  const rows = [0.25, 0.76].map((share, i) => {
    const strand = strandAt(paper, thetas[i]!, height * share, radius);
    const clock = drawClock(width - radius - 8, strand.y, radius, [{ angle: strand.angle(position), tone: "" }]);
    const name = text(width - radius - 8, strand.y + radius + 16, i ? "slow strand" : "fast strand", "small");
    return axis(strand) + drawStrand(strand) + drawWord(strand, position) + clock + name;
  });
  const strand = strandAt(paper, 0, 0, 0);
  const middle = height * 0.5;
  return rows.join("") + ticks(strand, middle + 4) + text(strand.x(position), middle - 6, "▾", "mark");
}

/** Scene 4: a query and a key on one strand, and the wedge between their arrows. */
export function drawTwoWords(paper: Paper, theta: number, query: number, key: number): string {
  const { width, height } = paper;
  const { radius } = sidesOf(paper);
  const strand = strandAt(paper, theta, height * 0.46, radius);
  const words = (
    [
      [key, "k", "key"],
      [query, "q", "query"],
    ] as const
  ).map(
    ([position, tone, name]) =>
      drawWord(strand, position, tone) + text(strand.x(position), strand.y - radius - 10, name, `word ${tone}`),
  );
  const hands = [query, key].map((position, i) => ({
    angle: strand.angle(position),
    tone: (i === 0 ? "q" : "k") as Tone,
  }));
  const [from, to] = [strand.x(key), strand.x(query)];
  const below = strand.y + radius + 36;
  return (
    axis(strand) +
    drawStrand(strand) +
    words.join("") +
    ticks(strand, strand.y + radius + 20) +
    `<path class="span" d="M${at(from)} ${at(below - 6)}v12M${at(from)} ${at(below)}H${at(to)}M${at(to)} ${at(below - 6)}v12"/>` +
    text((from + to) / 2, below + 22, `${query - key} positions apart`, "small") +
    drawClock(width - radius - 8, strand.y, radius, hands)
  );
}
