#pragma once

// Test data that is the same everywhere.

#include <cstddef>
#include <vector>

#include "base/random.hpp"

class TestData {
 public:
  explicit TestData(std::uint64_t seed) : random_(seed) {}
  /// Normal, mean 0, deviation 1.
  std::vector<float> floats(std::size_t count) {
    std::vector<float> values(count);
    for (float& value : values) value = static_cast<float>(random_.normal());
    return values;
  }

 private:
  ropewalk::Random random_;
};
