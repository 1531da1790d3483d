#pragma once

// Checkpoints made up for a test, in any combination of version and heads, and the same in float64.

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/random.hpp"
#include "model/families/family.hpp"
#include "model/model.hpp"
#include "reference/roformer.hpp"
#include "ropewalk/encoder.hpp"
#include "ropewalk/safetensors.hpp"

namespace made_up {

using ropewalk::raise;

struct Tensor {
  std::vector<std::uint64_t> shape;
  std::vector<float> data;
};
using Tensors = std::map<std::string, Tensor>;

/// A small model's configuration, with `changes`.
inline nlohmann::json config(const char* changes = "{}") {
  nlohmann::json json = {{"vocab_size", 31},        {"hidden_size", 24},
                         {"num_hidden_layers", 2},  {"num_attention_heads", 3},
                         {"intermediate_size", 40}, {"max_position_embeddings", 64}};
  json.update(nlohmann::json::parse(changes));
  return json;
}

/// The spec of a configuration, with heads of these kinds alone.
inline ropewalk::Spec spec(const nlohmann::json& config, std::initializer_list<std::string_view> heads) {
  ropewalk::Spec spec = raise(ropewalk::spec_from_config(config.dump()));
  spec.heads.clear();
  for (const std::string_view kind : heads) {
    const ropewalk::HeadSpec head = ropewalk::model::head_of(spec, *ropewalk::model::find_head_kind(kind));
    spec.heads.push_back(head);
  }
  return spec;
}

inline Tensors tensors(const nlohmann::json& config, std::initializer_list<std::string_view> heads,
                       std::uint64_t seed = 7) {
  auto model = raise(ropewalk::model::Model::make(spec(config, heads)));
  ropewalk::Random random(seed);
  Tensors tensors;
  for (const auto& parameter : model.table().all()) {
    Tensor tensor{parameter.shape, std::vector<float>(parameter.size)};
    const float center = parameter.initial == ropewalk::model::parameters::Initial::ones ? 1.0F : 0.0F;
    for (float& value : tensor.data) value = center + 0.2F * static_cast<float>(random.normal());
    tensors[parameter.name] = std::move(tensor);
  }
  return tensors;
}

inline std::vector<std::byte> file(const Tensors& tensors) {
  std::vector<ropewalk::SafetensorsSource> sources;
  for (const auto& [name, tensor] : tensors) sources.push_back({name, tensor.shape, tensor.data});
  const ropewalk::SafetensorsLayout layout = raise(ropewalk::SafetensorsLayout::make(sources));
  std::vector<std::byte> bytes(layout.size());
  raise(layout.try_write(bytes));
  return bytes;
}

inline ropewalk::reference::RoFormer reference(const nlohmann::json& config, const Tensors& tensors) {
  std::map<std::string, std::vector<double>> parameters;
  for (const auto& [name, tensor] : tensors) parameters[name] = {tensor.data.begin(), tensor.data.end()};
  return {raise(ropewalk::spec_from_config(config.dump())), std::move(parameters)};
}

/// Two sequences of five tokens, the second with padding.
struct Batch {
  std::vector<std::int32_t> ids = {3, 17, 30, 0, 9, 12, 5, 5, 0, 0}, types = {0, 0, 0, 1, 1, 0, 1, 1, 0, 0},
                            mask = {1, 1, 1, 1, 1, 1, 1, 1, 0, 0};
  ropewalk::EncoderInput input() const { return {ids, 2, 5, types, mask}; }
};

}  // namespace made_up
