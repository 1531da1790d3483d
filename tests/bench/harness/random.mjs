// The same numbers in every run.

/** `count` numbers in [-1, 1). */
export function randomFloats(count, seed = 1) {
  const values = new Float32Array(count);
  let state = seed >>> 0;
  for (let i = 0; i < count; i++) {
    // Numerical Recipes' linear congruence: all that is asked of it is that no two channels are alike.
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    values[i] = (state / 2 ** 32) * 2 - 1;
  }
  return values;
}
