import type { RopeOptions } from "ropewalk";
import type { Snippets } from "../../code/code-drawer.js";
import { cppOptions, typescriptOptions } from "../../code/options.js";
import { headDim, side } from "./axes.js";

/** Scores of the first patch with every patch, of equal vectors. `line`: patches are numbered row by row. */
export function pictureSnippets(options: RopeOptions, line: boolean): Snippets {
  return {
    typescript: `import { load } from "ropewalk";

const ropewalk = await load();
const rope = ropewalk.rope(${typescriptOptions(options)});
const side = ${side};
const patches = [...Array(side * side).keys()];
${
  line
    ? "const positions = patches;"
    : `// [axes * patches]: the rows of all patches, then their columns; multiplied by 0.5, a grid twice as fine is rescaled.
const positions = [...patches.map((i) => Math.floor(i / side)), ...patches.map((i) => i % side)];`
}
const x = new Float32Array(patches.length * ${headDim}).fill(1 / Math.sqrt(${headDim}));
const y = rope.rotate(x, { sequence: patches.length, heads: 1, positions });
for (const i of patches) {
  let score = 0;
  for (let c = 0; c < ${headDim}; c++) score += y[c] * y[i * ${headDim} + c];
  console.log(Math.floor(i / side), i % side, score.toFixed(4));
}
`,
    cpp: `#include <cmath>
#include <cstdio>
#include <numeric>
#include <vector>

#include <ropewalk/rope.hpp>

int main() {
  const ropewalk::Rope rope(${cppOptions(options).replaceAll("\n", "\n  ")});
  constexpr int side = ${side}, patches = side * side;
  std::vector<double> positions(${line ? "" : "2 * "}patches);
  for (int i = 0; i < patches; ++i) {
    ${line ? "positions[i] = i;" : "positions[i] = i / side;\n    positions[patches + i] = i % side;"}
  }
  std::vector<float> x(patches * ${headDim}, 1 / std::sqrt(${headDim}.0f));
  rope.rotate(x, x, {.sequence = patches, .heads = 1, .positions = positions});
  for (int i = 0; i < patches; ++i) {
    const double score = std::inner_product(x.begin(), x.begin() + ${headDim}, x.begin() + i * ${headDim}, 0.0);
    std::printf("%d %d %.4f\\n", i / side, i % side, score);
  }
}
`,
  };
}
