// The calls of a decoder that are timed, each as a function, given an engine of engines.mjs.
import { idsOf, STRETCH } from "./shape.mjs";

export const WORK = {
  /** A prompt at once. */
  prefill(engine) {
    const ids = idsOf(STRETCH);
    return () => {
      engine.hold(0);
      return engine.step(ids);
    };
  },
  /** The token behind so many. */
  decode(engine, held) {
    let next = 0;
    return () => {
      // So few more tokens than `held` that their keys cost nothing.
      if (next % 8 === 0) engine.hold(held);
      return engine.step(idsOf(1, next++));
    };
  },
};
