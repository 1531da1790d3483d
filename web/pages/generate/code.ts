import type { Snippets } from "../../code/code-drawer.js";
import type { Entry } from "./log.js";
import { hub, model, session } from "./model.js";
import { ropeParameters } from "./rules.js";
import { state } from "./state.js";

const quoted = (text: string) => JSON.stringify(text);

/** A rule without what only the page knows of the model. */
function rescaled(entry: Extract<Entry, { op: "rescale" }>): object {
  const trained = model.value?.trained ?? 0;
  return ropeParameters(entry.rule, entry.factor, { base: 10000, headDim: 32, trained });
}

function typescriptOf(entry: Entry): string[] {
  if (entry.op === "write")
    return [
      `for await (const { text } of model.generate([], { cache, maxTokens: ${entry.count}, temperature: ${entry.temperature}, seed: ${entry.seed} }))`,
      "  process.stdout.write(text);",
    ];
  if (entry.op === "force") return [`cache.feed([${entry.id}]);`];
  if (entry.op === "append")
    return [
      `const chunk = model.chunk(model.encode(${quoted(entry.text)}, { addSpecialTokens: false })); // computed by itself`,
      "cache.append(chunk); // rotated to its place",
    ];
  if (entry.op === "rescale") return [`cache.rescale(${JSON.stringify(rescaled(entry))}); // held keys turn`];
  const rotate = entry.how === "unrotated" ? ", { rotate: false }" : "";
  return [
    `cache.drop(${entry.from}, ${entry.to}${rotate}); // ${rotate ? "the bug: keys keep their rotation" : "those behind move back by one rotation"}`,
  ];
}

function cppOf(entry: Entry): string[] {
  if (entry.op === "write")
    return [
      `ropewalk::Sampler sampler = ropewalk::raise(ropewalk::Sampler::make({.temperature = ${entry.temperature}, .seed = ${entry.seed}}));`,
      `for (int i = 0; i < ${entry.count}; ++i) {`,
      "  const std::int32_t id = cache.sample(sampler).id;",
      '  std::printf("%d ", id);',
      "  cache.feed(std::span(&id, 1));",
      "}",
    ];
  if (entry.op === "force") return [`cache.feed({{${entry.id}}});`];
  if (entry.op === "append") return [`cache.append(model.chunk(chunk));  // the ids of ${quoted(entry.text)}`];
  if (entry.op === "rescale") return [`cache.rescale(R"(${JSON.stringify(rescaled(entry))})");`];
  return [`cache.drop(${entry.from}, ${entry.to}${entry.how === "unrotated" ? ", {.rotate = false}" : ""});`];
}

/** The last step of the page as a program; without one, 20 tokens. */
export const generateSnippets = (): Snippets => {
  const entry = state.log.value.at(-1) ?? {
    op: "write",
    count: 20,
    temperature: state.temperature.value,
    seed: state.seed.value,
  };
  const files = model.value?.shipped === false ? `hubFiles("${hub.repository}", { cache: true })` : '"a-folder"';
  return {
    typescript: `import { ${files.startsWith("hub") ? "hubFiles, " : ""}load } from "ropewalk";

const ropewalk = await load();
using model = await ropewalk.decoder(${files}, { precision: "int8" });
const cache = model.cache();
cache.feed(model.encode(${quoted(state.prompt.value)}));
${typescriptOf(entry).join("\n")}
console.log(cache.explain());
`,
    cpp: `#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include <ropewalk/decoder.hpp>

static std::string read(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

int main() {
  const std::string config = read("config.json"), weights = read("model.safetensors");
  const ropewalk::Decoder model(config, std::as_bytes(std::span(weights)),
                                {.precision = ropewalk::Precision::int8});
  const std::vector<std::int32_t> ids = {${session.value?.prompt.join(", ") ?? ""}};${entry.op === "append" ? `\n  const std::vector<std::int32_t> chunk = {${session.value?.chunk.join(", ") ?? ""}};` : ""}
  ropewalk::KeyCache cache = model.cache();
  cache.feed(ids);
  ${cppOf(entry).join("\n  ")}
  std::puts(cache.explain().c_str());
}
`,
  };
};
