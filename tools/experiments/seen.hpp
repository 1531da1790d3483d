// The rows that training has had, to say how many rows of a test it met there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_set>

namespace ropewalk::experiments {

// Rows are compared without what pads them: two batches may pad one sentence to different lengths.
class Seen {
 public:
  void add(std::span<const std::int32_t> tokens, std::size_t length) {
    for (; !tokens.empty(); tokens = tokens.subspan(length)) rows_.insert(key(tokens.first(length)));
  }
  double share(std::span<const std::int32_t> tokens, std::size_t length) const {
    std::size_t met = 0;
    const std::size_t count = tokens.size() / length;
    for (; !tokens.empty(); tokens = tokens.subspan(length)) met += rows_.contains(key(tokens.first(length)));
    return static_cast<double>(met) / static_cast<double>(count);
  }

 private:
  static constexpr std::int32_t pad_id = 0;

  static std::u32string key(std::span<const std::int32_t> row) {
    while (!row.empty() && row.back() == pad_id) row = row.first(row.size() - 1);
    return {row.begin(), row.end()};
  }
  std::unordered_set<std::u32string> rows_;
};

}  // namespace ropewalk::experiments
