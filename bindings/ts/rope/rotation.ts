/** Rotations of one array or two: the arguments checked, the call made, the result brought back. */

import { numbersOf } from "../module/arrays.js";
import type { Core } from "../module/core.js";
import { failure, refusal, wholeNumber } from "../module/errors.js";
import type { Handle } from "../module/handle.js";
import { ROLES } from "../module/numbers.js";
import { Scratch } from "../module/scratch.js";
import { ModuleTensor, type Numbers, type Tensor } from "../module/tensor.js";
import type { Call, RopeExport } from "./call.js";
import { ArrayOperand } from "./operand.js";
import { hasLists, keyStridesOf, type Placement, placed, type Sizes, type Strides, sizesOf } from "./placement.js";

/** The side of the score that an array is on. Only `xpos` and `queryScale` tell them apart. */
export type Role = "query" | "key";

const QUERY = ROLES.indexOf("query");
const KEY = ROLES.indexOf("key");

/** Place in ROLES. */
export function roleOf(fn: string, role: Role | undefined, unlessGiven = QUERY): number {
  const place = role === undefined ? unlessGiven : ROLES.indexOf(role);
  if (place >= 0) return place;
  throw refusal("range", fn, "role", role, '"query" or "key"');
}

/** The second argument of `rotate` and `unrotate`. */
export type RotatePlacement<T> = Placement & {
  /** Takes the result: x itself, or memory of its size and type apart from it. Default: a new array; a Tensor is rotated in place. */
  out?: T | undefined;
  /** The side of the score that x is on; it matters to `xpos` and `queryScale` alone. Default 'query'; of `rerotate` 'key'. */
  role?: Role | undefined;
};
/** The target of `rerotate`. */
export interface RerotateTarget {
  /** The new positions: a start, or a list as `positions` of the placement has it. */
  positions: number | ArrayLike<number>;
}

/** A target as C++ takes it: a start, or a list instead. */
export type TargetSizes = Pick<Sizes, "start" | "positions" | "cumulativeLengths">;

export function targetOf(fn: string, positions: RerotateTarget["positions"]): TargetSizes {
  if (typeof positions === "number") return { start: positions, positions: undefined, cumulativeLengths: undefined };
  return { start: 0, positions: numbersOf(fn, "to.positions", positions), cumulativeLengths: undefined };
}

/**
 * All that belongs to the caller is read first; addresses are asked for afterwards, when nothing can be disposed any
 * more. `toRope` is the rope that rerotate() takes x to.
 */
export function rotateOne<T extends Numbers | Tensor>(
  fn: string,
  core: Core,
  call: Call,
  run: RopeExport,
  rope: Handle,
  x: T,
  placement: RotatePlacement<T>,
  to?: TargetSizes,
  toRope: Handle | undefined = undefined,
): T {
  const at = sizesOf(fn, placement);
  const { role, out, dtype } = placement;
  const place = roleOf(fn, role, to === undefined ? QUERY : KEY);
  if (
    ModuleTensor.is(x) &&
    (out === undefined || out === x) &&
    dtype === undefined &&
    to === undefined &&
    !hasLists(at)
  ) {
    // Nothing is copied, so that nothing has to be made or freed.
    const ropeAddress = rope.addressFor(fn);
    call.writeTensor(new Scratch(core, fn).addressOf("x", x), x.size, x.type, at, place);
    if (run(ropeAddress) !== 0) throw core.failure();
    return x;
  }
  const array = new ArrayOperand(core, fn, "x", x, "out", out, dtype);
  const ropeAddress = rope.addressFor(fn);
  const scratch = new Scratch(core, fn);
  try {
    array.place(scratch);
    const lists = placed(scratch, at);
    const toLists = to === undefined ? undefined : placed(scratch, to, "to.positions");
    call.write(array, at, lists, place);
    if (to !== undefined && toLists !== undefined) call.writeTarget(toRope?.addressFor(fn) ?? 0, to.start, toLists);
    if (run(ropeAddress) !== 0) throw core.failure();
    return array.result(core);
  } finally {
    scratch.free();
  }
}

/** The third argument of `rotateQK`. `heads` and `strides` are those of q. */
export type QKPlacement<T> = Placement & {
  /** Heads of k. A whole number, at least 1. Default `heads`. */
  kvHeads?: number | undefined;
  /** Strides of k, exactly where `strides` gives those of q. */
  keyStrides?: Strides | undefined;
  /** Takes rotated q: q itself, or memory of its size and type. Default: a new array; a Tensor is rotated in place. */
  outQ?: T | undefined;
  /** Takes rotated k: k itself, or memory of its size and type apart from `outQ`. Default: as for `outQ`. */
  outK?: T | undefined;
};

export function rotateBoth<T extends Numbers | Tensor>(
  fn: string,
  core: Core,
  call: Call,
  run: RopeExport,
  rope: Handle,
  q: T,
  k: T,
  placement: QKPlacement<T>,
): { q: T; k: T } {
  const at = sizesOf(fn, placement);
  const { kvHeads = at.heads, strides, keyStrides, outQ, outK, dtype } = placement;
  const keyHeads = wholeNumber(fn, "kvHeads", kvHeads);
  const strideOfKeys = keyStridesOf(fn, strides, keyStrides);
  const query = new ArrayOperand(core, fn, "q", q, "outQ", outQ, dtype);
  const key = new ArrayOperand(core, fn, "k", k, "outK", outK, dtype);
  // C++ checks Tensors. Arrays are copied back whole, so that the second would undo the first.
  if (query.written !== undefined && key.written?.meets(query.written) === true) {
    throw failure("range", fn, `\`outK\` is in the memory of \`outQ\`; allowed: an array apart from it`);
  }
  const ropeAddress = rope.addressFor(fn);
  const scratch = new Scratch(core, fn);
  try {
    query.place(scratch);
    key.place(scratch);
    call.write(query, at, placed(scratch, at), QUERY);
    call.writeKeys(key, keyHeads, strideOfKeys);
    if (run(ropeAddress) !== 0) throw core.failure();
    return { q: query.result(core), k: key.result(core) };
  } finally {
    scratch.free();
  }
}
