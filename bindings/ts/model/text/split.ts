/** Long texts in pieces that a model takes whole. */

/** A piece of a text, and where it stands in it: characters [start, end). */
export interface TextPiece {
  text: string;
  start: number;
  end: number;
  /** Tokens, without special ones. */
  tokens: number;
}

/** Ends of units that texts are best divided at, from the largest unit to the smallest. */
const UNITS = [/\n\s*\n\s*/g, /\n\s*/g, /(?<=[.!?\u3002\uff01\uff1f])\s*/gu, /\s+/g];

/** Places within [start, end) at which a unit of the kind ends. */
function endsIn(text: string, unit: RegExp, start: number, end: number): number[] {
  const found = [...text.slice(start, end).matchAll(unit)].map(({ 0: match, index }) => start + index + match.length);
  return found.filter((at) => at > start && at < end);
}

/** The parts of [start, end) that have at most `most` tokens each, divided at the largest units that allow it. */
function parts(
  text: string,
  count: (text: string) => number,
  most: number,
  start: number,
  end: number,
  unit = 0,
): [start: number, end: number][] {
  if (count(text.slice(start, end)) <= most || end - start <= 1) return [[start, end]];
  if (unit === UNITS.length) {
    const middle = start + ((end - start) >> 1);
    // A character of two code units stays whole.
    const cut = /[\udc00-\udfff]/.test(text[middle]!) && middle + 1 < end ? middle + 1 : middle;
    const halves = [start, cut, end];
    return [0, 1].flatMap((i) => parts(text, count, most, halves[i]!, halves[i + 1]!, unit));
  }
  const edges = [start, ...endsIn(text, UNITS[unit]!, start, end), end];
  return edges.slice(1).flatMap((to, i) => parts(text, count, most, edges[i]!, to, unit + 1));
}

/**
 * Pieces of at most `most` tokens, as long as paragraphs, lines, sentences and words allow. Each begins with the last
 * parts of the one before that have at most `overlap` tokens.
 */
export function splitText(text: string, count: (text: string) => number, most: number, overlap: number): TextPiece[] {
  const small = parts(text, count, Math.max(1, overlap > 0 ? Math.min(most, overlap) : most), 0, text.length);
  const pieces: TextPiece[] = [];
  for (let first = 0; first < small.length; ) {
    let last = first;
    const tokensTo = (to: number) => count(text.slice(small[first]![0], small[to]![1]));
    while (last + 1 < small.length && tokensTo(last + 1) <= most) last++;
    pieces.push(pieceOf(text, count, small[first]![0], small[last]![1]));
    if (last + 1 === small.length) break;
    let next = last + 1;
    const from = (at: number) => count(text.slice(small[at]![0], small[last]![1]));
    while (overlap > 0 && next - 1 > first && from(next - 1) <= overlap) next--;
    first = next;
  }
  return pieces.filter((piece) => piece.text !== "");
}

/** Without white space around it. */
function pieceOf(text: string, count: (text: string) => number, from: number, to: number): TextPiece {
  const whole = text.slice(from, to);
  const piece = whole.trim();
  const start = from + (whole.length - whole.trimStart().length);
  return { text: piece, start, end: start + piece.length, tokens: piece === "" ? 0 : count(piece) };
}
