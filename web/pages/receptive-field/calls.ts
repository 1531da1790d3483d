/** The calls that the page makes to its worker, because they would block the page. */
import type { HilbertCheck, ReceptiveFieldFit, RopeOptions } from "ropewalk";

export type FieldCalls = {
  fit: {
    args: {
      readonly distances: Float64Array;
      readonly values: Float64Array;
      readonly headDim: number;
      readonly base: number;
    };
    result: ReceptiveFieldFit;
  };
  hilbert: {
    args: {
      readonly options: RopeOptions;
      readonly q: Float32Array;
      readonly k: Float32Array;
      readonly distances: readonly number[];
    };
    result: HilbertCheck;
  };
};
