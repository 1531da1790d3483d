import type { RopeOptions } from "ropewalk";
import type { Snippets } from "../../code/code-drawer.js";
import { rowsOf } from "../../code/literal.js";
import { cppOptions, typescriptOptions } from "../../code/options.js";

/** The score and its parts at distances 0 to `span` of equal vectors, and the fit of the wanted curve. */
export function receptiveFieldSnippets(options: RopeOptions, base: number, wanted: ArrayLike<number>): Snippets {
  const { headDim } = options;
  const span = wanted.length - 1;
  const digits = (value: number) => String(Number(value.toFixed(4)));
  return {
    typescript: `import { fitReceptiveField, load } from "ropewalk";

const ropewalk = await load({ analysis: true });
const rope = ropewalk.rope(${typescriptOptions(options)});
const distances = Float64Array.from({ length: ${span + 1} }, (_, n) => n);
const one = new Float64Array(${headDim}).fill(1 / Math.sqrt(${headDim}));
const { score, inPhase, quadrature, phi } = rope.score(one, one, distances);
console.log(phi, score, inPhase, quadrature);
console.log(rope.hilbertError(one, one, [0, 1, 2, ${span}]).holds);

const values = [
${rowsOf(wanted, "  ", digits)}
];
const { alpha, rho, error } = await fitReceptiveField({ distances, values }, { headDim: ${headDim}, base: ${base} });
console.log(alpha, rho, error);
`,
    cpp: `#include <cmath>
#include <cstdio>
#include <numeric>
#include <vector>

#include <ropewalk/analysis.hpp>

int main() {
  const ropewalk::RopeOptions options = ${cppOptions(options).replaceAll("\n", "\n  ")};
  std::vector<double> distances(${span + 1});
  std::iota(distances.begin(), distances.end(), 0);
  const std::vector<double> one(${headDim}, 1 / std::sqrt(${headDim}.0));
  const ropewalk::Score parts = ropewalk::score(options, one, one, distances);
  for (std::size_t i = 0; i < distances.size(); ++i) {
    std::printf("%.6f %.6f %.6f\\n", parts.score[i], parts.in_phase[i], parts.quadrature[i]);
  }
  std::printf("%d\\n", ropewalk::hilbert_error(options, one, one, std::vector<double>{0, 1, 2, ${span}}).holds());

  const std::vector<double> wanted = {
${rowsOf(wanted, "      ", digits)}
  };
  const auto fit = ropewalk::fit_receptive_field(distances, wanted, {.head_dim = ${headDim}, .base = ${base}});
  std::printf("%.6f %.6f %.6f\\n", fit.alpha(), fit.rho(), fit.error());
}
`,
  };
}
