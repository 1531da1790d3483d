// Hugging Face's config.json, old and new. The steps are: the object of the text model, the dictionary for
// the layer type, and the keys of both that the rule needs.

#include <span>
#include <string>

#include "base/text.hpp"
#include "rope_config/beside.hpp"
#include "rope_config/dimensions.hpp"
#include "rope_config/facts.hpp"
#include "rope_config/layers.hpp"
#include "rope_config/names.hpp"
#include "rope_config/read.hpp"
#include "rope_config/rules.hpp"
#include "rope_config/vision.hpp"

namespace ropewalk::rope_config {
namespace {

constexpr std::string_view top_level_keys[] = {
    "rope_theta", "rope_scaling", "rotary_scaling_factor", "rope_parameters", "partial_rotary_factor",
    "rotary_pct", "rope_pct", "rotary_emb_fraction", "rotary_dim", "rotary_emb_base", "rope_interleave",
    "rotary_emb_interleaved", "qk_rope_head_dim", "rope_local_base_freq", "local_rope_theta",
    "global_rope_theta", "head_dim", "global_head_dim", "max_position_embeddings",
    "original_max_position_embeddings", "hidden_size", "num_attention_heads", "compress_rope_theta",
    "use_rotary_pos_emb",
    // These keys do not say how a head rotates. They say whether anything rotates (GPT-J), whether values do
    // (RoFormer), which layers do not (Llama 4), and how many channels do not (DeepSeek; one letter from the
    // key for those that do).
    // The last one is SmolLM2's, false, and no library reads it.
    "rotary", "rotary_value", "no_rope_layers", "no_rope_layer_interval", "qk_nope_head_dim",
    "rope_interleaved"};

/// A multimodal model keeps its text model in an object of its own. Rope keys outside it are ignored by
/// everyone, but saved configurations repeat them there.
const json::Value& text_model(const Keys& root) {
  const json::Value* text = root.find("text_config");
  if (text == nullptr) return root.object();
  if (text->kind != json::Kind::object) {
    keep_first(root.status(), wrong_type(function, "text_config", json::quoted(*text), "an object"));
    return root.object();
  }
  for (const json::Member& member : root.object().members) {
    if (member.value.kind == json::Kind::null || !speaks_of_rope(member.name)) continue;
    if (const json::Value* inside = text->find(member.name);
        inside != nullptr && equal(*inside, member.value))
      continue;
    keep_first(root.status(),
               Status::type(std::string(function) + ": `" + member.name +
                            "` stands beside `text_config`, which is read instead; allowed: `text_config." +
                            member.name + "`, or the same in both"));
  }
  return *text;
}

constexpr std::string_view base_keys[] = {"rope_theta", "rotary_emb_base", "global_rope_theta"};

/// In the dictionary, or outside it under the name that the class reads.
double base_of_class(const Source& source) {
  const auto& [config, rule, facts, layers, type, options] = source;
  const json::Value* const own = layers.layer == nullptr ? nullptr : layers.layer->find("baseKey");
  const std::string_view key = own != nullptr            ? std::string_view(own->text)
                               : layers.layer != nullptr ? ""
                                                         : facts.text("baseKey", "rope_theta");
  const auto inside = rule.real("rope_theta", 0, true);
  if (inside && layers.by_type) return *inside;
  const auto beside = key.empty() ? std::nullopt : config.real(key, 0, true);
  if (inside && beside && *inside != *beside)
    config.refuse(key, "the same as `" + rule.path() + "rope_theta` = " + text_of(*inside));
  const json::Value* const usual = layers.layer == nullptr ? facts.find("base") : layers.layer->find("base");
  if (!inside && !beside && layers.layer != nullptr && usual == nullptr)
    rule.missing("rope_theta", "the class");
  const double base = inside ? *inside : beside ? *beside : usual != nullptr ? usual->real : 10000;
  for (const std::string_view each : base_keys) {
    const bool of_others = layers.layer != nullptr && !key.empty();
    if (each != key && !of_others) refuse_unread(source, each, base);
  }
  return base;
}

/// In the dictionary, or outside it under one of its names. Two different values are an error, except that
/// the dictionary of one layer type may differ from the value for all layers.
double read_base(const Source& source) {
  const auto& [config, rule, facts, layers, type, options] = source;
  if (layers.base) return *layers.base;
  if (facts.is_class()) return base_of_class(source);
  auto base = rule.real("rope_theta", 0, true);
  if (base && layers.by_type) return *base;
  std::string name = rule.path() + "rope_theta";
  for (const std::string_view key : base_keys) {
    const auto beside = config.real(key, 0, true);
    if (!beside) continue;
    if (base && *base != *beside) config.refuse(key, "the same as `" + name + "` = " + text_of(*base));
    base = beside;
    name = config.path() + std::string(key);
  }
  return base.value_or(10000);
}

/// The row of the model. NomicBERT as it was published, and not as Transformers converts it, has code of its own.
Facts facts_of(const Keys& config, const Keys& root) {
  const auto inner = config.text("model_type"), outer = root.text("model_type");
  const std::string_view name = inner ? *inner : outer.value_or("");
  return Facts(name == "nomic_bert" && config.has("n_embd") ? "new" : name);
}

/// Refuses models that do not rotate: by their type, or where a key of theirs says so.
void check_rotates(const Keys& config, const Keys& named, const Facts& facts) {
  if (is_still(named.text("model_type").value_or("")))
    named.refuse("model_type", "a model whose positions are rotary");
  const json::Value *const still = facts.find("stillIf"), *const unless = facts.find("stillUnless");
  for (const json::Member& member : still == nullptr ? std::span<const json::Member>() : still->members) {
    const json::Value* const value = config.find(member.name);
    if (value != nullptr && equal(*value, member.value))
      config.refuse(member.name, "another value: this one says that nothing rotates");
  }
  for (const json::Member& member : unless == nullptr ? std::span<const json::Member>() : unless->members) {
    const json::Value* const value = config.find(member.name);
    if (value == nullptr || !equal(*value, member.value))
      config.refuse(member.name, value == nullptr ? "missing" : json::quoted(*value),
                    json::quoted(member.value) + ", since nothing rotates without");
  }
}

/// Refuses models whose rotation no options express.
void check_class(const Keys& config, const Keys& root, const Facts& facts, const ConfigOptions& options) {
  const Keys& named = config.has("model_type") ? config : root;
  if (!options.pairing) check_rotates(config, named, facts);
  if (facts.has("axes")) {
    named.refuse("model_type",
                 "a model whose positions have one axis, \"dinov3_vit\" or \"pixtral\": build the rope of "
                 "another from `axes`");
  } else if (facts.has("backwards")) {
    named.refuse("model_type",
                 "a model that rotates by the position: this one rotates by minus the position");
  } else if (facts.has("bare")) {
    for (const std::string_view key : {"rope_scaling", "rope_parameters"}) {
      const json::Value* const rule = config.find(key);
      if (rule != nullptr && !rule->members.empty())
        config.refuse(key, "nothing: " + std::string(facts.text("type")) + " reads `rope_theta` alone");
    }
  }
}

/// Only the name of a model determines how its weights pair the channels, so an unknown name is an error
/// unless the caller gives the pairing. Without any name the pairing is Llama's.
Pairing read_pairing(const Source& source, const Keys& root) {
  const Keys& config = source.config;
  if (source.options.pairing) return *source.options.pairing;
  for (const std::string_view key : {"rope_interleave", "rotary_emb_interleaved"}) {
    if (const auto interleaved = config.boolean(key))
      return *interleaved ? Pairing::interleaved : Pairing::half;
  }
  const Keys& named = config.has("model_type") ? config : root;
  if (!named.has("model_type")) return Pairing::half;
  if (!source.facts.known() || source.facts.text("pairing") == "unknown") {
    named.refuse(
        "model_type",
        "a model whose pairing is known, or any one together with the option `pairing` (\"half\" as in "
        "Llama, \"interleaved\" as in GPT-J)");
  }
  return source.facts.pairing();
}

std::optional<QueryScale> read_query_scale(const Keys& rule) {
  const auto beta = rule.real("llama_4_scaling_beta", 0);
  if (!beta || *beta == 0) return {};
  return QueryScale{
      .scale = *beta,
      .length = rule.needed("original_max_position_embeddings", 1, false, "`llama_4_scaling_beta`")};
}

using Describe = decltype(&describe_model);

/// `describe` adds what the configuration says apart from the rotation. Models know that themselves and leave
/// it out.
Result<ConfigReading> read_text_model(const json::Value& object, const ConfigOptions& options,
                                      Describe describe) {
  Status status;
  const Keys root(object, "", status);
  const json::Value& text = text_model(root);
  if (!status.ok()) return status;
  const Keys config(text, &text == &object ? "" : "text_config.", status);
  check_top_level(config, top_level_keys);
  for (const std::string_view key : {"rotary", "use_rotary_pos_emb"}) {
    if (config.boolean(key) == false) config.refuse(key, "true, since nothing rotates without");
  }
  if (!status.ok()) return status;

  const Facts facts = facts_of(config, root);
  check_class(config, root, facts, options);
  if (!status.ok()) return status;
  const LayerRule layers = rule_of_layers(config, facts, options);
  if (!status.ok()) return status;
  const Keys rule(*layers.rule, layers.path, status);
  const std::string_view type = rule_type(rule);
  if (!status.ok()) return status;
  if (!layers.assumed) check_rule_keys(rule, type);
  if (!status.ok()) return status;

  const Source source{config, rule, facts, layers, type, options};
  const Dimensions dimensions = read_dimensions(source);
  if (!status.ok()) return status;
  ConfigReading reading;
  RopeOptions& read = reading.options;
  read.head_dim = dimensions.head_dim;
  read.rotary_dim = dimensions.rotary_dim;
  read.rotary_offset = dimensions.rotary_offset;
  read.pairing = read_pairing(source, root);
  if (!status.ok()) return status;
  read.frequencies = read_rule(rule, type,
                               {.config = config,
                                .facts = facts,
                                .layered = layers.layer != nullptr,
                                .options = options,
                                .head_dim = dimensions.head_dim,
                                .rotary_dim = dimensions.rotary_dim,
                                .base = read_base(source),
                                .fraction = dimensions.fraction});
  read.query_scale = read_query_scale(rule);
  read.axes = read_axes(rule, dimensions.rotary_dim / 2);
  if (!status.ok()) return status;
  if (describe != nullptr) {
    describe(source, dimensions, root, reading);
  }
  if (!status.ok()) return status;
  return reading;
}

}  // namespace

Result<ConfigReading> reading_of_huggingface(const json::Value& object, const ConfigOptions& options) {
  Status status;
  if (const auto read = read_vision(Keys(object, "", status), options)) {
    if (!status.ok()) return status;
    return *read;
  }
  if (!status.ok()) return status;
  return read_text_model(object, options, &describe_model);
}

Result<RopeOptions> read_huggingface(const json::Value& config, const ConfigOptions& options) {
  ROPEWALK_LET(read, read_text_model(config, options, nullptr));
  return std::move(read).options;
}

}  // namespace ropewalk::rope_config
