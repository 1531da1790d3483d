import type { Snippets } from "../../code/code-drawer.js";
import { rowsOf } from "../../code/literal.js";
import { model, run } from "../../model/session.js";
import { shippedFolder } from "../../model/shipped.js";
import { state } from "./state.js";

/** The model, the sentence and the weights of the page as a program. */
export function roformerSnippets(): Snippets {
  const text = JSON.stringify(state.text.value);
  const [layer, head] = [state.layer.value, state.head.value];
  const folder = model.value?.shipped !== false ? shippedFolder : "path/to/checkpoint/";
  const ids = Array.from(run.value?.ids ?? []);
  const open =
    state.rotation.value === "on"
      ? `const model = await ropewalk.encoder("${folder}"); // an address, or a folder in Node`
      : `const folder = "${folder}";
const json = async (name) => (await fetch(folder + name)).json();
const model = await ropewalk.encoder({
  "config.json": { ...(await json("config.json")), position_encoding: "none" }, // rotation off
  "model.safetensors": \`\${folder}model.safetensors\`,
  "tokenizer.json": await json("tokenizer.json"),
});`;
  return {
    typescript: `import { load } from "ropewalk";

const ropewalk = await load();
${open}

const text = ${text};
for (const guesses of await model.fillMask(text, { topK: 8 })) {
  for (const { tokenStr, score } of guesses) console.log(tokenStr, score.toFixed(4));
}

const { inputIds, tokens } = model.encode(text);
const { attentions } = model.forward({ inputIds, sequence: tokens.length }, { attentions: true });
const size = tokens.length;
const head = attentions[${layer}].subarray(${head} * size * size, ${head + 1} * size * size); // [tokens, tokens]
console.log(tokens[0], "attends to", tokens[1], "with weight", head[1].toFixed(4));
`,
    cpp: `#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
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
  // ${text}
  const std::vector<std::int32_t> ids{
${rowsOf(ids, "      ", String)}
  };
  const auto output = model.forward({.input_ids = ids, .sequence = ids.size()}, {.attentions = true});
  const std::size_t size = ids.size();
  const auto head = output.attentions[${layer}].subspan(${head} * size * size, size * size);
  std::printf("token 0 attends to token 1 with weight %.4f\\n", head[1]);
}
`,
  };
}
