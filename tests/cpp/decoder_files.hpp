#pragma once

// The checkpoints of tests/golden/decoders.

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "checkpoint.hpp"
#include "golden.hpp"
#include "ropewalk/safetensors.hpp"

namespace decoder_files {

/// Those with scripts of operations.
inline std::vector<std::string> cases() {
  std::vector<std::string> names;
  const std::string folder = std::string(ROPEWALK_GOLDEN) + "/decoders";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_directory() && !name.starts_with("train-")) names.push_back(name);
  }
  std::ranges::sort(names);
  return names;
}

/// The weights, shards put together.
inline std::vector<std::byte> weights(const std::string& name) {
  using namespace ropewalk;
  const std::string folder = "decoders/" + name, index = folder + "/model.safetensors.index.json";
  if (!std::filesystem::exists(std::string(ROPEWALK_GOLDEN) + "/" + index))
    return checkpoint::bytes(folder + "/model.safetensors");
  std::set<std::string> files;
  const nlohmann::json shard_of = golden::read(index)["weight_map"];
  for (const auto& [tensor, file] : shard_of.items()) files.insert(file);
  std::vector<std::vector<std::byte>> bytes;
  for (const std::string& file : files) bytes.push_back(checkpoint::bytes(folder + "/" + file));
  std::vector<Safetensors> shards;
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

}  // namespace decoder_files
