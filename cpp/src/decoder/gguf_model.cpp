#include "decoder/gguf_model.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "base/text.hpp"
#include "formats/gguf_weights.hpp"
#include "formats/json/value.hpp"
#include "model/families/family.hpp"
#include "model/families/read_spec.hpp"
#include "rope_config/read.hpp"

namespace ropewalk::decoder {
namespace {

constexpr std::string_view function = "decoder";

/// All have Llama's layers under Llama's names; what differs is the pairing, which the converter changes for
/// "llama", and biases.
std::string architectures() {
  std::string names;
  for (const model::Family& family : model::all_families()) {
    if (!family.gguf.empty()) names += (names.empty() ? "" : ", ") + json::quoted(family.gguf);
  }
  return names;
}

bool is_read(std::string_view architecture) {
  return std::ranges::any_of(model::all_families(), [&](const model::Family& family) {
    return !family.gguf.empty() && family.gguf == architecture;
  });
}

struct Name {
  std::string_view gguf, huggingface;
};
constexpr Name whole_names[] = {{"token_embd.weight", "model.embed_tokens.weight"},
                                {"output_norm.weight", "model.norm.weight"},
                                {"output.weight", "lm_head.weight"}};
constexpr Name layer_names[] = {{"attn_norm", "input_layernorm"},    {"attn_q", "self_attn.q_proj"},
                                {"attn_k", "self_attn.k_proj"},      {"attn_v", "self_attn.v_proj"},
                                {"attn_output", "self_attn.o_proj"}, {"ffn_norm", "post_attention_layernorm"},
                                {"ffn_gate", "mlp.gate_proj"},       {"ffn_up", "mlp.up_proj"},
                                {"ffn_down", "mlp.down_proj"}};

/// The name in a checkpoint of Hugging Face; what is not known keeps its own.
std::string huggingface_name(std::string_view name) {
  for (const Name& each : whole_names) {
    if (each.gguf == name) return std::string(each.huggingface);
  }
  if (!name.starts_with("blk.")) return std::string(name);
  const std::size_t dot = name.find('.', 4);
  if (dot == name.npos) return std::string(name);
  const std::string_view layer = name.substr(4, dot - 4), rest = name.substr(dot + 1);
  const std::size_t end = rest.rfind('.');
  for (const Name& each : layer_names) {
    if (end != rest.npos && rest.substr(0, end) == each.gguf) {
      return "model.layers." + std::string(layer) + "." + std::string(each.huggingface) +
             std::string(rest.substr(end));
    }
  }
  return std::string(name);
}

/// Keys of the metadata as those of a config.json.
class Configuration {
 public:
  Configuration(const gguf::Header& header, std::string_view architecture)
      : header_(header), architecture_(architecture) {
    json_.kind = json::Kind::object;
  }

  const Status& status() const { return status_; }
  json::Value take() { return std::move(json_); }

  void text(std::string_view name, std::string_view value) {
    json::Value json;
    json.kind = json::Kind::text;
    json.text = value;
    add(name, std::move(json));
  }
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
  void needed_real(std::string_view key, std::string_view name) {
    const std::string full = std::string(architecture_) + "." + std::string(key);
    const gguf::Value* value = header_.find(full);
    const std::optional<double> found = value == nullptr ? std::nullopt : value->real();
    if (!found || !(*found >= 0 && *found <= 1)) {
      return keep(value == nullptr
                      ? wrong_type(function, full, "missing", "a number from 0 to 1")
                      : out_of_range(function, full, found.value_or(-1), "a number from 0 to 1"));
    }
    json::Value json;
    json.kind = json::Kind::real;
    json.real = *found;
    add(name, std::move(json));
  }
  void keep(Status status) {
    if (status_.ok()) status_ = std::move(status);
  }

 private:
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

Result<Spec> read_spec(const gguf::Header& header, std::string_view architecture, std::string_view metadata,
                       std::size_t& max_positions) {
  Configuration keys(header, architecture);
  const gguf::Tensor* words = header.tensor("token_embd.weight");
  if (words == nullptr || words->dimensions != 2)
    return wrong_type(function, "token_embd.weight", words == nullptr ? "missing" : "no matrix", "a matrix");
  keys.text("model_type", architecture);
  keys.whole("vocab_size", std::min<std::uint64_t>(words->sizes[1], std::uint64_t{1} << 25));
  keys.needed_whole("embedding_length", "hidden_size", 1, 1 << 16);
  keys.needed_whole("block_count", "num_hidden_layers", 1, 1 << 10);
  keys.needed_whole("feed_forward_length", "intermediate_size", 1, 1 << 18);
  const std::uint64_t heads = keys.needed_whole("attention.head_count", "num_attention_heads", 1, 1 << 16);
  const std::uint64_t key_heads =
      keys.optional_whole("attention.head_count_kv", "num_key_value_heads", 1, 1 << 16).value_or(heads);
  keys.optional_whole("attention.key_length", "head_dim", 1, 1 << 16);
  max_positions = static_cast<std::size_t>(
      keys.optional_whole("context_length", "max_position_embeddings", 1, 1 << 30).value_or(0));
  keys.needed_real("attention.layer_norm_rms_epsilon", "rms_norm_eps");
  keys.flag("tie_word_embeddings", header.tensor("output.weight") == nullptr);
  if (!keys.status().ok()) return keys.status();
  if (heads % key_heads != 0) {
    return out_of_range(function, std::string(architecture) + ".attention.head_count_kv",
                        static_cast<double>(key_heads),
                        sentence({"a divisor of `attention.head_count`, ", static_cast<double>(heads)}));
  }
  if (architecture == "llama") {
    keys.flag("attention_bias", header.tensor("blk.0.attn_q.bias") != nullptr);
    keys.flag("mlp_bias", header.tensor("blk.0.ffn_up.bias") != nullptr);
  }
  Result<Spec> spec = model::spec_from_json(keys.take());
  if (!spec.ok()) return spec;
  Result<RopeOptions> rope = rope_of_gguf(metadata, {});
  if (!rope.ok()) return rope.status();
  spec.value().positions = positions::Rope{.ropes = {std::move(rope).value()}};
  return spec;
}

}  // namespace

Result<RopeOptions> rope_of_gguf(std::string_view text, std::span<const float> factors) {
  Result<json::Value> metadata = json::parse(text, function, "metadata");
  if (!metadata.ok()) return metadata.status();
  if (!factors.empty()) {
    json::Value list;
    list.kind = json::Kind::array;
    for (const float value : factors) {
      json::Value item;
      item.kind = json::Kind::real;
      item.real = value;
      item.text = text_of(static_cast<double>(value));
      list.items.push_back(std::move(item));
    }
    metadata.value().members.push_back({std::string(rope_factors), std::move(list)});
  }
  return rope_config::read_gguf(metadata.value(), {.sequence_length = 1});
}

Result<GgufModel> read_gguf(const gguf::Header& header) {
  const gguf::Value* name = header.find("general.architecture");
  const std::optional<std::string_view> architecture = name == nullptr ? std::nullopt : name->text();
  if (!architecture || !is_read(*architecture)) {
    const std::string value = name == nullptr ? "missing"
                              : architecture  ? json::quoted(*architecture)
                                              : "no text";
    return out_of_range(function, "general.architecture", value, architectures());
  }
  if (const std::string types = unreadable_types(header); !types.empty())
    return out_of_range(function, "file", "with tensors of type " + types, gguf::readable_types());
  if (const gguf::Tensor* factors = header.tensor(rope_factors);
      factors != nullptr && factors->elements > 1 << 16) {
    return out_of_range(function, rope_factors, static_cast<double>(factors->elements),
                        "half as many elements as the head has dimensions");
  }

  GgufModel model;
  model.metadata = gguf::metadata_to_json(header, 64);
  Result<Spec> spec = read_spec(header, *architecture, model.metadata, model.max_positions);
  if (!spec.ok()) return spec.status();
  model.spec = std::move(spec).value();
  for (const gguf::Tensor& tensor : header.tensors()) {
    SafetensorsTensor as{.name = huggingface_name(tensor.name),
                         .type = SafetensorsType::F32,
                         .shape = {},
                         .elements = tensor.elements,
                         .begin = tensor.offset,
                         .data = {}};
    for (std::size_t i = tensor.dimensions; i-- > 0;) as.shape.push_back(tensor.sizes[i]);
    if (tensor.type->name == "F16") as.type = SafetensorsType::F16;
    if (tensor.type->name == "BF16") as.type = SafetensorsType::BF16;
    model.tensors.push_back(std::move(as));
  }
  return model;
}

}  // namespace ropewalk::decoder
