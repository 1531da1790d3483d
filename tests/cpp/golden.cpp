#include "golden.hpp"

#include <fstream>
#include <stdexcept>

namespace golden {

nlohmann::json read(const std::string& path) {
  std::ifstream file(std::string(ROPEWALK_GOLDEN) + "/" + path);
  if (!file) throw std::runtime_error("cannot open tests/golden/" + path);
  return nlohmann::json::parse(file);
}

}  // namespace golden
