#pragma once

// The checkpoints of tests/golden/decoders.

#include <string>
#include <vector>

#include "golden_folders.hpp"

namespace decoder_files {

/// The models with scripts of operations; the others are for training.
inline std::vector<std::string> cases() {
  std::vector<std::string> names = golden::folders_in("decoders");
  std::erase_if(names, [](const std::string& name) { return name.starts_with("train-"); });
  return names;
}

inline std::vector<std::byte> weights(const std::string& name) {
  return golden::weights_in("decoders/" + name);
}
inline std::vector<std::vector<std::byte>> shards(const std::string& name) {
  return golden::shards_in("decoders/" + name);
}

}  // namespace decoder_files
