#pragma once

// Folders of models below tests/golden: their names and their checkpoints.

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint.hpp"
#include "golden.hpp"
#include "ropewalk/safetensors.hpp"

namespace golden {

/// The names of the folders within `folder`, sorted.
inline std::vector<std::string> folders_in(std::string_view folder) {
  std::vector<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(ROPEWALK_GOLDEN) + "/" + std::string(folder))) {
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

/// The files of weights of the model in `folder`: one, or shards.
inline std::vector<std::vector<std::byte>> shards_in(const std::string& folder) {
  const std::string index = folder + "/model.safetensors.index.json";
  if (!std::filesystem::exists(std::string(ROPEWALK_GOLDEN) + "/" + index))
    return {checkpoint::bytes(folder + "/model.safetensors")};
  std::set<std::string> files;
  const nlohmann::json shard_of = read(index)["weight_map"];
  for (const auto& [tensor, file] : shard_of.items()) files.insert(file);
  std::vector<std::vector<std::byte>> bytes;
  for (const std::string& file : files) bytes.push_back(checkpoint::bytes(folder + "/" + file));
  return bytes;
}

/// The weights of the model in `folder`, its shards put together as float32.
inline std::vector<std::byte> weights_in(const std::string& folder) {
  using namespace ropewalk;
  const std::vector<std::vector<std::byte>> bytes = shards_in(folder);
  if (bytes.size() == 1) return bytes.front();
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

}  // namespace golden
