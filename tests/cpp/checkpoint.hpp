#pragma once

// Files of tests/golden and safetensors files made up for a test.

#include <cstddef>
#include <cstring>
#include <fstream>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace checkpoint {

inline std::string text(const std::string& path) {
  std::ifstream file(std::string(ROPEWALK_GOLDEN) + "/" + path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot open tests/golden/" + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline std::vector<std::byte> bytes_of(std::string_view text) {
  std::vector<std::byte> bytes(text.size());
  if (!text.empty()) std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

inline std::vector<std::byte> bytes(const std::string& path) { return bytes_of(text(path)); }

/// Length, header and data, whatever the header says.
inline std::vector<std::byte> file(std::string_view header, std::span<const std::byte> data) {
  const std::uint64_t length = header.size();
  std::vector<std::byte> bytes(8 + header.size() + data.size());
  std::memcpy(bytes.data(), &length, 8);
  if (!header.empty()) std::memcpy(bytes.data() + 8, header.data(), header.size());
  if (!data.empty()) std::memcpy(bytes.data() + 8 + header.size(), data.data(), data.size());
  return bytes;
}

inline std::vector<std::byte> file(std::string_view header, std::size_t data_size = 0) {
  return file(header, std::vector<std::byte>(data_size));
}

}  // namespace checkpoint
