import type { Snippets } from "../../code/code-drawer.js";
import { hub, sequence } from "./model.js";

/** The map of the page as a program. */
export const proteinSnippets = (): Snippets => ({
  typescript: `import { hubFiles, load } from "ropewalk";

const ropewalk = await load();
const model = await ropewalk.encoder(hubFiles("${hub.repository}", { cache: true })); // or a folder in Node
const { inputIds } = model.encode("${sequence.value}");
const { contacts } = model.forward({ inputIds, sequence: inputIds.length }, { contacts: true, logits: false });
const size = inputIds.length - 2; // without the marks of beginning and end
for (let i = 0; i < size; i++) {
  for (let j = i + 6; j < size; j++) {
    const probability = contacts[i * size + j];
    if (probability > 0.5) console.log(i + 1, j + 1, probability.toFixed(3));
  }
}
`,
  cpp: `#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <ropewalk/encoder.hpp>

static std::string read(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

int main() {
  const std::string config = read("config.json");
  const std::string weights = read("model.safetensors");
  ropewalk::Encoder model(config, std::as_bytes(std::span(weights)));
  // Lines 4 to 23 of ESM-2's vocab.txt, counted from 0; 0 begins a sequence and 2 ends it.
  constexpr std::string_view letters = "LAGVSERTIDPKQNFYHMWC";
  std::vector<std::int32_t> ids{0};
  for (const char residue : std::string_view("${sequence.value}"))
    ids.push_back(static_cast<std::int32_t>(4 + letters.find(residue)));
  ids.push_back(2);
  const auto output =
      model.forward({.input_ids = ids, .sequence = ids.size()}, {.logits = false, .contacts = true});
  const std::size_t size = ids.size() - 2;
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = i + 6; j < size; ++j)
      if (const float probability = output.contacts[i * size + j]; probability > 0.5f)
        std::printf("%zu %zu %.3f\\n", i + 1, j + 1, probability);
}
`,
});
