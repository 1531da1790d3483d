import type { Snippets } from "../../code/code-drawer.js";
import type { Entry, Log } from "./log.js";
import { model, session } from "./model.js";
import { ropeParameters } from "./rules.js";
import { state } from "./state.js";

const quoted = (text: string) => JSON.stringify(text);

function rescaled({ rule, factor }: Extract<Entry, { op: "rescale" }>): object {
  return ropeParameters(rule, factor, model.value?.rope ?? { base: 10000, headDim: 32, trained: 0 });
}

function typescriptOf(entry: Entry): string[] {
  if (entry.op === "write")
    return [
      `for (let i = 0; i < ${entry.count}; i++) {`,
      "  // A seed for each position: the same text, however many tokens are written at a time.",
      "  const { length } = cache;",
      `  const seed = ${entry.seed} * 2 ** 20 + length;`,
      `  const generation = model.generate([], { cache, maxTokens: 1, temperature: ${entry.temperature}, seed });`,
      "  const { value } = await generation.next();",
      "  await generation.next(); // it has ended, and the cache ends with what was shown",
      '  process.stdout.write(value.text || "\\n");',
      "  if (cache.length === length) cache.feed([value.id]); // an end of text, which is not shown",
      "}",
    ];
  if (entry.op === "force") return [`cache.feed([${entry.id}]);`];
  if (entry.op === "append")
    return [
      "// Computed by itself, and rotated to its place.",
      `cache.append(model.chunk(model.encode(${quoted(entry.text)}, { addSpecialTokens: false })));`,
    ];
  if (entry.op === "rescale") return [`cache.rescale(${JSON.stringify(rescaled(entry))}); // held keys turn`];
  const rotate = entry.how === "unrotated" ? ", { rotate: false }" : "";
  return [
    `cache.drop(${entry.from}, ${entry.to}${rotate}); // ${rotate ? "the bug: keys keep their rotation" : "those behind move back by one rotation"}`,
  ];
}

function cppOf(entry: Entry, chunk: () => readonly number[]): string[] {
  if (entry.op === "write")
    return [
      `for (int i = 0; i < ${entry.count}; ++i) {`,
      "  // A seed for each position: the same text, however many tokens are written at a time.",
      `  const std::uint64_t seed = ${entry.seed} * (1u << 20) + cache.length();`,
      `  ropewalk::Sampler sampler = ropewalk::raise(ropewalk::Sampler::make({.temperature = ${entry.temperature}, .seed = seed}));`,
      "  const std::int32_t id = cache.sample(sampler).id;",
      '  std::printf("%d ", id);',
      "  cache.feed(std::span(&id, 1));",
      "}",
    ];
  if (entry.op === "force") return [`cache.feed({{${entry.id}}});`];
  if (entry.op === "append") return [`cache.append(model.chunk({{${chunk().join(", ")}}}));  // ${quoted(entry.text)}`];
  if (entry.op === "rescale") return [`cache.rescale(R"(${JSON.stringify(rescaled(entry))})");`];
  return [`cache.drop(${entry.from}, ${entry.to}${entry.how === "unrotated" ? ", {.rotate = false}" : ""});`];
}

/** The steps on the page as a program; before the first, one that writes 20 tokens. */
export const generateSnippets = (): Snippets => {
  const [temperature, seed] = [state.temperature.value, state.seed.value];
  const done: Log = state.log.value;
  const log: Log = done.length > 0 ? done : [{ op: "write", count: 20, temperature, seed }];
  const chunks = [...(session.value?.chunks ?? [])];
  const chunk = () => chunks.shift() ?? [];
  const name = model.value?.name ?? "";
  const files = /^[\w.-]+\/[\w.-]+$/.test(name) ? `hubFiles("${name}", { cache: true })` : '"a-folder"';
  return {
    typescript: `import { ${files.startsWith("hub") ? "hubFiles, " : ""}load } from "ropewalk";

const ropewalk = await load();
const model = await ropewalk.decoder(${files}, { precision: "int8" });
const cache = model.cache();
cache.feed(model.encode(${quoted(state.prompt.value)}));
${log.flatMap(typescriptOf).join("\n")}
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
  const std::vector<std::int32_t> ids = {${session.value?.prompt.join(", ") ?? ""}};
  ropewalk::KeyCache cache = model.cache();
  cache.feed(ids);
  ${log.flatMap((entry) => cppOf(entry, chunk)).join("\n  ")}
  std::puts(cache.explain().c_str());
}
`,
  };
};
