#include "model/facts.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "formats/json/value.hpp"
#include "model/families/family.hpp"
#include "model/position_encoding/rope_options.hpp"
#include "rope/options_to_json.hpp"

namespace ropewalk::model {
namespace {

std::string text_or_null(const std::optional<std::size_t>& value) {
  return value ? std::to_string(*value) : "null";
}

std::optional<std::size_t> longest(const Spec& spec) {
  const auto* learned = std::get_if<positions::Learned>(&spec.positions);
  if (const auto* own = std::get_if<positions::T5>(&spec.positions); own && own->learned)
    learned = &*own->learned;
  if (const auto* own = std::get_if<positions::Disentangled>(&spec.positions); own && own->learned)
    learned = &*own->learned;
  if (learned == nullptr) return {};
  const std::size_t first = learned->padding_id ? static_cast<std::size_t>(*learned->padding_id) + 1 : 0;
  return learned->rows - first;
}

/// The ropes as they were given; a rope that was not given is the default of its encoding.
std::vector<std::optional<RopeOptions>> given_ropes(const Spec& spec) {
  if (const auto* rope = std::get_if<positions::Rope>(&spec.positions)) {
    if (rope->ropes.empty()) return {std::nullopt};
    return {rope->ropes.begin(), rope->ropes.end()};
  }
  if (const auto* learned = std::get_if<positions::RopeReceptiveField>(&spec.positions))
    return {learned->rope};
  if (const auto* doubled = std::get_if<positions::RopePlusPlus>(&spec.positions)) return {doubled->rope};
  if (const auto* linear = std::get_if<positions::LinearAttention>(&spec.positions);
      linear && linear->rotates)
    return {linear->rope};
  if (const auto* random = std::get_if<positions::Performer>(&spec.positions); random && random->rotates)
    return {random->rope};
  return {};
}

struct Use {
  std::size_t rope;
  std::optional<std::size_t> window;
  std::string layers;
};

std::vector<Use> uses(const Spec& spec) {
  std::vector<Use> all;
  for (std::size_t l = 0; l < spec.layers.size(); ++l) {
    const LayerSpec& layer = spec.layers[l];
    if (!layer.rope) continue;
    Use* found = nullptr;
    for (Use& use : all) {
      if (use.rope == *layer.rope && use.window == layer.window) found = &use;
    }
    if (found == nullptr) found = &all.emplace_back(Use{*layer.rope, layer.window, ""});
    found->layers += (found->layers.empty() ? "" : ",") + std::to_string(l);
  }
  return all;
}

std::string ropes_json(const Spec& spec) {
  const std::vector<std::optional<RopeOptions>> ropes = given_ropes(spec);
  std::string text;
  for (const Use& use : uses(spec)) {
    if (use.rope >= ropes.size()) continue;
    const Result<RopeOptions> options = position_encoding::rope_options(spec, ropes[use.rope], "rope");
    if (!options.ok()) continue;
    text += (text.empty() ? "" : ",") + std::string("{\"options\":") + rope_options_to_json(options.value()) +
            ",\"layers\":[" + use.layers + "],\"window\":" + text_or_null(use.window) + "}";
  }
  return "[" + text + "]";
}

struct Type {
  std::string_view model_type, kind;
  bool trainable;
  std::vector<std::string_view> heads = {};
  std::vector<std::string_view> gguf = {};
};

bool predicts_next_word(const Family& family) {
  return std::ranges::any_of(family.names.heads,
                             [](const Name& name) { return name.role.starts_with("causal_lm."); });
}

/// A family that predicts the next token is one of decoders, where the binary has their head. Where it has none, the
/// family embeds, and its GGUF files are for decoders.
std::string_view kind_of(const Family& family) {
  return find_head_kind("causal_lm") != nullptr && predicts_next_word(family) ? "decoder" : "encoder";
}

std::vector<Type> types() {
  std::vector<Type> all;
  for (const Family& family : all_families()) {
    const std::string_view kind = kind_of(family);
    auto found = std::ranges::find_if(
        all, [&](const Type& type) { return type.model_type == family.model_type && type.kind == kind; });
    if (found == all.end()) found = all.insert(all.end(), {family.model_type, kind, family.trainable});
    const std::string_view architecture = family.gguf.architecture;
    if (!architecture.empty() && (kind == "decoder" || !predicts_next_word(family)) &&
        std::ranges::find(found->gguf, architecture) == found->gguf.end())
      found->gguf.push_back(architecture);
    for (const HeadKind& head : head_kinds()) {
      if (has_head(family, head) && std::ranges::find(found->heads, head.name) == found->heads.end())
        found->heads.push_back(head.name);
    }
  }
  return all;
}

std::string list_of(const std::vector<std::string_view>& names) {
  std::string text;
  for (const std::string_view name : names) text += (text.empty() ? "" : ",") + json::quoted(name);
  return "[" + text + "]";
}

}  // namespace

std::string families_json() {
  std::string text;
  for (const Type& type : types()) {
    text += (text.empty() ? "" : ",") + std::string("{\"model_type\":") + json::quoted(type.model_type) +
            ",\"kind\":" + json::quoted(type.kind) + ",\"trainable\":" + (type.trainable ? "true" : "false") +
            ",\"heads\":" + list_of(type.heads) + ",\"gguf\":" + list_of(type.gguf) + "}";
  }
  return "[" + text + "]";
}

std::string facts_json(const Spec& spec) {
  std::string heads;
  for (const HeadSpec& head : spec.heads) {
    heads += (heads.empty() ? "" : ",") + json::quoted(std::string_view(head.kind));
  }
  return "{\"hidden\":" + std::to_string(spec.hidden) +
         ",\"token_types\":" + std::to_string(spec.embedding.token_types) +
         ",\"longest\":" + text_or_null(longest(spec)) + ",\"heads\":[" + heads +
         "],\"causal\":" + (spec.attention.causal ? "true" : "false") + ",\"ropes\":" + ropes_json(spec) +
         "}";
}

std::string facts_json(const SentenceModules& modules) {
  const SentenceSpec& spec = modules.spec();
  std::string prompts;
  for (const auto& [name, prefix] : spec.prompts) {
    prompts += (prompts.empty() ? "" : ",") + json::quoted(std::string_view(name)) + ":" +
               json::quoted(std::string_view(prefix));
  }
  const std::string default_prompt =
      spec.default_prompt ? json::quoted(std::string_view(*spec.default_prompt)) : "null";
  return "{\"dimensions\":" + std::to_string(modules.dimensions()) + ",\"prompts\":{" + prompts +
         "},\"default_prompt\":" + default_prompt +
         ",\"include_prompt\":" + (spec.include_prompt ? "true" : "false") +
         ",\"lower_case\":" + (spec.lower_case ? "true" : "false") +
         ",\"max_tokens\":" + text_or_null(spec.max_tokens) + "}";
}

}  // namespace ropewalk::model
