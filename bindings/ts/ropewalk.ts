/** What `load()` gives: one instance of the module, and the makers of everything in it. */
import type { Core } from "./core.js";
import type { ModelRoom } from "./model-room.js";
import type { NativeCore } from "./module.js";
import type { LoadProgress } from "./receive.js";
import type { RoFormer, RoFormerSource } from "./roformer.js";
import { ModuleRope, type Rope, type RopeOptions } from "./rope.js";
import { type DType, makeTensor, type Tensor } from "./tensor.js";

export interface Ropewalk {
  readonly version: string;
  readonly variant: "simd";
  /** @throws RangeError or TypeError that names the option, its value and what is allowed. */
  rope(options: RopeOptions): Rope;
  /** A tensor of the shape, row-major, with the data or zeros. @throws Error when the memory cannot be had. */
  tensor(shape: readonly number[], data?: ArrayLike<number>, dtype?: DType): Tensor;
  /** A RoFormer from its checkpoint. The first one loads the code that only models need. */
  roformer(source: RoFormerSource, options?: LoadProgress): Promise<RoFormer>;
  /** Objects not yet disposed, and bytes allocated for all of them: for leak checks. */
  stats(): { handles: number; heapBytes: number };
}

export class ModuleRopewalk implements Ropewalk {
  readonly #core: Core<NativeCore>;
  readonly #openRoom: () => Promise<ModelRoom>;
  #opening: Promise<ModelRoom> | undefined;
  #room: ModelRoom | undefined;
  readonly version: string;
  readonly variant = "simd";

  constructor(core: Core<NativeCore>, openRoom: () => Promise<ModelRoom>) {
    this.#core = core;
    this.#openRoom = openRoom;
    this.version = core.native.version();
  }

  rope(options: RopeOptions): Rope {
    return new ModuleRope(this.#core, options);
  }

  tensor(shape: readonly number[], data?: ArrayLike<number>, dtype?: DType): Tensor {
    return makeTensor(this.#core, shape, data, dtype);
  }

  async roformer(source: RoFormerSource, options?: LoadProgress): Promise<RoFormer> {
    this.#opening ??= this.#openRoom();
    try {
      this.#room = await this.#opening;
    } catch (error) {
      // The next call tries again.
      this.#opening = undefined;
      throw error;
    }
    return this.#room.roformer(source, options);
  }

  stats(): { handles: number; heapBytes: number } {
    const ropes = this.#core.stats();
    const models = this.#room?.stats() ?? { handles: 0, heapBytes: 0 };
    return { handles: ropes.handles + models.handles, heapBytes: ropes.heapBytes + models.heapBytes };
  }
}
