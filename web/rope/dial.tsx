import { fixed, scoreText, significant } from "../text/format.js";
import { Arrow } from "./arrow.js";
import type { Pair } from "./pairs.js";

/** Each dial to its longer arrow: the angles are what is to be seen, the numbers tell the lengths. */
export function scaleOf(pair: Pair): number {
  return 88 / Math.max(Math.hypot(...pair.q), Math.hypot(...pair.k), 1e-3);
}

interface PlaneProps {
  readonly pair: Pair;
  readonly large?: boolean;
  /** Units of the drawing for length 1. */
  readonly scale?: number;
}

/** The plane of one pair: where query and key were (faint) and where their positions turned them. */
export function Plane({ pair, large = false, scale = scaleOf(pair) }: PlaneProps) {
  const weight = large ? 2.2 : 4;
  return (
    <svg class="plane" viewBox="-100 -100 200 200" aria-hidden="true">
      <circle class="rim" r={large ? 92 : 94} />
      <path class="cross" d="M-92 0H92M0-92V92" />
      <Arrow to={pair.q} scale={scale} tone="q" ghost weight={weight} />
      <Arrow to={pair.k} scale={scale} tone="k" ghost weight={weight} />
      <Arrow to={pair.kTurned} scale={scale} tone="k" weight={weight} />
      <Arrow to={pair.qTurned} scale={scale} tone="q" weight={weight} />
    </svg>
  );
}

/** Degrees within one turn, and whole turns, of position times theta. */
export function turnOf(position: number, theta: number): { degrees: number; turns: number } {
  const turns = (position * theta) / (2 * Math.PI);
  return { degrees: (turns - Math.floor(turns)) * 360, turns: Math.floor(turns) };
}

export function describePair(pair: Pair, queryPosition: number, keyPosition: number): string {
  const q = turnOf(queryPosition, pair.theta);
  const k = turnOf(keyPosition, pair.theta);
  return (
    `Pair ${pair.index}, channels ${pair.channels.join(" and ")}: wavelength ${significant(pair.wavelength)} positions; ` +
    `query turned ${fixed(q.degrees, 0)} degrees, key ${fixed(k.degrees, 0)} degrees; adds ${scoreText(pair.score)} to the score`
  );
}
