import type { Snippets } from "../../code/code-drawer.js";
import { typescriptObject } from "../../code/literal.js";

interface Shown {
  readonly config: Readonly<Record<string, unknown>>;
  /** The file that the page saves. */
  readonly file: string;
  readonly ids: readonly number[];
  readonly head: number;
}

/** The scores of the page's words, from the weights that it saves. */
export function encodingSnippets({ config, file, ids, head }: Shown): Snippets {
  const size = ids.length;
  return {
    typescript: `import { readFileSync } from "node:fs";
import { load } from "ropewalk";

const ropewalk = await load();
const config = ${typescriptObject(config)};
// "Save the weights" in the page gives the file.
const model = await ropewalk.encoder({ "config.json": config, "model.safetensors": readFileSync("${file}") });
const inputIds = [${ids.join(", ")}];
const { scores } = model.forward({ inputIds, sequence: ${size} }, { scores: true });
for (let query = 0; query < ${size}; query++) {
  const row = (${head} * ${size} + query) * ${size};
  console.log(Array.from(scores[0].subarray(row, row + ${size}), (score) => score.toFixed(4)).join(" "));
}
`,
    cpp: `#include <cstdio>
#include <fstream>
#include <iterator>
#include <span>
#include <vector>

#include <ropewalk/roformer.hpp>

int main() {
  // "Save the weights" in the page gives the file.
  std::ifstream file("${file}", std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  ropewalk::Encoder model(R"(${JSON.stringify(config)})", std::as_bytes(std::span(bytes)));
  const std::vector<std::int32_t> ids{${ids.join(", ")}};
  const auto output = model.forward({.input_ids = ids, .sequence = ids.size()}, {.scores = true});
  const float* scores = output.scores[0].data() + ${head} * ids.size() * ids.size();
  for (std::size_t i = 0; i < ids.size() * ids.size(); ++i) {
    std::printf((i + 1) % ids.size() == 0 ? "%.4f\\n" : "%.4f ", scores[i]);
  }
}
`,
  };
}
