// How far a result is from the reference, and whether that is within the bounds.

function dot(a, b) {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

const cosine = (a, b) => dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));

/** NaN where any difference is, as Math.max has it. */
export function largestDifference(a, b) {
  let most = 0;
  for (let i = 0; i < b.length; i++) most = Math.max(most, Math.abs(a[i] - b[i]));
  return most;
}

/** The nearest `count` of vector `at` among the others. */
function neighbours(vectors, at, count) {
  const others = vectors.map((vector, i) => ({ i, near: dot(vectors[at], vector) })).filter(({ i }) => i !== at);
  others.sort((a, b) => b.near - a.near || a.i - b.i);
  return others.slice(0, count).map(({ i }) => i);
}

/** The share of each vector's nearest ten among the reference's that are still among the nearest ten. */
export function neighboursKept(vectors, reference, count = 10) {
  let kept = 0;
  for (let at = 0; at < reference.length; at++) {
    const wanted = new Set(neighbours(reference, at, count));
    kept += neighbours(vectors, at, count).filter((i) => wanted.has(i)).length;
  }
  return kept / (count * reference.length);
}

const sameIds = (a, b) => a.length === b.length && b.every((id, i) => id === a[i]);
/** How many lists of ids differ from the reference's. */
export const wrongIds = (ids, reference) => reference.filter((each, i) => !sameIds(ids[i], each)).length;

/** Measures of sentence vectors; `ids` where the host tokenises. */
export function encoderMeasures({ ids, vectors }, golden) {
  const cosines = golden.vectors.map((each, i) => cosine(vectors[i], each));
  return {
    ...(ids && { wrongIds: wrongIds(ids, golden.ids) }),
    leastCosine: Math.min(...cosines),
    largestDifference: Math.max(...golden.vectors.map((each, i) => largestDifference(vectors[i], each))),
    neighboursKept: neighboursKept(vectors, golden.vectors),
  };
}

function logitDifference(logits, { top, every_997th: spread }) {
  const best = Math.max(...top.map(([id, value]) => Math.abs(logits[id] - value)));
  const rest = largestDifference(
    spread.map((_, i) => logits[i * 997]),
    spread,
  );
  return Math.max(best, rest);
}

const otherTokens = (greedy, reference) => reference.filter((id, i) => greedy[i] !== id).length;

/** Measures of a decoder: `cases` with logits at the positions of the reference, and `ids` where the host tokenises. */
export function decoderMeasures(cases, golden) {
  const all = (measure) => golden.cases.map((reference, i) => measure(cases[i], reference));
  return {
    ...(cases[0].ids && {
      wrongIds: wrongIds(
        cases.map(({ ids }) => ids),
        golden.cases.map(({ ids }) => ids),
      ),
    }),
    logitDifference: Math.max(
      ...all(({ logits }, { positions }) => Math.max(...positions.map((each, i) => logitDifference(logits[i], each)))),
    ),
    likelihoodDifference: Math.max(
      ...all((found, reference) => Math.abs(found.likelihood - reference.mean_negative_log_likelihood)),
    ),
    otherGreedyTokens: all(({ greedy }, reference) => otherTokens(greedy, reference.greedy)).reduce((a, b) => a + b, 0),
  };
}

/** The larger the better; of all other measures, the smaller. */
const HIGHER = ["leastCosine", "neighboursKept"];

export const within = (name, value, bound) => (HIGHER.includes(name) ? value >= bound : value <= bound);

/** "holds", "falls short" (a bound is missed), or "refused" (the model did not load). */
export function verdictOf({ refused, measures, bounds }) {
  if (refused !== undefined) return "refused";
  const missed = Object.entries(measures).some(([name, value]) => name in bounds && !within(name, value, bounds[name]));
  return missed ? "falls short" : "holds";
}

/** Where the figure got worse by more than 1 %: other processors round float32 otherwise. */
const isWorse = (name, value, before) => !within(name, value, HIGHER.includes(name) ? before * 0.99 : before * 1.01);

/** Sentences about what a row had and has no more; a bound that holds is all that is asked of a measure. */
export function regressionsOf(row, before) {
  const title = `${row.model}, ${row.host}, ${row.precision}`;
  if (before === undefined || before.refused !== undefined) return [];
  if (row.refused !== undefined) return [`${title}: loaded before, and is refused now: ${row.refused}`];
  return Object.entries(before.measures).flatMap(([name, old]) => {
    const value = row.measures[name];
    if (value === undefined) return [`${title}: ${name} is not measured any more`];
    const bound = row.bounds[name];
    if (bound !== undefined && within(name, value, bound)) return [];
    return isWorse(name, value, old) ? [`${title}: ${name} was ${old} and is ${value}`] : [];
  });
}
