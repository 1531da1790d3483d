import { at, axis, between, drawStrand, drawWord, type Paper, type Strand, text } from "./paper.js";

/** Where the strand begins, so that no word's arrow lies on the axis. */
const BEGIN = 0.5;

export interface SentenceView {
  /** Words of the sentence, the first at position 1. */
  readonly words: readonly string[];
  /** Positions of the two names. */
  readonly names: readonly [number, number];
  /** Radians per position. */
  readonly theta: number;
  /** 0 to 1: how far the names are on their way to the other's position. */
  readonly swap: number;
  /** 0 to 1: from a sentence on a twisted strand to a heap beside a straight one. */
  readonly heap: number;
}

/** Places of the heap: rows of four, three and one from the ground up, filled in the order of the alphabet. */
function heapOf(
  words: readonly string[],
  { width, height, narrow }: Paper,
): ReadonlyMap<number, readonly [number, number]> {
  const order = [...words.keys()].sort((a, b) => (words[a]! < words[b]! ? -1 : words[a]! > words[b]! ? 1 : a - b));
  const [across, up] = narrow ? [76, 24] : [104, 32];
  const places = new Map<number, readonly [number, number]>();
  let taken = 0;
  for (const [row, count] of [4, 3, 1].entries())
    for (let i = 0; i < count && taken < order.length; i++)
      places.set(order[taken++]!, [width / 2 + (i - (count - 1) / 2) * across, height - (narrow ? 14 : 24) - row * up]);
  return places;
}

/** Scenes 1 and 2: a sentence along a strand. */
export function drawSentence(paper: Paper, { words, names, theta, swap, heap }: SentenceView): string {
  const { width, height, narrow } = paper;
  // Positions and words below the strand; the heap.
  const [below, pile] = narrow ? [72, 92] : [64, 128];
  const radius = Math.min(width / 6.5, (height - between(below, pile, heap)) / 2 - 20);
  const step = (width - (narrow ? 36 : 60)) / words.length;
  const strand: Strand = {
    from: 0.3,
    to: words.length + 0.4,
    angle: (position) => BEGIN + (1 - heap) * theta * position,
    x: (position) => width / 2 + (position - (words.length + 1) / 2) * step,
    y: (height - between(below - 18, pile, heap)) / 2,
    radius,
  };
  const heaped = heapOf(words, paper);
  const base = strand.y + radius + (narrow ? 36 : 48);
  const tags = words.map((word, i) => {
    const position = i + 1;
    const other = names[0] === position ? names[1] : names[1] === position ? names[0] : position;
    // Tags of neighbours are too wide for one row of a phone.
    const low = (place: number) => (narrow && place % 2 === 0 ? 24 : 0);
    const x = between(between(strand.x(position), strand.x(other), swap), heaped.get(i)![0], heap);
    // Names pass each other, one above and one below the row.
    const pass = Math.sin(Math.PI * swap) * (position < other ? -22 : position > other ? 22 : 0);
    const y = between(between(base + low(position), base + low(other), swap) + pass, heaped.get(i)![1], heap);
    const half = word.length * (narrow ? 3.9 : 4.3) + 6;
    const name = other === position ? "" : "name";
    return (
      `<rect class="tag ${name}" x="${at(x - half)}" y="${at(y - 15)}" width="${at(2 * half)}" height="21" rx="4"/>` +
      text(x, y, word, `word ${name}`)
    );
  });
  const positions = words.map((_, i) => text(strand.x(i + 1), strand.y + radius + 18, String(i + 1), "small"));
  const arrows = words.map((_, i) => drawWord(strand, i + 1));
  return (
    axis(strand) +
    drawStrand(strand) +
    arrows.join("") +
    `<g opacity="${at(1 - heap)}">${positions.join("")}` +
    text(strand.x(7.35), strand.y - radius - 8, "strand", "small strong") +
    `${text(strand.x(1), strand.y + 16, "arrow", "small mark")}</g>` +
    tags.join("")
  );
}
