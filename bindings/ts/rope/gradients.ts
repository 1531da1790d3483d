/** The gradients of a rotation: for a loss L and gradY = dL/dy, dL by everything that y depends on. */

import type { Core } from "../module/core.js";
import type { NativeCore } from "../module/native.js";
import { Scratch } from "../module/scratch.js";
import type { Numbers, Tensor } from "../module/tensor.js";
import type { Call } from "./call.js";
import { inputOf, typeOf } from "./operand.js";
import { type Placement, placed, sizesOf } from "./placement.js";
import { type Role, roleOf } from "./rotation.js";

/** Each gradient is of its number alone, the others held. Sums are in float64. */
export interface RopeGradients {
  /** As x, also of 16-bit arrays in float32: the rotation transposed, with the magnitude. 0 where strides pass over. */
  x: Float32Array;
  /** dL/dtheta_j, as Rope.frequencies. Where theta_j follow from alpha and rho, theirs all the same. */
  frequencies: Float64Array;
  /** dL/dm of each position that was given; of a start one per token, [S], summed over the batch and the axes. */
  positions: Float64Array;
  magnitude: number;
  /** Of the rule 'receptive-field': as many as it has of each. */
  alpha?: Float64Array;
  rho?: Float64Array;
}

export function gradientsOf(
  core: Core<NativeCore>,
  call: Call,
  rope: number,
  x: Numbers | Tensor,
  gradY: Numbers | Tensor,
  placement: Placement & { role?: Role },
): RopeGradients {
  const fn = "gradients";
  const at = sizesOf(fn, placement);
  const role = roleOf(fn, placement.role, 0);
  const scratch = new Scratch(core, fn);
  try {
    const type = typeOf(fn, "x", x, placement.dtype);
    const outType = typeOf(fn, "gradY", gradY, placement.dtype);
    const [address, size] = inputOf(scratch, "x", x, type);
    const [outAddress, outSize] = inputOf(scratch, "gradY", gradY, outType);
    call.write({ address, size, type, outAddress, outSize, outType }, at, placed(scratch, at), role);
    if (core.native._ropewalk_gradients(rope) !== 0) throw core.failure();
    const found = call.found();
    const [dx, ...rest] = found.gradients;
    const [frequencies, positions, alpha, rho] = rest.map((each) => core.float64(...each).slice());
    const gradients: RopeGradients = {
      x: core.float32(...dx!).slice(),
      frequencies: frequencies!,
      positions: positions!,
      magnitude: found.magnitude,
    };
    if (alpha!.length > 0) Object.assign(gradients, { alpha, rho });
    return gradients;
  } finally {
    core.native._ropewalk_free_gradients();
    scratch.free();
  }
}
