// Samples of several candidates, taken in turn inside one process, so that what disturbs one disturbs all alike. A
// sampler of our own, since mitata 1.0.34 runs its candidates one after the other.
//
// A candidate is { key, label, sample(iterations), took }: sample runs it that often and returns milliseconds, or a promise
// of them; `took`, where it is given, is what one call took when it was checked.

/** The candidate that calls `run`. */
export function calling(key, label, run, more = {}) {
  return {
    key,
    label,
    ...more,
    sample(iterations) {
      const begun = performance.now();
      for (let i = 0; i < iterations; i++) run();
      return performance.now() - begun;
    },
  };
}

/** The candidate that waits for each call of `run`. */
export function awaiting(key, label, run, more = {}) {
  return {
    key,
    label,
    ...more,
    async sample(iterations) {
      const begun = performance.now();
      for (let i = 0; i < iterations; i++) await run();
      return performance.now() - begun;
    },
  };
}

/** How often to call, so that a sample takes about `sampleMs`; the calls on the way warm the candidate up. */
async function calibrate(candidate, sampleMs) {
  // One call is a sample by far, and has been made.
  if (candidate.took >= 10 * sampleMs) return { iterations: 1, each: candidate.took };
  let iterations = 1;
  for (;;) {
    const took = await candidate.sample(iterations);
    if (took >= sampleMs / 2) {
      const again = await candidate.sample(iterations);
      const each = Math.min(took, again) / iterations;
      return { iterations: Math.max(1, Math.round(sampleMs / each)), each };
    }
    iterations *= took > sampleMs / 20 ? 2 : 8;
  }
}

/** The `count` of `rounds` in which a candidate is sampled, evenly spread. */
export function roundsOf(count, rounds) {
  const chosen = new Set();
  for (let i = 0; i < count; i++) chosen.add(Math.floor(((i + 0.5) * rounds) / count));
  return chosen;
}

/**
 * Samples all candidates: `rounds` times each, fewer (at least `atLeast`) for one that would take more than `budgetMs`
 * in all; the order turns around every round. Returns [{ key, label, samples, error }], samples in milliseconds per call
 * with holes where a round left the candidate out. A candidate that throws is left out from there on and says why.
 */
export async function sampleAll(candidates, { rounds, sampleMs, budgetMs, atLeast = 5 }) {
  const runs = [];
  for (const candidate of candidates) {
    const entry = { candidate, samples: new Array(rounds), error: undefined };
    runs.push(entry);
    try {
      const { iterations, each } = await calibrate(candidate, candidate.sampleMs ?? sampleMs);
      const count = Math.floor(budgetMs / (iterations * each));
      entry.iterations = iterations;
      entry.chosen = roundsOf(Math.min(rounds, Math.max(atLeast, count)), rounds);
    } catch (error) {
      entry.error = messageOf(error);
    }
  }
  for (let round = 0; round < rounds; round++) {
    for (const entry of round % 2 === 0 ? runs : runs.toReversed()) {
      if (entry.error !== undefined || !entry.chosen.has(round)) continue;
      try {
        entry.samples[round] = (await entry.candidate.sample(entry.iterations)) / entry.iterations;
      } catch (error) {
        entry.error = messageOf(error);
      }
    }
  }
  return runs.map(({ candidate, samples, error }) => ({ ...described(candidate), samples, error }));
}

const described = ({ sample, sampleMs, took, dispose, ...rest }) => rest;

export const messageOf = (error) => String(error?.message ?? error).split("\n")[0];
