/** The gradients of a rotation: for a loss L and gradY = dL/dy, dL by everything that y depends on. */

import type { Core } from "../module/core.js";
import type { Handle } from "../module/handle.js";
import type { NativeCore } from "../module/native.js";
import { Scratch } from "../module/scratch.js";
import type { Numbers, Tensor } from "../module/tensor.js";
import type { Call } from "./call.js";
import { Input } from "./operand.js";
import { type Placement, placed, sizesOf } from "./placement.js";
import { type Role, roleOf } from "./rotation.js";

/** Each gradient is of its number alone, the others held. Sums are in float64. */
export interface RopeGradients {
  /** As x, also of 16-bit arrays in float32: the rotation transposed, with the magnitude. 0 where strides pass over. */
  x: Float32Array;
  /** dL/dtheta_j, in the order of Rope.frequencies, also where theta_j follow from alpha and rho. */
  frequencies: Float64Array;
  /** dL/dm of each position that was given; of a start one per token, [S], summed over the batch and the axes. */
  positions: Float64Array;
  magnitude: number;
  /** Only for the rule 'receptive-field', which has as many of each. */
  alpha?: Float64Array;
  rho?: Float64Array;
}

export function gradientsOf(
  core: Core<NativeCore>,
  call: Call,
  rope: Handle,
  x: Numbers | Tensor,
  gradY: Numbers | Tensor,
  placement: Placement & { role?: Role | undefined },
): RopeGradients {
  const fn = "gradients";
  const at = sizesOf(fn, placement);
  const { role, dtype } = placement;
  const place = roleOf(fn, role);
  const from = new Input(core, fn, "x", x, dtype);
  const to = new Input(core, fn, "gradY", gradY, dtype);
  const ropeAddress = rope.addressFor(fn);
  const scratch = new Scratch(core, fn);
  try {
    const { size, type } = from;
    const [address, outAddress] = [from.place(scratch), to.place(scratch)];
    const operand = { address, size, type, outAddress, outSize: to.size, outType: to.type };
    call.write(operand, at, placed(scratch, at), place);
    if (core.native._ropewalk_gradients(ropeAddress) !== 0) throw core.failure();
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
