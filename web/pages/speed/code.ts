import type { Snippets } from "../../code/code-drawer.js";

interface Shape {
  readonly batch: number;
  readonly sequence: number;
  readonly heads: number;
  readonly headDim: number;
}

/** The code that the page times: one call on a tensor, in place. */
export function speedSnippets({ batch, sequence, heads, headDim }: Shape, pairing: "half" | "interleaved"): Snippets {
  return {
    typescript: `import { load } from "ropewalk";

const ropewalk = await load();
const rope = ropewalk.rope({ headDim: ${headDim}, pairing: "${pairing}" });
const x = ropewalk.tensor([${batch}, ${sequence}, ${heads}, ${headDim}]); // in the module's memory: never copied
const placement = { batch: ${batch}, sequence: ${sequence}, heads: ${heads}, out: x };

const samples = [];
for (let i = 0; i < 21; i++) {
  const begun = performance.now();
  for (let n = 0; n < 100; n++) rope.rotate(x, placement);
  samples.push((performance.now() - begun) * 10); // microseconds per call
}
samples.sort((a, b) => a - b);
console.log(\`\${samples[10].toFixed(2)} µs\`);
`,
    cpp: `#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include <ropewalk/rope.hpp>

int main() {
  using Clock = std::chrono::steady_clock;
  const ropewalk::Rope rope({.head_dim = ${headDim}, .pairing = ropewalk::Pairing::${pairing}});
  std::vector<float> x(std::size_t{${batch}} * ${sequence} * ${heads} * ${headDim});
  const ropewalk::Placement placement{.batch = ${batch}, .sequence = ${sequence}, .heads = ${heads}};

  std::vector<double> samples(21);
  for (double& sample : samples) {
    const auto begun = Clock::now();
    for (int n = 0; n < 100; ++n) rope.rotate(x, x, placement);
    sample = std::chrono::duration<double, std::micro>(Clock::now() - begun).count() / 100;
  }
  std::sort(samples.begin(), samples.end());
  std::printf("%.2f us\\n", samples[10]);
}
`,
  };
}
