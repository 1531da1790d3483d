#include "files.hpp"

#include <cstdio>
#include <stdexcept>

namespace ropewalk::train {

void write_file(const std::filesystem::path& path, std::string_view bytes) {
  std::FILE* file = std::fopen(path.string().c_str(), "wb");
  const bool good = file != nullptr && std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  if (file == nullptr || std::fclose(file) != 0 || !good) {
    throw std::invalid_argument("cannot write " + path.string());
  }
}

void write_file(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  write_file(path, std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

}  // namespace ropewalk::train
