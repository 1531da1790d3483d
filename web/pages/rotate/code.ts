import type { RopeOptions } from "ropewalk";
import type { Snippets } from "../../code/code-drawer.js";
import { rowsOf } from "../../code/literal.js";
import { cppOptions, typescriptOptions } from "../../code/options.js";

interface Shown {
  readonly options: RopeOptions;
  readonly q: Float32Array;
  readonly k: Float32Array;
  readonly queryPosition: number;
  readonly keyPosition: number;
}

/** Seven digits name a float32 well enough to see the same score. */
const digits = (value: number) => String(Number(value.toPrecision(7)));
function cppFloat(value: number): string {
  const written = digits(value);
  return `${/[.e]/.test(written) ? written : `${written}.0`}f`;
}

/** Query and key of the page, turned by their positions, and their score. */
export function rotateSnippets({ options, q, k, queryPosition, keyPosition }: Shown): Snippets {
  return {
    typescript: `import { load } from "ropewalk";

const ropewalk = await load();
const rope = ropewalk.rope(${typescriptOptions(options)});

const q = Float32Array.of(
${rowsOf(q, "  ", digits)}
);
const k = Float32Array.of(
${rowsOf(k, "  ", digits)}
);
const turnedQ = rope.rotate(q, { sequence: 1, heads: 1, positions: ${queryPosition} });
const turnedK = rope.rotate(k, { sequence: 1, heads: 1, positions: ${keyPosition} });
const score = turnedQ.reduce((sum, value, i) => sum + value * turnedK[i], 0);
console.log(score);
`,
    cpp: `#include <cstdio>
#include <numeric>
#include <vector>

#include <ropewalk/rope.hpp>

int main() {
  const ropewalk::Rope rope(${cppOptions(options).replaceAll("\n", "\n  ")});

  std::vector<float> q = {
${rowsOf(q, "      ", cppFloat)}
  };
  std::vector<float> k = {
${rowsOf(k, "      ", cppFloat)}
  };
  rope.rotate(q, q, {.sequence = 1, .heads = 1, .positions = ${queryPosition}});
  rope.rotate(k, k, {.sequence = 1, .heads = 1, .positions = ${keyPosition}});
  std::printf("%.6f\\n", std::inner_product(q.begin(), q.end(), k.begin(), 0.0));
}
`,
  };
}
