/** Softmax in float64. */
export function probabilities(logits: ArrayLike<number>): Float64Array {
  let most = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < logits.length; i++) most = Math.max(most, logits[i]!);
  const shares = Float64Array.from(logits, (logit) => Math.exp(logit - most));
  const sum = shares.reduce((total, share) => total + share, 0);
  return shares.map((share) => share / sum);
}

/** KL(p || q) in nats; what p gives no chance counts nothing. */
export function divergence(p: Float64Array, q: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < p.length; i++) if (p[i]! > 0) sum += p[i]! * Math.log(p[i]! / Math.max(q[i]!, 1e-300));
  return Math.max(0, sum);
}

/** Indices of the largest, the largest first, equal ones by index. */
export function largest(values: ArrayLike<number>, count: number): number[] {
  const order: number[] = [];
  for (let i = 0; i < values.length; i++) {
    if (order.length === count && !(values[i]! > values[order[count - 1]!]!)) continue;
    let at = order.length;
    while (at > 0 && values[i]! > values[order[at - 1]!]!) at--;
    order.splice(at, 0, i);
    if (order.length > count) order.pop();
  }
  return order;
}

/** The largest |a - b| / |b| over rows of `size` numbers. */
export function largestChange(a: Float32Array, b: Float32Array, size: number): number {
  let most = 0;
  for (let at = 0; at < b.length; at += size) {
    let [change, length] = [0, 0];
    for (let i = at; i < at + size; i++) {
      change += (a[i]! - b[i]!) ** 2;
      length += b[i]! ** 2;
    }
    if (length > 0) most = Math.max(most, Math.sqrt(change / length));
  }
  return most;
}
