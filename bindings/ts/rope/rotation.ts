/** Rotations of one array or two: the arguments checked, the call made, the result brought back. */

import type { Core } from "../module/core.js";
import { checkArrayLike, refusal, wholeNumber } from "../module/errors.js";
import type { RopeExport } from "../module/native.js";
import { Scratch } from "../module/scratch.js";
import type { Numbers, Tensor } from "../module/tensor.js";
import type { Call } from "./call.js";
import { ArrayOperand } from "./operand.js";
import { keyStridesOf, type Placement, placed, type Sizes, type Strides, sizesOf } from "./placement.js";

/** Which side of the score an array is on. Matters to xPos alone. */
export type Role = "query" | "key";

/** Place in ropewalk::Role. */
export function roleOf(fn: string, role: Role | undefined, unlessGiven: 0 | 1): number {
  if (role === undefined) return unlessGiven;
  if (role === "query") return 0;
  if (role === "key") return 1;
  throw new RangeError(refusal(fn, "role", role, '"query" or "key"'));
}

export type TurnPlacement<T> = Placement & { out?: T; role?: Role };
/** Where rerotate() takes an array to. */
export interface Target {
  /** As those of a placement. */
  positions: number | ArrayLike<number>;
}

/** A target as C++ takes it: a start, or a list instead. */
export type TargetSizes = Pick<Sizes, "start" | "positions" | "cumulativeLengths">;

export function targetOf(fn: string, { positions }: Target): TargetSizes {
  if (typeof positions === "number") return { start: positions, positions: undefined, cumulativeLengths: undefined };
  checkArrayLike(fn, "to.positions", positions);
  return { start: 0, positions, cumulativeLengths: undefined };
}

/** `toRope` is the address of the rope that rerotate() takes x to. */
export function turn<T extends Numbers | Tensor>(
  fn: string,
  core: Core,
  call: Call,
  run: RopeExport,
  rope: number,
  x: T,
  placement: TurnPlacement<T>,
  to?: TargetSizes,
  toRope = 0,
): T {
  const at = sizesOf(fn, placement);
  const role = roleOf(fn, placement.role, to === undefined ? 0 : 1);
  const scratch = new Scratch(core, fn);
  try {
    const array = new ArrayOperand(scratch, fn, "x", x, "out", placement.out, placement.dtype);
    const lists = placed(scratch, at);
    const toLists = to === undefined ? undefined : placed(scratch, to, "to.positions");
    call.write(array, at, lists, role);
    if (to !== undefined && toLists !== undefined) call.writeTarget(toRope, to.start, toLists);
    if (run(rope) !== 0) throw core.failure();
    return array.result(core);
  } finally {
    scratch.free();
  }
}

export type QKPlacement<T> = Placement & { kvHeads?: number; keyStrides?: Strides; outQ?: T; outK?: T };

export function turnBoth<T extends Numbers | Tensor>(
  fn: string,
  core: Core,
  call: Call,
  run: RopeExport,
  rope: number,
  q: T,
  k: T,
  placement: QKPlacement<T>,
): { q: T; k: T } {
  const at = sizesOf(fn, placement);
  const kvHeads = placement.kvHeads === undefined ? at.heads : wholeNumber(fn, "kvHeads", placement.kvHeads);
  const keyStrides = keyStridesOf(fn, placement.strides, placement.keyStrides);
  const scratch = new Scratch(core, fn);
  try {
    const query = new ArrayOperand(scratch, fn, "q", q, "outQ", placement.outQ, placement.dtype);
    const key = new ArrayOperand(scratch, fn, "k", k, "outK", placement.outK, placement.dtype);
    call.write(query, at, placed(scratch, at), 0);
    call.writeKeys(key, kvHeads, keyStrides);
    if (run(rope) !== 0) throw core.failure();
    return { q: query.result(core), k: key.result(core) };
  } finally {
    scratch.free();
  }
}
