#include "model/gguf/model.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <system_error>

#include "base/text.hpp"
#include "formats/gguf_weights.hpp"
#include "formats/json/value.hpp"
#include "model/families/family.hpp"
#include "model/families/read_spec.hpp"
#include "rope_config/read.hpp"

namespace ropewalk::model {
namespace {

constexpr std::string_view function = "gguf";

std::string architectures() {
  std::string names;
  for (const Family& family : all_families()) {
    const std::string_view name = family.gguf.architecture;
    if (!name.empty() && family.gguf.key.empty()) names += (names.empty() ? "" : ", ") + json::quoted(name);
  }
  return names;
}

const Family* family_of(const gguf::Header& header, std::string_view architecture) {
  const Family* found = nullptr;
  for (const Family& family : all_families()) {
    const GgufForm& form = family.gguf;
    if (form.architecture.empty() || form.architecture != architecture) continue;
    if (form.key.empty()) {
      found = &family;
    } else if (header.find(std::string(architecture) + "." + std::string(form.key)) != nullptr) {
      return &family;
    }
  }
  return found;
}

/// Parameters that most architectures have, by role.
constexpr Name usual_names[] = {
    {"embedding.words", "token_embd"},
    {"embedding.types", "token_types"},
    {"embedding.positions", "position_embd"},
    {"embedding.norm", "token_embd_norm"},
    {"attention.norm", "blk.{}.attn_norm"},
    {"attention.query", "blk.{}.attn_q"},
    {"attention.key", "blk.{}.attn_k"},
    {"attention.value", "blk.{}.attn_v"},
    {"attention.qkv", "blk.{}.attn_qkv"},
    {"attention.query_norm", "blk.{}.attn_q_norm"},
    {"attention.key_norm", "blk.{}.attn_k_norm"},
    {"attention.output", "blk.{}.attn_output"},
    {"feed_forward.norm", "blk.{}.ffn_norm"},
    {"feed_forward.gate", "blk.{}.ffn_gate"},
    {"feed_forward.up", "blk.{}.ffn_up"},
    {"feed_forward.down", "blk.{}.ffn_down"},
    {"final_norm", "output_norm"},
    {"causal_lm.decoder", "output"},
};

/// The role of a name without its ending; empty where nobody knows it.
std::string_view role_of(const GgufForm& form, std::string_view name) {
  for (const std::span<const Name> names : {form.names, std::span<const Name>(usual_names)}) {
    for (const Name& each : names) {
      if (each.name == name) return each.role;
    }
  }
  return {};
}

/// The number between "blk." and the next dot.
std::optional<std::size_t> layer_of(std::string_view name) {
  if (!name.starts_with("blk.")) return {};
  std::size_t layer = 0;
  const auto [end, error] = std::from_chars(name.data() + 4, name.data() + name.size(), layer);
  if (error != std::errc() || end == name.data() + name.size() || *end != '.') return {};
  return layer;
}

/// The name in a checkpoint of Hugging Face; what is not known keeps its own.
std::string huggingface_name(const Family& family, std::string_view name) {
  const std::optional<std::size_t> layer = layer_of(name);
  const std::size_t rest = layer ? name.find('.', 4) : 0, end = name.rfind('.');
  if (end == name.npos || end < rest) return std::string(name);
  const std::string_view ending = name.substr(end);
  std::string whole = layer ? "blk.{}" : "";
  whole.append(name.substr(rest, end - rest));
  const std::string_view role = role_of(family.gguf, whole);
  const std::optional<std::string> known = family.names.find(role, layer);
  return known ? *known + std::string(ending) : std::string(name);
}

/// Keys of the metadata as those of a config.json.
class Configuration {
 public:
  Configuration(const gguf::Header& header, std::string_view architecture)
      : header_(header), architecture_(architecture) {
    json_.kind = json::Kind::object;
  }

  const Status& status() const { return status_; }
  std::string_view architecture() const { return architecture_; }
  json::Value take() { return std::move(json_); }

  void text(std::string_view name, std::string_view value) { add(name, text_value(value)); }
  void flag(std::string_view name, bool value) {
    json::Value json;
    json.kind = json::Kind::boolean;
    json.boolean = value;
    add(name, std::move(json));
  }
  void whole(std::string_view name, std::uint64_t value) {
    json::Value json;
    json.kind = json::Kind::whole;
    json.magnitude = value;
    json.real = static_cast<double>(value);
    add(name, std::move(json));
  }
  /// A key that must be there, from `low` to `high`.
  std::uint64_t needed_whole(std::string_view key, std::string_view name, std::uint64_t low,
                             std::uint64_t high) {
    return optional_whole(key, name, low, high, true).value_or(low);
  }
  std::optional<std::uint64_t> optional_whole(std::string_view key, std::string_view name, std::uint64_t low,
                                              std::uint64_t high, bool needed = false) {
    const std::string full = std::string(architecture_) + "." + std::string(key);
    const gguf::Value* value = header_.find(full);
    const std::string allowed = "a whole number from " + std::to_string(low) + " to " + std::to_string(high);
    if (value == nullptr) {
      if (needed) keep(wrong_type(function, full, "missing", allowed));
      return {};
    }
    const std::optional<std::uint64_t> found = value->whole();
    if (!found) {
      keep(wrong_type(function, full, "of another type", allowed));
      return {};
    }
    if (*found < low || *found > high) {
      keep(out_of_range(function, full, static_cast<double>(*found), allowed));
      return {};
    }
    whole(name, *found);
    return found;
  }
  /// Heads of keys; nothing where the file does not say. A list has a number for each layer: zeros are those that have a
  /// short convolution in the place of attention, and all others must be alike.
  std::optional<std::uint64_t> key_heads() {
    constexpr std::string_view key = "attention.head_count_kv", name = "num_key_value_heads";
    const std::string full = std::string(architecture_) + "." + std::string(key);
    const gguf::Value* value = header_.find(full);
    if (value == nullptr || value->type() != gguf::ValueType::array)
      return optional_whole(key, name, 1, 1 << 16);
    std::uint64_t heads = 0;
    json::Value types;
    types.kind = json::Kind::array;
    gguf::Value item;
    for (gguf::Items items(*value); items.next(item) && types.items.size() < 1 << 10;) {
      const std::optional<std::uint64_t> own = item.whole();
      if (!own || *own > 1 << 16 || (*own != 0 && heads != 0 && *own != heads)) {
        keep(out_of_range(function, full, item.real().value_or(-1),
                          "0, or the same whole number in all layers"));
        return {};
      }
      if (*own != 0) heads = *own;
      types.items.push_back(text_value(*own == 0 ? "conv" : "full_attention"));
    }
    if (heads == 0) {
      keep(out_of_range(function, full, 0.0, "at least one layer with heads"));
      return {};
    }
    whole(name, heads);
    if (std::ranges::any_of(types.items, [](const json::Value& type) { return type.text == "conv"; }))
      add("layer_types", std::move(types));
    return heads;
  }
  /// A key that may only say one number.
  void check_whole(std::string_view key, std::uint64_t only, std::string_view why) {
    const std::string full = std::string(architecture_) + "." + std::string(key);
    const gguf::Value* value = header_.find(full);
    if (value == nullptr || value->whole() == only) return;
    keep(out_of_range(function, full, value->real().value_or(-1),
                      std::string(why) + text_of(static_cast<double>(only))));
  }
  /// A switch that has to be off, since what it asks for is not done.
  void check_false(std::string_view key) {
    const std::string full = std::string(architecture_) + "." + std::string(key);
    const gguf::Value* value = header_.find(full);
    if (value != nullptr && value->boolean() != false)
      keep(out_of_range(function, full, "true", "false for this architecture"));
  }
  void needed_real(std::string_view key, std::string_view name) {
    const std::string full = std::string(architecture_) + "." + std::string(key);
    const gguf::Value* value = header_.find(full);
    const std::optional<double> found = value == nullptr ? std::nullopt : value->real();
    if (!found || !(*found >= 0 && *found <= 1)) {
      return keep(value == nullptr
                      ? wrong_type(function, full, "missing", "a number from 0 to 1")
                      : out_of_range(function, full, found.value_or(-1), "a number from 0 to 1"));
    }
    real(name, *found);
  }
  /// A number or a switch as it is, where the file has it.
  void number(const GgufKey& key) {
    const std::string full = std::string(architecture_) + "." + std::string(key.key);
    const gguf::Value* value = header_.find(full);
    if (value == nullptr) {
      if (key.null_if_missing) add(key.name, {});
      return;
    }
    if (const std::optional<bool> found = value->boolean()) return flag(key.name, *found);
    if (const std::optional<std::uint64_t> found = value->whole()) return whole(key.name, *found);
    const std::optional<double> found = value->real();
    if (!found) return keep(wrong_type(function, full, "of another type", "a number or a boolean"));
    real(key.name, *found);
  }
  void keep(Status status) {
    if (status_.ok()) status_ = std::move(status);
  }

 private:
  static json::Value text_value(std::string_view value) {
    json::Value json;
    json.kind = json::Kind::text;
    json.text = value;
    return json;
  }
  void real(std::string_view name, double value) {
    json::Value json;
    json.kind = json::Kind::real;
    json.real = value;
    add(name, std::move(json));
  }
  void add(std::string_view name, json::Value value) {
    json_.members.push_back({std::string(name), std::move(value)});
  }

  const gguf::Header& header_;
  std::string_view architecture_;
  json::Value json_;
  Status status_;
};

/// "Q5_0 (12 tensors), IQ2_XS (1 tensor)"; empty where all can be read.
std::string unreadable_types(const gguf::Header& header) {
  std::map<std::string_view, std::size_t> counts;
  for (const gguf::Tensor& tensor : header.tensors()) {
    if (!gguf::is_readable(*tensor.type)) ++counts[tensor.type->name];
  }
  std::string text;
  for (const auto& [name, count] : counts) {
    text += (text.empty() ? "" : ", ") + std::string(name) + " (" + std::to_string(count) +
            (count == 1 ? " tensor)" : " tensors)");
  }
  return text;
}

bool is_decoder(const Family& family) {
  return std::ranges::any_of(family.names.heads,
                             [](const Name& each) { return each.role.starts_with("causal_lm."); });
}

Status check_key_heads(std::string_view architecture, std::uint64_t heads, std::uint64_t key_heads) {
  if (heads % key_heads == 0) return {};
  return out_of_range(function, std::string(architecture) + ".attention.head_count_kv",
                      static_cast<double>(key_heads),
                      sentence({"a divisor of `attention.head_count`, ", static_cast<double>(heads)}));
}

/// Heads that may be fewer and of another width than the model's.
void read_grouped_heads(Configuration& keys, std::uint64_t width, std::uint64_t heads) {
  const std::uint64_t key_heads = keys.key_heads().value_or(heads);
  keys.keep(check_key_heads(keys.architecture(), heads, key_heads));
  const auto dim = keys.optional_whole("attention.key_length", "head_dim", 1, 1 << 16);
  if (!dim && width % heads == 0) keys.whole("head_dim", width / heads);
  keys.check_whole("attention.value_length", dim.value_or(width / heads), "`attention.key_length`, ");
}

/// The rows of a table; 0 where the file has none.
std::uint64_t rows_of(const gguf::Header& header, std::string_view tensor) {
  const gguf::Tensor* const table = header.tensor(tensor);
  if (table == nullptr || table->dimensions != 2) return 0;
  return std::min<std::uint64_t>(table->sizes[1], std::uint64_t{1} << 24);
}

/// Heads that divide the width.
void read_heads(Configuration& keys, std::uint64_t width, std::uint64_t heads) {
  keys.check_whole("attention.head_count_kv", heads, "`attention.head_count`, ");
  for (const char* each : {"attention.key_length", "attention.value_length"})
    keys.check_whole(each, width / heads, "the width of a head, ");
}

/// The metadata as the family's config.json.
Result<json::Value> read_config(const gguf::Header& header, const Family& family,
                                std::size_t& max_positions) {
  Configuration keys(header, family.gguf.architecture);
  const gguf::Tensor* words = header.tensor("token_embd.weight");
  if (words == nullptr || words->dimensions != 2)
    return wrong_type(function, "token_embd.weight", words == nullptr ? "missing" : "no matrix", "a matrix");
  keys.text("model_type", family.model_type);
  keys.whole("vocab_size", std::min<std::uint64_t>(words->sizes[1], std::uint64_t{1} << 25));
  const std::uint64_t width = keys.needed_whole("embedding_length", "hidden_size", 1, 1 << 16);
  keys.needed_whole("block_count", "num_hidden_layers", 1, 1 << 10);
  keys.needed_whole("feed_forward_length", "intermediate_size", 1, 1 << 18);
  const std::uint64_t heads = keys.needed_whole("attention.head_count", "num_attention_heads", 1, 1 << 16);
  max_positions = static_cast<std::size_t>(
      keys.optional_whole("context_length", "max_position_embeddings", 1, 1 << 30).value_or(0));
  keys.needed_real(family.gguf.epsilon.key, family.gguf.epsilon.name);
  const bool decodes = is_decoder(family);
  (decodes || family.gguf.groups_keys ? read_grouped_heads : read_heads)(keys, width, heads);
  if (decodes) {
    keys.flag("tie_word_embeddings", header.tensor("output.weight") == nullptr);
  } else {
    keys.check_false("attention.causal");
    if (family.names.find("embedding.types"))
      keys.whole("type_vocab_size", rows_of(header, "token_types.weight"));
    if (const std::uint64_t labels = rows_of(header, "cls.output.weight")) keys.whole("num_labels", labels);
  }
  for (const GgufKey& key : family.gguf.keys) keys.number(key);
  for (const GgufSwitch& each : family.gguf.switches)
    keys.flag(each.name, header.tensor(each.tensor) != nullptr);
  for (const GgufText& each : family.gguf.texts) keys.text(each.name, each.value);
  if (!keys.status().ok()) return keys.status();
  return keys.take();
}

json::Value array_of(std::span<const float> values) {
  json::Value list;
  list.kind = json::Kind::array;
  for (const float value : values) {
    json::Value item;
    item.kind = json::Kind::real;
    item.real = value;
    item.text = text_of(static_cast<double>(value));
    list.items.push_back(std::move(item));
  }
  return list;
}

/// True if the layers that have that rope have a window.
bool slides(const Spec& spec, std::size_t rope) {
  return std::ranges::any_of(
      spec.layers, [&](const LayerSpec& layer) { return layer.rope == rope && layer.window.has_value(); });
}

Result<Spec> read_spec(const gguf::Header& header, const Family& family, GgufModel& model) {
  ROPEWALK_LET(config, read_config(header, family, model.max_positions));
  ROPEWALK_LET(spec, spec_from_json(config));
  if (family.gguf.adapt != nullptr) family.gguf.adapt(spec);
  Result<std::vector<RopeOptions>> ropes = ropes_of_gguf(model.metadata, spec, model.factors);
  if (!ropes.ok()) return ropes.status();
  if (auto* given = std::get_if<positions::Rope>(&spec.positions)) given->ropes = std::move(ropes).value();
  return std::move(spec);
}

/// Each with as many ones as it has elements.
Result<std::vector<RopeFactors>> read_factors(const gguf::Header& header) {
  std::vector<RopeFactors> all;
  for (const std::string_view name : rope_factors) {
    const gguf::Tensor* const tensor = header.tensor(name);
    if (tensor == nullptr) continue;
    if (tensor->elements > 1 << 16) {
      return out_of_range(function, name, static_cast<double>(tensor->elements),
                          "half as many elements as the head has dimensions");
    }
    all.push_back({name, std::vector<float>(static_cast<std::size_t>(tensor->elements), 1.0F)});
  }
  return all;
}

}  // namespace

std::span<const Name> usual_gguf_names() { return usual_names; }

Result<std::vector<RopeOptions>> ropes_of_gguf(std::string_view text, const Spec& spec,
                                               std::span<const RopeFactors> factors) {
  ROPEWALK_LET(metadata, json::parse(text, function, "metadata"));
  for (const RopeFactors& each : factors)
    metadata.members.push_back({std::string(each.name), array_of(each.values)});
  const bool differ = rope_config::sliding_layers_differ(metadata);
  const auto* given = std::get_if<positions::Rope>(&spec.positions);
  std::vector<RopeOptions> ropes;
  for (std::size_t r = 0; r < (given == nullptr ? 0 : given->ropes.size()); ++r) {
    ConfigOptions options{.sequence_length = 1};
    if (differ) options.layer_type = slides(spec, r) ? "sliding_attention" : "full_attention";
    ROPEWALK_LET(rope, rope_config::read_gguf(metadata, options));
    ropes.push_back(std::move(rope));
  }
  return ropes;
}

Result<GgufModel> read_gguf(const gguf::Header& header) {
  const gguf::Value* name = header.find("general.architecture");
  const std::optional<std::string_view> architecture = name == nullptr ? std::nullopt : name->text();
  const Family* const family = architecture ? family_of(header, *architecture) : nullptr;
  if (family == nullptr) {
    const std::string value = name == nullptr ? "missing"
                              : architecture  ? json::quoted(*architecture)
                                              : "no text";
    return out_of_range(function, "general.architecture", value, architectures());
  }
  if (const std::string types = unreadable_types(header); !types.empty())
    return out_of_range(function, "file", "with tensors of type " + types, gguf::readable_types());

  GgufModel model;
  model.metadata = gguf::metadata_to_json(header, 64);
  ROPEWALK_LET(factors, read_factors(header));
  model.factors = std::move(factors);
  ROPEWALK_LET(spec, read_spec(header, *family, model));
  model.spec = std::move(spec);
  for (const gguf::Tensor& tensor : header.tensors()) {
    SafetensorsTensor as{.name = huggingface_name(*family, tensor.name),
                         .type = SafetensorsType::F32,
                         .shape = {},
                         .elements = tensor.elements,
                         .begin = tensor.offset,
                         .data = {}};
    for (std::size_t i = tensor.dimensions; i-- > 0;) as.shape.push_back(tensor.sizes[i]);
    // A channel has weights of its own: the middle dimension of one is left out.
    if (tensor.name.ends_with("shortconv.conv.weight") && as.shape.size() == 2)
      as.shape.insert(as.shape.begin() + 1, 1);
    if (tensor.type->name == "F16") as.type = SafetensorsType::F16;
    if (tensor.type->name == "BF16") as.type = SafetensorsType::BF16;
    model.tensors.push_back(std::move(as));
  }
  return model;
}

}  // namespace ropewalk::model
