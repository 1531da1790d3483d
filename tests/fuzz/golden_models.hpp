#pragma once

// Files of tests/golden for targets that need the weights of a model.

#include <cstddef>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "target.hpp"

namespace ropewalk::fuzz {

inline std::string golden_text(const std::string& name) {
  std::ifstream stream(std::string(ROPEWALK_GOLDEN) + "/" + name, std::ios::binary);
  require(stream.good(), "a golden file can be read", name);
  return {std::istreambuf_iterator<char>(stream), {}};
}

inline std::vector<std::byte> golden_bytes(const std::string& name) {
  const std::string text = golden_text(name);
  const auto* const first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

}  // namespace ropewalk::fuzz
