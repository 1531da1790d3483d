// Statistics of a list of samples. The median counts, since a sample that another process disturbed is an outlier upwards.

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
 * The median of paired ratios with an interval that holds the true one with at least 95 %: from the k-th lowest to the
 * k-th highest, k by the binomial distribution (Conover, Practical Nonparametric Statistics, 3.2). What disturbs a few
 * pairs does not move it. At least 6 pairs of positive numbers.
 */
export function pairedRatio(numerators, denominators) {
  const ratios = [];
  for (let i = 0; i < Math.min(numerators.length, denominators.length); i++) {
    if (numerators[i] > 0 && denominators[i] > 0) ratios.push(numerators[i] / denominators[i]);
  }
  const n = ratios.length;
  if (n < 6) throw new RangeError(`pairedRatio: there are ${n} pairs; allowed: at least 6`);
  const sorted = Float64Array.from(ratios).sort();
  const k = ranksOutside(n);
  return { ratio: quantile(sorted, 0.5), low: sorted[k], high: sorted[n - 1 - k], pairs: n };
}

/** How many of n >= 6 sorted values may be left out at either end: the largest k with P(Binomial(n, 1/2) <= k) <= 2.5 %. */
export function ranksOutside(n) {
  let probability = 0.5 ** n;
  let below = 0;
  for (let k = 0; ; k++) {
    below += probability;
    if (below > 0.025) return k - 1;
    probability *= (n - k) / (k + 1);
  }
}
