#pragma once

// The checkpoints of tests/golden/encoders, and how their results are compared.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "checkpoint.hpp"
#include "golden.hpp"
#include "ropewalk/encoder.hpp"
#include "ropewalk/safetensors.hpp"

namespace golden_encoders {

using namespace ropewalk;

inline std::vector<std::string> cases() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(ROPEWALK_GOLDEN) + "/encoders")) {
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

inline std::string folder(const std::string& name) { return "encoders/" + name; }

inline Spec spec_of(const std::string& name) {
  return raise(spec_from_config(checkpoint::text(folder(name) + "/config.json")));
}

/// The checkpoint, its shards put together.
inline std::vector<std::byte> weights_of(const std::string& name) {
  const std::string index = "/model.safetensors.index.json";
  if (!std::filesystem::exists(std::string(ROPEWALK_GOLDEN) + "/" + folder(name) + index)) {
    return checkpoint::bytes(folder(name) + "/model.safetensors");
  }
  std::set<std::string> files;
  const nlohmann::json shard_of = golden::read(folder(name) + index)["weight_map"];
  for (const auto& [tensor, file] : shard_of.items()) files.insert(file);
  std::vector<std::vector<std::byte>> bytes;
  std::vector<Safetensors> shards;
  for (const std::string& file : files) bytes.push_back(checkpoint::bytes(folder(name) + "/" + file));
  for (const std::vector<std::byte>& each : bytes) shards.push_back(open_safetensors(each));
  std::vector<std::vector<float>> values;
  std::vector<SafetensorsSource> sources;
  for (const Safetensors& shard : shards) {
    for (const SafetensorsTensor& tensor : shard.tensors()) {
      values.emplace_back(tensor.elements);
      read_float32(tensor, values.back());
      sources.push_back({tensor.name, tensor.shape, values.back()});
    }
  }
  const SafetensorsLayout layout = raise(SafetensorsLayout::make(sources));
  std::vector<std::byte> whole(layout.size());
  raise(layout.try_write(whole));
  return whole;
}

inline Encoder encoder(const std::string& name) { return Encoder(spec_of(name), weights_of(name)); }

struct Input {
  explicit Input(const nlohmann::json& json)
      : batch(json["shape"][0]),
        sequence(json["shape"][1]),
        ids(json["input_ids"]),
        mask(json["attention_mask"]) {
    if (json.contains("token_type_ids")) types = json["token_type_ids"].get<std::vector<std::int32_t>>();
  }
  EncoderInput get() const { return {ids, batch, sequence, types, mask}; }
  std::size_t batch, sequence;
  std::vector<std::int32_t> ids, mask, types;
};

/// The largest difference over the largest entry. Rows of `width` that `counts` does not count hold padding.
template <class Counts>
double distance(std::span<const float> actual, const std::vector<double>& expected, std::size_t width,
                Counts&& counts) {
  EXPECT_EQ(actual.size(), expected.size());
  if (actual.size() != expected.size()) return INFINITY;
  double worst = 0, largest = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (!counts(i / width)) continue;
    largest = std::max(largest, std::fabs(expected[i]));
    const double difference = std::fabs(double{actual[i]} - expected[i]);
    if (!(difference <= worst)) worst = difference;  // NaN wins
  }
  return worst / largest;
}

}  // namespace golden_encoders
