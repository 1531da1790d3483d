import { library } from "../../library/library.js";
import { product, rotateAt } from "../../rope/pairs.js";
import { normals, uniform } from "../../rope/vectors.js";
import { fixed, percent, significant } from "../../text/format.js";
import { newFrom } from "./draw/long.js";
import { BACK, FARTHEST } from "./draw/sum.js";
import recorded from "./recorded.json" with { type: "json" };
import { repairs, SLOW, STRANDS } from "./ropes.js";
import { KEY, QUERY, type Repaired } from "./scenes.js";
import { CUT, type Cut, type Repair } from "./state.js";

/** Numbers of the scenes: the package computes them. undefined until it is there. */
const strands = () => library.value?.rope(STRANDS);
const degrees = (radians: number) => (radians * 180) / Math.PI;

/** Channels 2j and 2j + 1 are pair j. This vector points to angle 0 in the first `count` pairs from `first` on, and has length 1. */
function pointer(first: number, count: number): Float32Array {
  const x = new Float32Array(STRANDS.headDim);
  for (let j = first; j < first + count; j++) x[2 * j] = Math.sqrt(1 / count);
  return x;
}

function turned(radians: number): string {
  const angle = degrees(radians);
  const turns = Math.floor(angle / 360);
  return turns === 0
    ? `${fixed(angle, 0)}°`
    : `${turns === 1 ? "1 turn" : `${turns} turns`} and ${fixed(angle - 360 * turns, 0)}°`;
}

export function clockReading(position: number): string | undefined {
  using rope = strands();
  if (!rope) return undefined;
  const theta = rope.frequencies;
  return `At position ${position} the fast arrow has made ${turned(position * theta[0]!)}, the slow one ${turned(position * theta[SLOW]!)}.`;
}

export function pairReading(shift: number): string | undefined {
  using rope = strands();
  if (!rope) return undefined;
  const x = pointer(SLOW, 1);
  const arrows = rotateAt(rope, x, Float64Array.of(QUERY + shift, KEY + shift, QUERY, KEY));
  const arrow = (i: number) => arrows.subarray(i * x.length, (i + 1) * x.length);
  const [now, before] = [product(arrow(0), arrow(1)), product(arrow(2), arrow(3))];
  const angle = degrees((QUERY - KEY) * rope.frequencies[SLOW]!);
  const change = Math.abs(now - before);
  const changed =
    change === 0 ? "The move changed it by 0" : `The move changed it by ${significant(change, 1)}, which is rounding`;
  return `Positions ${QUERY + shift} and ${KEY + shift}: angle ${fixed(angle, 1)}°, score ${fixed(now, 3)}. ${changed}.`;
}

export function sumReading(count: number): string | undefined {
  using rope = strands();
  if (!rope) return undefined;
  const x = pointer(0, count);
  const distances = Float64Array.from({ length: FARTHEST + 1 }, (_, n) => n);
  const arrows = rotateAt(rope, x, distances);
  const scores = Array.from(distances, (n) => product(arrows.subarray(n * x.length, (n + 1) * x.length), x));
  const most = Math.max(...scores.slice(6));
  return `${count === 1 ? "1 strand" : `${count} strands`}: score ${fixed(scores[BACK]!, 2)} at distance ${BACK}, and at most ${fixed(most, 2)} from 6 to ${FARTHEST}.`;
}

/** Frequencies of Llama 3.1 under each repair. */
export function repairedBy(): Repaired {
  const from = library.value;
  if (!from) return {};
  const named = Object.entries(repairs).map(([name, options]) => {
    using rope = from.rope(options);
    return [name, rope.frequencies] as const;
  });
  return Object.fromEntries(named);
}

export function repairReading(repair: Repair): string | undefined {
  const from = library.value;
  if (!from) return undefined;
  using plain = from.rope(repairs.none);
  using rope = from.rope(repairs[repair]);
  const [was, now] = [plain.frequencies, rope.frequencies];
  const count = (holds: (j: number) => boolean) => Array.from(was.keys()).filter(holds).length;
  const unseen = count((j) => Number.isFinite(newFrom(was[j]!, now[j]!)));
  const slowed = count((j) => now[j]! < was[j]! * (1 - 1e-9));
  const step = fixed(degrees(now[0]!), 1);
  const scaling =
    rope.magnitude === 1
      ? ""
      : ` It also multiplies scores by ${fixed(rope.magnitude ** 2, 2)}, which sharpens attention.`;
  const neighbours = repair === "all" ? ": neighbours look almost alike" : "";
  return `${unseen} of ${was.length} strands show new angles, ${slowed} are slowed down. The fastest turns by ${step}° per position${neighbours}.${scaling}`;
}

/** The largest change of a key that is rotated back by the length of the piece, beside one rotated to its new position at once. */
function turningError(): string | undefined {
  using rope = strands();
  if (!rope) return undefined;
  const positions = Float64Array.from({ length: 12 }, (_, i) => CUT[1] + i);
  const moved = positions.map((position) => position - (CUT[1] - CUT[0]));
  const keys = normals(positions.length * STRANDS.headDim, uniform(7));
  const all = (at: Float64Array) => ({ sequence: positions.length, heads: 1, positions: at });
  const turned = rope.rerotate(rope.rotate(keys, all(positions)), { ...all(positions), to: { positions: moved } });
  const afresh = rope.rotate(keys, all(moved));
  return significant(Math.max(...turned.map((value, i) => Math.abs(value - afresh[i]!))), 1);
}

export function cutReading(cut: Cut): string | undefined {
  const { text, sailor } = recorded.lanes[cut];
  const says = `The model goes on: “${text}” It gives the sailor ${percent(sailor)}.`;
  if (cut !== "turned") return says;
  const error = turningError();
  return `${says} A fresh reading gives ${percent(recorded.lanes.fresh.sailor)}: there the rest has never seen the piece. ${
    error ? `Turning itself changes no number of a key by more than ${error}.` : ""
  }`;
}
