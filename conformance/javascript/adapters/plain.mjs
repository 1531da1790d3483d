// RoPE in plain JavaScript float64, for the rules that take few lines: an example of an adapter.

function frequencies({ type, base, factor }, d) {
  const own = Array.from({ length: d / 2 }, (_, j) => base ** ((-2 * j) / d));
  if (type === "default") return own;
  if (type === "linear") return own.map((theta) => theta / factor);
  return null;
}

export default {
  precision: "float64",
  axes: true,
  /** Returns null for a rule, or an order of axes, that this implementation does not have. */
  make(one, pairing) {
    const d = one.rotary_dim;
    const theta = frequencies(one.frequencies, d);
    const { sections = [d / 2], order, pair_within, restart_frequencies } = one.axes ?? {};
    if (!theta || pair_within || restart_frequencies || order === "interleaved") return null;
    const axisOf = order ?? sections.flatMap((count, axis) => Array(count).fill(axis));
    /** `position` has one number for each axis where there are several. */
    const table = (position) => {
      const at = [position].flat();
      return [Math.cos, Math.sin].map((f) => theta.map((each, j) => f(at[axisOf[j]] * each)));
    };
    return {
      theta: () => theta,
      magnitude: () => 1,
      table,
      rotate(x, position) {
        const y = [...x];
        const [cos, sin] = table(position);
        for (let j = 0; j < d / 2; j++) {
          const [a, b] = pairing === "half" ? [j, j + d / 2] : [2 * j, 2 * j + 1];
          y[a] = x[a] * cos[j] - x[b] * sin[j];
          y[b] = x[a] * sin[j] + x[b] * cos[j];
        }
        return y;
      },
    };
  },
};
