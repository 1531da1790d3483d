#pragma once

// GGUF files of golden models, as the converter of llama.cpp writes them.

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "checkpoint.hpp"
#include "golden.hpp"
#include "golden_folders.hpp"

namespace converted_gguf {

/// Parts of names of tensors and what stands for them.
using Names = std::vector<std::pair<const char*, const char*>>;

/// A tensor of a checkpoint.
struct Stored {
  std::string type;
  std::vector<std::size_t> shape;
  std::string bytes;
};
using Checkpoint = std::map<std::string, Stored>;

/// A GGUF file of a golden model, as the converter of llama.cpp writes it: names, keys and moved weights, none of them
/// taken from the code under test.
struct Converted {
  const char* folder;
  const char* architecture;
  /// Keys besides the sizes, behind the architecture and a dot. Whole numbers are u32, in lists i32, others f32.
  nlohmann::json keys;
  /// Parts of names of tensors and what stands for them, the first that is found.
  Names names;
  /// Changes values as the converter does; nullptr: they stay.
  void (*change)(Checkpoint& checkpoint) = nullptr;
  /// Where such files cannot say what the golden configuration says: the part of a config.json that says the same. The logits
  /// are then those of this configuration, whose rules other golden decoders hold.
  nlohmann::json instead = nullptr;
};

/// Names of Llama's tensors, which most families have.
inline const Names llama_names = {
    {"model.embed_tokens.", "token_embd."},
    {"lm_head.", "output."},
    {"model.norm.", "output_norm."},
    {"model.final_layernorm.", "output_norm."},
    {"model.layers.", "blk."},
    {"self_attn.q_proj.", "attn_q."},
    {"self_attn.k_proj.", "attn_k."},
    {"self_attn.v_proj.", "attn_v."},
    {"self_attn.q_norm.", "attn_q_norm."},
    {"self_attn.k_norm.", "attn_k_norm."},
    {"self_attn.query_layernorm.", "attn_q_norm."},
    {"self_attn.key_layernorm.", "attn_k_norm."},
    {"self_attn.o_proj.", "attn_output."},
    {"self_attn.dense.", "attn_output."},
    {"mlp.gate_proj.", "ffn_gate."},
    {"mlp.up_proj.", "ffn_up."},
    {"mlp.down_proj.", "ffn_down."},
    {"mlp.fc1.", "ffn_up."},
    {"mlp.fc2.", "ffn_down."},
    {"input_layernorm.", "attn_norm."},
};
inline Names llama_names_and(Names more) {
  more.insert(more.end(), llama_names.begin(), llama_names.end());
  return more;
}
inline const Names pre_norm = llama_names_and({{"post_attention_layernorm.", "ffn_norm."}});

template <class T>
inline void put(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}
inline void put_text(std::string& out, const std::string& text) {
  put<std::uint64_t>(out, text.size());
  out += text;
}
inline void put_key(std::string& out, const std::string& key, const nlohmann::json& value) {
  put_text(out, key);
  if (value.is_string()) {
    put<std::uint32_t>(out, 8);
    put_text(out, value.get<std::string>());
  } else if (value.is_boolean()) {
    put<std::uint32_t>(out, 7);
    put<std::uint8_t>(out, value.get<bool>() ? 1 : 0);
  } else if (value.is_array()) {
    put<std::uint32_t>(out, 9);
    put<std::uint32_t>(out, 5);
    put<std::uint64_t>(out, value.size());
    for (const nlohmann::json& each : value) put<std::int32_t>(out, each.get<std::int32_t>());
  } else if (value.is_number_integer()) {
    put<std::uint32_t>(out, 4);
    put<std::uint32_t>(out, value.get<std::uint32_t>());
  } else {
    put<std::uint32_t>(out, 6);
    put<float>(out, value.get<float>());
  }
}

/// Rows and columns of `data` exchanged.
inline std::string transposed(const std::string& data, std::size_t rows, std::size_t columns,
                              std::size_t size) {
  std::string out;
  for (std::size_t c = 0; c < columns; ++c) {
    for (std::size_t r = 0; r < rows; ++r) out += data.substr((r * columns + c) * size, size);
  }
  return out;
}

/// From query, key and value of each head to the queries of all heads, their keys, their values.
inline std::string by_kind(const std::string& data, std::size_t heads) {
  const std::size_t part = data.size() / heads / 3;
  std::string out;
  for (std::size_t kind = 0; kind < 3; ++kind) {
    for (std::size_t head = 0; head < heads; ++head) out += data.substr((head * 3 + kind) * part, part);
  }
  return out;
}

inline Checkpoint stored(const std::string& folder) {
  const std::vector<std::byte> weights = golden::weights_in(folder);
  const std::string file(reinterpret_cast<const char*>(weights.data()), weights.size());
  std::uint64_t length = 0;
  std::memcpy(&length, file.data(), 8);
  const nlohmann::json header = nlohmann::json::parse(file.substr(8, length));
  Checkpoint checkpoint;
  for (const auto& [name, about] : header.items()) {
    if (name == "__metadata__") continue;
    const std::size_t begin = about["data_offsets"][0], end = about["data_offsets"][1];
    checkpoint[name] = {about["dtype"], about["shape"], file.substr(8 + length + begin, end - begin)};
  }
  return checkpoint;
}

inline std::vector<std::byte> convert(const Converted& model) {
  const nlohmann::json config = golden::read(std::string(model.folder) + "/config.json");
  const auto size = [&](std::initializer_list<const char*> names) {
    for (const char* name : names) {
      if (config.contains(name)) return config[name];
    }
    return nlohmann::json();
  };
  const std::string architecture = model.architecture;
  const std::size_t heads = size({"num_attention_heads", "n_head", "n_heads"});
  const std::size_t width = size({"hidden_size", "n_embd", "dim"});
  nlohmann::json keys = {
      {"embedding_length", width},
      {"block_count", size({"num_hidden_layers", "n_layer", "n_layers"})},
      {"context_length", size({"max_position_embeddings", "n_positions"})},
      {"feed_forward_length", architecture == "gpt2" ? nlohmann::json(4 * width)
                                                     : size({"intermediate_size", "n_inner", "hidden_dim"})},
      {"attention.head_count", heads}};
  if (architecture != "gpt2" &&
      (config.contains("num_key_value_heads") || architecture.find("bert") == architecture.npos))
    keys["attention.head_count_kv"] = config.value("num_key_value_heads", heads);
  if (config.contains("head_dim"))
    keys["attention.key_length"] = keys["attention.value_length"] = config["head_dim"];
  if (config.contains("sliding_window") && !config["sliding_window"].is_null())
    keys["attention.sliding_window"] = config["sliding_window"];
  keys.update(model.keys);

  Checkpoint checkpoint = stored(model.folder);
  if (model.change != nullptr) model.change(checkpoint);
  std::string infos, data;
  std::uint64_t tensors = 0;
  for (auto& [name, tensor] : checkpoint) {
    // Buffers of old files, which the converter leaves out, as it does what encoders do not need.
    if (name.ends_with("attention.bias") || name.ends_with("masked_bias") || name.ends_with("inv_freq") ||
        name.starts_with("cls.predictions") || name.find("pooler.") != name.npos)
      continue;
    std::string as = name;
    for (const auto& [from, to] : model.names) {
      if (const std::size_t at = as.find(from); at != as.npos) as.replace(at, std::strlen(from), to);
    }
    if (as.starts_with("h.")) as.replace(0, 2, "blk.");
    std::vector<std::size_t>& shape = tensor.shape;
    if (name.find(".c_") != name.npos && shape.size() == 2) {
      tensor.bytes = transposed(tensor.bytes, shape[0], shape[1], tensor.type == "F32" ? 4 : 2);
      std::swap(shape[0], shape[1]);
    }
    if (name.find("query_key_value") != name.npos) tensor.bytes = by_kind(tensor.bytes, heads);
    put_text(infos, as);
    put<std::uint32_t>(infos, static_cast<std::uint32_t>(shape.size()));
    for (std::size_t d = shape.size(); d-- > 0;) put<std::uint64_t>(infos, shape[d]);
    put<std::uint32_t>(infos, tensor.type == "F32" ? 0 : tensor.type == "F16" ? 1 : 30);
    put<std::uint64_t>(infos, data.size());
    data += tensor.bytes;
    data.resize((data.size() + 31) / 32 * 32);
    ++tensors;
  }
  std::string out = "GGUF";
  put<std::uint32_t>(out, 3);
  put<std::uint64_t>(out, tensors);
  put<std::uint64_t>(out, keys.size() + 1);
  put_key(out, "general.architecture", architecture);
  for (const auto& [key, value] : keys.items()) put_key(out, architecture + "." + key, value);
  out += infos;
  out.resize((out.size() + 31) / 32 * 32);
  return checkpoint::bytes_of(out + data);
}

}  // namespace converted_gguf
