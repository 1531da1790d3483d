/** lines.mjs in the page: the policy lets no text run as a program. Returns what it prints. */
export async function runLines(): Promise<string> {
  const { load } = await import("ropewalk");
  const ropewalk = await load();
  const rope = ropewalk.rope({ headDim: 64 });
  try {
    const x = new Float32Array(64).fill(0.125);
    const at = (positions: number) => rope.rotate(x, { sequence: 1, heads: 1, positions });
    const score = (m: number, n: number) => at(m).reduce((sum, q, i) => sum + q * at(n)[i]!, 0);
    return `${score(7, 2).toFixed(4)} ${score(107, 102).toFixed(4)}`;
  } finally {
    rope.dispose();
  }
}
