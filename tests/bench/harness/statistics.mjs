// What is said of a list of samples. The median, since a sample that another process disturbed is an outlier upwards.

/** The value below which the share `q` of the sorted list lies, between neighbours by linear interpolation. */
export function quantile(sorted, q) {
  const at = (sorted.length - 1) * q;
  const below = Math.floor(at);
  const above = Math.min(below + 1, sorted.length - 1);
  return sorted[below] + (sorted[above] - sorted[below]) * (at - below);
}

/** { median, q1, q3, min, max, count } of numbers, at least one. */
export function summary(samples) {
  if (samples.length === 0) throw new RangeError("summary: `samples` is empty; allowed: at least one number");
  const sorted = Float64Array.from(samples).sort();
  return {
    median: quantile(sorted, 0.5),
    q1: quantile(sorted, 0.25),
    q3: quantile(sorted, 0.75),
    min: sorted[0],
    max: sorted[sorted.length - 1],
    count: sorted.length,
  };
}

/**
 * One node's time from graphs of `longNodes` and `shortNodes` chained nodes: what both have in common, the call and the
 * copies, is gone. Samples are paired by round; rounds that lack either are left out.
 */
export function differencePerNode(long, short, longNodes, shortNodes) {
  const each = [];
  for (let round = 0; round < Math.min(long.length, short.length); round++) {
    if (long[round] === undefined || short[round] === undefined) continue;
    each.push((long[round] - short[round]) / (longNodes - shortNodes));
  }
  return each;
}

/** How many times b's time a's is: by the medians, between the quartiles that favour either. */
export function ratio(a, b) {
  return { median: a.median / b.median, low: a.q1 / b.q3, high: a.q3 / b.q1 };
}

/**
 * The geometric mean of paired ratios with its 95 % interval, from the logarithms' standard error and Student's t.
 * At least two pairs of positive numbers.
 */
export function pairedRatio(numerators, denominators) {
  const logs = [];
  for (let i = 0; i < Math.min(numerators.length, denominators.length); i++) {
    if (numerators[i] > 0 && denominators[i] > 0) logs.push(Math.log(numerators[i] / denominators[i]));
  }
  const n = logs.length;
  if (n < 2) throw new RangeError(`pairedRatio: there are ${n} pairs; allowed: at least 2`);
  const mean = logs.reduce((sum, each) => sum + each, 0) / n;
  const variance = logs.reduce((sum, each) => sum + (each - mean) ** 2, 0) / (n - 1);
  const reach = studentT975(n - 1) * Math.sqrt(variance / n);
  return { ratio: Math.exp(mean), low: Math.exp(mean - reach), high: Math.exp(mean + reach), pairs: n };
}

/** The 97.5 % quantile of Student's t: tabled, and by Cornish and Fisher's expansion where that is close. */
export function studentT975(freedom) {
  const tabled = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447];
  if (freedom <= tabled.length) return tabled[freedom - 1];
  const z = 1.959963985;
  return (
    z +
    (z ** 3 + z) / (4 * freedom) +
    (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * freedom ** 2) +
    (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / (384 * freedom ** 3)
  );
}
