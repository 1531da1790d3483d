/** Eight lines that show the API. The page shows them, and what it runs is the same: tests run the text as a program. */
export const lines = `import { load } from "ropewalk";

const ropewalk = await load();
const rope = ropewalk.rope({ headDim: 64 });
const x = new Float32Array(64).fill(0.125);
const at = (positions) => rope.rotate(x, { sequence: 1, heads: 1, positions });
const score = (m, n) => at(m).reduce((sum, q, i) => sum + q * at(n)[i], 0);
console.log(score(7, 2).toFixed(4), score(107, 102).toFixed(4));
`;
