#pragma once

// The reference values of tests/golden, which nobody computed with this code.

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace golden {

inline nlohmann::json read(const std::string& path) {
  std::ifstream file(std::string(ROPEWALK_GOLDEN) + "/" + path);
  if (!file) throw std::runtime_error("cannot open tests/golden/" + path);
  return nlohmann::json::parse(file);
}

}  // namespace golden
