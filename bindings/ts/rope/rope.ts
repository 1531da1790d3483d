/**
 * Rotary position embeddings. Pair j of a head at position m, (a, b), becomes
 * magnitude * (a cos phi - b sin phi, a sin phi + b cos phi), phi = m * theta_j
 * (RoFormer, arXiv 2104.09864, equations 14-16).
 *
 * Shapes: B batch, S sequence, H heads, D head dimension, d rotary dimension, j pair index 0..d/2-1.
 */

import { numbersOf } from "../module/arrays.js";
import type { Core } from "../module/core.js";
import { optionsObject, refusal } from "../module/errors.js";
import { Handle } from "../module/handle.js";
import type { NativeCore } from "../module/native.js";
import { optionsToJson } from "../module/options.js";
import { Scratch } from "../module/scratch.js";
import type { Numbers, Tensor } from "../module/tensor.js";
import {
  analysisOf,
  type ExplainOptions,
  type Explanation,
  type HeadChoice,
  type HilbertCheck,
  type ReceptiveFieldQuestion,
  type RopeAnalysis,
  type Score,
  type Turns,
} from "./analysis.js";
import type { Axes, QueryScale, XPos } from "./axes.js";
import { Call } from "./call.js";
import type { Frequencies } from "./frequencies.js";
import { gradientsOf, type RopeGradients } from "./gradients.js";
import type { Placement } from "./placement.js";
import {
  type QKPlacement,
  type RerotateTarget,
  type Role,
  type RotatePlacement,
  rotateBoth,
  rotateOne,
  targetOf,
} from "./rotation.js";

export type { Role } from "./rotation.js";

/** All of it, arrays included, holds at most 2^18 values and 2^24 characters, and is at most 64 levels deep. */
export interface RopeOptions {
  /** D: channels of one head. A whole number, at least 2; odd only where `rotaryDim` is given. */
  headDim: number;
  /** d: the first d channels of the window rotate, the rest pass through. Even. Default headDim. */
  rotaryDim?: number | undefined;
  /** The rotated window starts here inside the head. Default 0. */
  rotaryOffset?: number | undefined;
  /**
   * 'interleaved': channels (2j, 2j+1), as RoFormer, GPT-J and Meta's own Llama. 'half': (j, j + d/2), as Hugging Face's
   * Llama, whose weights are permuted for it, and GPT-NeoX. Default 'interleaved'.
   */
  pairing?: "interleaved" | "half" | undefined;
  /** Default { type: 'default' }: theta_j = 10000^(-2j/d). */
  frequencies?: Frequencies | undefined;
  /** Several position axes: M-RoPE, images, video. */
  axes?: Axes | undefined;
  /** Scores that decay with distance. */
  xpos?: XPos | undefined;
  /** Queries that grow with their position (Llama 4, Ministral 3). */
  queryScale?: QueryScale | undefined;
  /**
   * 'exact': angles in float64, cos and sin correct to 1 ulp of float32. 'float32': angles in float32 as PyTorch
   * implementations compute them, for parity with models trained so. Default 'exact'.
   */
  angles?: "exact" | "float32" | undefined;
}

export interface Rope extends Disposable {
  /** d */
  readonly rotaryDim: number;
  /** theta_j, radians per position: d/2, or heads * d/2. A copy. */
  readonly frequencies: Float64Array;
  /** 2 pi / theta_j, positions; infinite where theta_j is 0. A copy. */
  readonly wavelengths: Float64Array;
  /** Multiplies cos and sin. */
  readonly magnitude: number;

  /**
   * Rotates x, B*S*H*D elements in the order that `placement` says. Returns `out`: for an array a new array unless
   * given (`out: x` rotates in place); for a Tensor the tensor itself unless given, since a Tensor is never copied.
   * `role`, 'query' unless given, matters to xPos and `queryScale` alone.
   *
   * @throws RangeError or TypeError when sizes or positions do not agree; nothing has been written then.
   */
  rotate<T extends Numbers | Tensor>(x: T, placement: RotatePlacement<T>): T;
  /**
   * Rotates queries (B*S*H*D) and keys (B*S*kvHeads*D) at the same positions in one call; `kvHeads` is `heads` unless
   * given. Both are arrays or both are Tensors; with `strides`, `keyStrides` are those of k.
   */
  rotateQK<T extends Numbers | Tensor>(q: T, k: T, placement: QKPlacement<T>): { q: T; k: T };
  /** The inverse of rotate: unrotate(rotate(x)) is x, also when the magnitude is not 1. */
  unrotate<T extends Numbers | Tensor>(x: T, placement: RotatePlacement<T>): T;
  /**
   * x, which this rope rotated at `positions`, as if `to.rope` (this one unless given) had rotated it at `to.positions`:
   * in one pass, with the new rule's magnitude instead of the old one's. For cached keys (`role` is 'key' unless
   * given): a context shift, or LongRoPE and dynamic NTK crossing their threshold. When shifting many times, keep what
   * was rotated first and go from there, so that roundings do not add up.
   */
  rerotate<T extends Numbers | Tensor>(
    x: T,
    placement: RotatePlacement<T> & { to: RerotateTarget & { rope?: Rope | undefined } },
  ): T;
  /**
   * Vector-Jacobian product of y = rotate(x): from gradY = dL/dy, of the size and the strides of x, the gradients of x,
   * theta, positions and magnitude, and of alpha and rho where the rule has them.
   */
  gradients(
    x: Numbers | Tensor,
    gradY: Numbers | Tensor,
    placement: Placement & { role?: Role | undefined },
  ): RopeGradients;
  /**
   * cos and sin of m * theta_j times the magnitude, for each position m: [positions, d/2] each, with frequencies for each
   * head [positions, heads * d/2]. Several axes all have that position.
   */
  table(positions: ArrayLike<number>): { cos: Float32Array; sin: Float32Array };

  /** The factor of the query at each position: 1 without `queryScale`. @throws RangeError for positions out of range */
  queryScales(positions: ArrayLike<number>): Float64Array<ArrayBuffer>;

  /**
   * Explains how the rule changed each pair, why, and where the magnitude comes from. `context`: the pairs that never
   * complete a turn within so many positions are named; the length that the rule names is considered always. With `type`
   * besides, `limits` says what the frequencies allow within the context, and where angles of that type collapse.
   *
   * @throws RangeError for a context that is not finite or not above 0, and for an unknown type; TypeError for `type` without `context`.
   */
  explain(options?: ExplainOptions): Explanation;
  /**
   * The factor of RoFormer's bound on the score of a query and a key (section 3.4.3), at each distance n in positions: the mean
   * over j = 1 .. d/2 of |S_j|, S_j = sum_{k < j} e^{i n theta_k}. It is (d/2 + 1)/2 at distance 0, and not monotone. The bound
   * is (d/2) times this times the largest change of q_j conj(k_j) from pair to pair, the change of the last pair to 0 included.
   *
   * @throws RangeError for distances that are not finite, and for a `head` that the rope does not have.
   */
  decay(distances: ArrayLike<number>, options?: HeadChoice): Float64Array;
  /** Attention score of q and k [D] against distance, with its in-phase and quadrature parts (a Hilbert pair). */
  score(q: ArrayLike<number>, k: ArrayLike<number>, distances: ArrayLike<number>, options?: HeadChoice): Score;
  /**
   * How far the quadrature of `score` is from the Hilbert transform of its in-phase part, at whole distances. Takes up
   * to 2^20 samples: tens of milliseconds.
   */
  hilbertError(
    q: ArrayLike<number>,
    k: ArrayLike<number>,
    distances: ArrayLike<number>,
    options?: HeadChoice,
  ): HilbertCheck;
  /**
   * How many whole revolutions each pair makes within `context` positions, as fractions: context * |theta_j| / (2 pi).
   *
   * @throws RangeError for a context that is not finite or not above 0.
   */
  turns(context: number): Turns;
  /**
   * The distance at which the mean kernel (2/d) sum_j cos(n theta_j), the expected score of equal queries and keys,
   * first falls below `threshold`; infinite if it does not within `limit`. Time is proportional to the distance.
   */
  effectiveReceptiveField(options?: ReceptiveFieldQuestion): number;
  /** Frees the rope. Doing so again has no effect; using it afterwards is an Error. */
  dispose(): void;
}

/** The modules that a rope works in. */
export interface RopeModules {
  core: Core<NativeCore>;
  /** Undefined unless `load({ analysis: true })`. */
  analysis: RopeAnalysis | undefined;
}

/** The number of axes whose angles add up in each pair; 1 if there are none. */
function mixedAxes({ axes }: RopeOptions, rotaryDim: number): number {
  const sections = axes?.sections ?? [];
  return sections.length > 1 && sections.every((each) => 2 * each === rotaryDim) ? sections.length : 1;
}

// In the constructor no function may use `this`: the one that frees the native rope would keep the object alive with it.
export class ModuleRope extends Handle implements Rope {
  readonly #core: Core<NativeCore>;
  readonly #call: Call;
  readonly rotaryDim: number;
  readonly magnitude: number;
  /** Entries of a row of a table. Mixed axes, which add up their angles, have frequencies each. */
  readonly #width: number;
  readonly #frequencies: Float64Array;
  readonly #wavelengths: Float64Array;
  readonly #modules: RopeModules;
  readonly #options: string;

  constructor(modules: RopeModules, options: RopeOptions) {
    const { core } = modules;
    const json = optionsToJson("rope", optionsObject("rope", "options", options));
    const native = core.withText("rope", "`options`", json, (address, size) => core.native.makeRope(address, size));
    if (native === null) throw core.failure();
    super(core.owner, "rope", () => native.delete(), native.address());
    this.#core = core;
    this.#modules = modules;
    this.#options = json;
    this.#call = new Call(core.native);
    this.rotaryDim = native.rotaryDim();
    this.magnitude = native.magnitude();
    const count = native.frequencyCount();
    this.#width = count / mixedAxes(options, this.rotaryDim);
    const read = (write: (address: number) => void): Float64Array => {
      const address = core.allocate("rope", "the frequencies", count * 8);
      try {
        write(address);
        return core.float64(address, count).slice();
      } finally {
        core.free(address);
      }
    };
    this.#frequencies = read((address) => native.writeFrequencies(address));
    this.#wavelengths = read((address) => native.writeWavelengths(address));
  }

  get frequencies(): Float64Array {
    return this.#frequencies.slice();
  }

  get wavelengths(): Float64Array {
    return this.#wavelengths.slice();
  }

  rotate<T extends Numbers | Tensor>(x: T, placement: RotatePlacement<T>): T {
    return rotateOne("rotate", this.#core, this.#call, this.#call.rotate, this, x, placement);
  }

  unrotate<T extends Numbers | Tensor>(x: T, placement: RotatePlacement<T>): T {
    return rotateOne("unrotate", this.#core, this.#call, this.#call.unrotate, this, x, placement);
  }

  rotateQK<T extends Numbers | Tensor>(q: T, k: T, placement: QKPlacement<T>): { q: T; k: T } {
    const fn = "rotateQK";
    return rotateBoth(fn, this.#core, this.#call, this.#call.rotateQK, this, q, k, placement);
  }

  rerotate<T extends Numbers | Tensor>(
    x: T,
    placement: RotatePlacement<T> & { to: RerotateTarget & { rope?: Rope | undefined } },
  ): T {
    const fn = "rerotate";
    this.assertLive(fn);
    const { positions, rope } = optionsObject(fn, "to", optionsObject(fn, "placement", placement).to);
    const toRope = this.#another(fn, rope);
    return rotateOne(
      fn,
      this.#core,
      this.#call,
      this.#call.rerotate,
      this,
      x,
      placement,
      targetOf(fn, positions),
      toRope,
    );
  }

  gradients(
    x: Numbers | Tensor,
    gradY: Numbers | Tensor,
    placement: Placement & { role?: Role | undefined },
  ): RopeGradients {
    return gradientsOf(this.#core, this.#call, this, x, gradY, placement);
  }

  /** The rope that rerotate() goes to, if it is not this one. */
  #another(fn: string, rope: Rope | undefined): ModuleRope | undefined {
    if (rope === undefined) return undefined;
    if (typeof rope === "object" && rope !== null && #core in rope && rope.#core === this.#core) return rope;
    throw refusal("type", fn, "to.rope", rope, "a Rope of the same module");
  }

  table(positions: ArrayLike<number>): { cos: Float32Array; sin: Float32Array } {
    const fn = "table";
    this.assertLive(fn);
    const list = numbersOf(fn, "positions", positions);
    const rope = this.addressFor(fn);
    const scratch = new Scratch(this.#core, fn);
    try {
      const size = list.length * this.#width;
      const values = scratch.float64("positions", list);
      const cos = scratch.allocate("cos", size * 4);
      const sin = scratch.allocate("sin", size * 4);
      if (this.#core.native._ropewalk_table(rope, values, list.length, cos, sin, size) !== 0)
        throw this.#core.failure();
      return { cos: this.#core.float32(cos, size).slice(), sin: this.#core.float32(sin, size).slice() };
    } finally {
      scratch.free();
    }
  }

  queryScales(positions: ArrayLike<number>): Float64Array<ArrayBuffer> {
    const fn = "queryScales";
    this.assertLive(fn);
    const list = numbersOf(fn, "positions", positions);
    const rope = this.addressFor(fn);
    const scratch = new Scratch(this.#core, fn);
    try {
      const address = scratch.float64("positions", list);
      if (this.#core.native._ropewalk_query_scales(rope, address, list.length) !== 0) throw this.#core.failure();
      return this.#core.float64(address, list.length).slice();
    } finally {
      scratch.free();
    }
  }

  /** Answers questions about the rope from its options. */
  #analysis(fn: string): RopeAnalysis {
    this.assertLive(fn);
    return analysisOf(fn, this.#modules);
  }

  explain(options: ExplainOptions = {}): Explanation {
    return this.#analysis("explain").explain(this.#options, options);
  }

  decay(distances: ArrayLike<number>, options: HeadChoice = {}): Float64Array {
    return this.#analysis("decay").decay(this.#options, distances, options);
  }

  score(q: ArrayLike<number>, k: ArrayLike<number>, distances: ArrayLike<number>, options: HeadChoice = {}): Score {
    return this.#analysis("score").score(this.#options, q, k, distances, options);
  }

  hilbertError(
    q: ArrayLike<number>,
    k: ArrayLike<number>,
    distances: ArrayLike<number>,
    options: HeadChoice = {},
  ): HilbertCheck {
    return this.#analysis("hilbertError").hilbertError(this.#options, q, k, distances, options);
  }

  turns(context: number): Turns {
    return this.#analysis("turns").turns(this.#options, context, this.#frequencies.length);
  }

  effectiveReceptiveField(options: ReceptiveFieldQuestion = {}): number {
    return this.#analysis("effectiveReceptiveField").effectiveReceptiveField(this.#options, options);
  }
}
