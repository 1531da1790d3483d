// config.json: which keys, of which type, in which range.

#include <cstdint>

#include "formats/json/members.hpp"
#include "nn/activation.hpp"
#include "ropewalk/roformer.hpp"

namespace ropewalk {
namespace {

using json::Kind;
using json::Value;

constexpr std::string_view function = "roformer";

struct SizeKey {
  std::string_view name;
  std::size_t RoFormerConfig::*member;
  std::int64_t high;
};

// The bounds keep every product of them below 2^62.
constexpr SizeKey size_keys[] = {
    {"vocab_size", &RoFormerConfig::vocab_size, 1 << 24},
    {"hidden_size", &RoFormerConfig::hidden_size, 1 << 16},
    {"num_hidden_layers", &RoFormerConfig::num_hidden_layers, 1 << 10},
    {"num_attention_heads", &RoFormerConfig::num_attention_heads, 1 << 16},
    {"intermediate_size", &RoFormerConfig::intermediate_size, 1 << 18},
    {"max_position_embeddings", &RoFormerConfig::max_position_embeddings, 1 << 24},
    {"type_vocab_size", &RoFormerConfig::type_vocab_size, 1 << 16},
    {"num_labels", &RoFormerConfig::num_labels, 1 << 24},
};

struct RealKey {
  std::string_view name;
  double RoFormerConfig::*member;
  double low;
  bool low_allowed;
  double high;
  std::string_view allowed;
};

constexpr RealKey real_keys[] = {
    {"hidden_dropout_prob", &RoFormerConfig::hidden_dropout_prob, 0, true, 0.99, "a number from 0 to 0.99"},
    {"attention_probs_dropout_prob", &RoFormerConfig::attention_probs_dropout_prob, 0, true, 0.99,
     "a number from 0 to 0.99"},
    {"initializer_range", &RoFormerConfig::initializer_range, 0, false, 100, "a number above 0, up to 100"},
    {"layer_norm_eps", &RoFormerConfig::layer_norm_eps, 0, true, 1, "a number from 0 to 1"},
};

struct FlagKey {
  std::string_view name;
  bool RoFormerConfig::*member;
};

constexpr FlagKey flag_keys[] = {
    {"rotary_value", &RoFormerConfig::rotary_value},
    {"is_decoder", &RoFormerConfig::is_decoder},
    {"tie_word_embeddings", &RoFormerConfig::tie_word_embeddings},
    {"use_bias", &RoFormerConfig::use_bias},
};

Status read_size(const json::Members& keys, std::string_view name, std::int64_t high, std::size_t& out) {
  std::int64_t value = static_cast<std::int64_t>(out);
  Status status = keys.whole(name, 1, high, value);
  out = static_cast<std::size_t>(value);
  return status;
}

Status read_labels(const json::Members& keys, RoFormerConfig& config) {
  const Value* names = keys.find("id2label");
  if (names == nullptr) return {};
  if (names->kind != Kind::object)
    return keys.refuse("id2label", *names, "an object from class number to name", false);
  if (!names->members.empty() && keys.find("num_labels") == nullptr)
    config.num_labels = names->members.size();
  return {};
}

Status read_architectures(const json::Members& keys, RoFormerConfig& config) {
  const Value* names = keys.find("architectures");
  if (names == nullptr) return {};
  if (names->kind != Kind::array)
    return keys.refuse("architectures", *names, "an array of class names", false);
  for (const Value& name : names->items) {
    if (name.kind != Kind::text) return keys.refuse("architectures", name, "an array of class names", false);
    config.architectures.push_back(name.text);
  }
  return {};
}

/// What this implementation does not do, although Hugging Face's does.
Status check_supported(const json::Members& keys) {
  if (const Value* type = keys.find("model_type");
      type != nullptr && (type->kind != Kind::text || type->text != "roformer")) {
    return keys.refuse("model_type", *type, "\"roformer\", since other models have other layers",
                       type->kind == Kind::text);
  }
  bool cross = false;
  if (Status status = keys.boolean("add_cross_attention", cross); !status.ok()) return status;
  if (cross) return keys.refuse("add_cross_attention", *keys.find("add_cross_attention"), "false", true);
  return {};
}

}  // namespace

Result<RoFormerConfig> RoFormerConfig::parse(std::string_view json) {
  Result<Value> parsed = json::parse(json, function, "config");
  if (!parsed.ok()) return parsed.status();
  const Value& root = parsed.value();
  if (root.kind != Kind::object) {
    return Status::type("roformer: `config` is " + json::quoted(root) +
                        "; allowed: an object, as in config.json");
  }
  const json::Members keys(root, function);
  if (Status status = check_supported(keys); !status.ok()) return status;

  RoFormerConfig config;
  config.json = json;
  for (const SizeKey& key : size_keys) {
    if (Status status = read_size(keys, key.name, key.high, config.*key.member); !status.ok()) return status;
  }
  config.embedding_size = config.hidden_size;
  if (Status status = read_size(keys, "embedding_size", 1 << 16, config.embedding_size); !status.ok())
    return status;
  for (const RealKey& key : real_keys) {
    Status status = keys.real(key.name, key.low, key.low_allowed, key.high, key.allowed, config.*key.member);
    if (!status.ok()) return status;
  }
  for (const FlagKey& key : flag_keys) {
    if (Status status = keys.boolean(key.name, config.*key.member); !status.ok()) return status;
  }
  for (const auto& [name, member] : {std::pair("position_encoding", &RoFormerConfig::position_encoding),
                                     std::pair("norm_type", &RoFormerConfig::norm_type)}) {
    if (Status status = keys.text(name, config.*member); !status.ok()) return status;
  }
  if (Status status = read_labels(keys, config); !status.ok()) return status;
  if (Status status = read_architectures(keys, config); !status.ok()) return status;

  if (Status status = keys.text("hidden_act", config.hidden_act); !status.ok()) return status;
  if (const Result<nn::Activation> known = nn::activation_from_name(config.hidden_act); !known.ok()) {
    const std::string& message = known.status().message();
    const std::size_t allowed = message.find("; allowed: ");
    return Status::range("roformer: `hidden_act` is " + json::quoted(std::string_view(config.hidden_act)) +
                         (allowed == std::string::npos ? "" : message.substr(allowed)));
  }
  if (config.hidden_size % config.num_attention_heads != 0) {
    return Status::range("roformer: `hidden_size` is " + std::to_string(config.hidden_size) +
                         "; allowed: a multiple of `num_attention_heads`, " +
                         std::to_string(config.num_attention_heads));
  }
  // An explicit null, or a number that is no id, means that there is no padding token.
  if (const Value* pad = root.find("pad_token_id"); pad != nullptr) {
    std::int64_t id = -1;
    if (Status status = keys.whole("pad_token_id", -1, INT32_MAX, id); !status.ok()) return status;
    config.pad_token_id.reset();
    if (id >= 0) config.pad_token_id = static_cast<std::size_t>(id);
  }
  return Result<RoFormerConfig>(std::move(config));
}

}  // namespace ropewalk
