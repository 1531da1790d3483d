import type { RopeOptions } from "ropewalk";
import type { Snippets } from "../../code/code-drawer.js";
import { cppOptions, typescriptOptions } from "../../code/options.js";

/** The bound and the receptive field of the page's rope. */
export function distanceSnippets(options: RopeOptions, span: number, threshold: number): Snippets {
  return {
    typescript: `import { load } from "ropewalk";

const ropewalk = await load({ analysis: true });
const rope = ropewalk.rope(${typescriptOptions(options)});
const distances = Float64Array.from({ length: ${span + 1} }, (_, n) => n);
console.log(rope.decay(distances));
console.log(rope.effectiveReceptiveField({ threshold: ${threshold}, limit: 32768 }));
`,
    cpp: `#include <cstdio>
#include <numeric>
#include <vector>

#include <ropewalk/analysis.hpp>

int main() {
  const ropewalk::RopeOptions options = ${cppOptions(options).replaceAll("\n", "\n  ")};
  std::vector<double> distances(${span + 1});
  std::iota(distances.begin(), distances.end(), 0);
  for (const double bound : ropewalk::decay(options, distances)) std::printf("%.6f\\n", bound);
  std::printf("%.6f\\n", ropewalk::effective_receptive_field(options, ${threshold}, 32768));
}
`,
  };
}
