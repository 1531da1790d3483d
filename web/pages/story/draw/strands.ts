import { at, axis, drawClock, drawStrand, drawWord, type Paper, type Strand, type Tone, text } from "./paper.js";

/** Positions that these strands are drawn for. */
const LENGTH = 64;
const WORD = 0.4;

const sidesOf = ({ width, narrow }: Paper) => ({ left: narrow ? 14 : 22, span: width - (narrow ? 116 : 176) });
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
  const { width, height, narrow } = paper;
  const radius = narrow ? 30 : 54;
  const rows = [0.27, 0.78].map((share, i) => {
    const strand = strandAt(paper, thetas[i]!, height * share, radius);
    const clock = drawClock(width - radius - 8, strand.y, radius, [{ angle: strand.angle(position), tone: "" }]);
    const name = text(strand.x(0) - 4, strand.y - radius - 8, i === 0 ? "fast strand" : "slow strand", "small begin");
    return axis(strand) + drawStrand(strand) + drawWord(strand, position) + clock + name;
  });
  const strand = strandAt(paper, 0, 0, 0);
  const middle = height * 0.525;
  return rows.join("") + ticks(strand, middle + 4) + text(strand.x(position), middle - 6, "▾", "mark");
}

/** Scene 4: a query and a key on one strand, and the wedge between their arrows. */
export function drawTwoWords(paper: Paper, theta: number, query: number, key: number): string {
  const { width, height, narrow } = paper;
  const radius = narrow ? 40 : 64;
  const strand = strandAt(paper, theta, height * 0.44, radius);
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
