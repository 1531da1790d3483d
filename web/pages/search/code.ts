import type { Snippets } from "../../code/code-drawer.js";
import { found, model } from "./model.js";
import { state } from "./state.js";

const quoted = (text: string) => JSON.stringify(text);
/** More texts would hide the program. */
const MOST = 12;

/** The search of the page as a program. */
export const searchSnippets = (): Snippets => {
  const texts = (found.value?.texts ?? []).slice(0, MOST);
  const query = found.value?.query ?? state.q.value;
  const name = model.value?.name ?? "";
  const files = /^[\w.-]+\/[\w.-]+$/.test(name) ? `hubFiles("${name}", { cache: true })` : '"a-folder"';
  return {
    typescript: `import { ${files.startsWith("hub") ? "hubFiles, " : ""}load } from "ropewalk";

const ropewalk = await load();
const model = await ropewalk.encoder(${files});
const texts = [
${texts.map((text) => `  ${quoted(text)},\n`).join("")}];
const query = await model.embed(${quoted(query)});
const vectors = await model.embed(texts);
// Vectors have length 1, so a dot product is the cosine.
const cosines = vectors.map((vector) => vector.reduce((sum, x, i) => sum + x * query[i], 0));
const order = texts.map((_, i) => i).sort((a, b) => cosines[b] - cosines[a]);
for (const i of order) console.log(cosines[i].toFixed(4), texts[i]);
`,
    cpp: `#include <cstdio>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include <ropewalk/encoder.hpp>
#include <ropewalk/sentence.hpp>

static std::string read(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

int main() {
  const std::string config = read("config.json"), weights = read("model.safetensors");
  ropewalk::Encoder model(config, std::as_bytes(std::span(weights)));
  ropewalk::SentenceModules modules({}, model.spec().hidden);  // the mean, at length 1
  const auto embed = [&](const std::vector<std::int32_t>& ids) {
    const auto output = model.forward({.input_ids = ids, .sequence = ids.size()}, {.logits = false});
    const auto made = modules.run({.hidden_states = output.last_hidden_state, .sequence = ids.size()});
    return std::vector<float>(made.embedding.begin(), made.embedding.end());
  };
  // Token ids, as a tokenizer gives them: see model.encode in TypeScript.
  const std::vector<float> query = embed({2, 10, 11, 3}), text = embed({2, 11, 10, 3});
  double cosine = 0;
  for (std::size_t i = 0; i < query.size(); ++i) cosine += double{query[i]} * text[i];
  std::printf("%.4f\\n", cosine);
}
`,
  };
};
