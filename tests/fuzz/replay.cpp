// Runs a target over the files and folders that it is given, and over copies of each with some bytes changed, dropped
// or repeated. The changes come from a fixed seed: the same corpus gives the same inputs.

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "target.hpp"

namespace {

using Bytes = std::vector<std::uint8_t>;
constexpr std::size_t changed_copies = 16;
/// Longer files would take the time of the others, and their ends are not what readers trip over.
constexpr std::size_t longest = 1 << 16;

Bytes read(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  Bytes bytes{std::istreambuf_iterator<char>(stream), {}};
  if (bytes.size() > longest) bytes.resize(longest);
  return bytes;
}

Bytes changed(Bytes bytes, std::mt19937& random) {
  for (std::size_t change = 0; change <= random() % 4 && !bytes.empty(); ++change) {
    const std::size_t at = random() % bytes.size();
    const std::size_t length = std::min<std::size_t>(1 + random() % 16, bytes.size() - at);
    const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    const auto last = first + static_cast<std::ptrdiff_t>(length);
    switch (random() % 5) {
      case 0:
        *first ^= static_cast<std::uint8_t>(1 << random() % 8);
        break;
      case 1:
        *first = static_cast<std::uint8_t>(random());
        break;
      case 2:
        bytes.erase(first, last);
        break;
      case 3: {
        const Bytes copy(first, last);
        bytes.insert(first, copy.begin(), copy.end());
        break;
      }
      default:
        bytes.resize(at);
        break;
    }
  }
  return bytes;
}

void run(const Bytes& bytes) { LLVMFuzzerTestOneInput(bytes.data(), bytes.size()); }

}  // namespace

int main(int count, char** arguments) {
  std::vector<std::filesystem::path> files;
  for (int i = 1; i < count; ++i) {
    if (!std::filesystem::is_directory(arguments[i])) {
      files.emplace_back(arguments[i]);
      continue;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(arguments[i])) {
      if (entry.is_regular_file()) files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  if (files.empty()) {
    std::fprintf(stderr, "replay: no file to run\n");
    return 1;
  }
  std::mt19937 random(20260101);
  std::size_t runs = 0;
  for (const auto& file : files) {
    const Bytes bytes = read(file);
    run(bytes);
    for (std::size_t copy = 0; copy < changed_copies; ++copy) run(changed(bytes, random));
    runs += 1 + changed_copies;
  }
  std::printf("%zu inputs from %zu files\n", runs, files.size());
}
