// Vectors of an index and a query: on every architecture the same sums, and bounds that hold the cosine in float64.
// Facts of rows that no index wrote, as a file may hold them, give some bounds.

#include "index/codes.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "ropewalk/architecture.hpp"
#include "target.hpp"

namespace {

using namespace ropewalk;
using fuzz::Numbers;

/// Numbers whose first is 64-byte aligned, in a block of their own.
template <class T>
class Aligned {
 public:
  explicit Aligned(std::size_t count)
      : first_(static_cast<T*>(std::aligned_alloc(64, (count * sizeof(T) + 63) / 64 * 64))) {}
  T* data() { return first_.get(); }

 private:
  struct Free {
    void operator()(T* first) const { std::free(first); }
  };
  std::unique_ptr<T[], Free> first_;
};

float value_of(Numbers& numbers) {
  switch (numbers.whole(0, 3)) {
    case 0: {
      // The package accepts any finite float32.
      const auto value = numbers.raw<float>();
      return std::isfinite(value) ? value : 0;
    }
    case 1:
      return static_cast<float>(numbers.real(-1, 1));
    default:
      return static_cast<float>(numbers.raw<std::int8_t>());
  }
}

/// Values repeat, so that a short input fills a long vector.
std::vector<float> vector_of(Numbers& numbers, std::size_t dimensions) {
  std::vector<float> some(1 + numbers.whole(0, 40));
  for (float& each : some) each = value_of(numbers);
  std::vector<float> vector(dimensions);
  for (std::size_t i = 0; i < dimensions; ++i) vector[i] = some[i % some.size()];
  return vector;
}

double cosine(std::span<const float> a, std::span<const float> b) {
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += double{a[i]} * double{b[i]};
    aa += double{a[i]} * double{a[i]};
    bb += double{b[i]} * double{b[i]};
  }
  return aa == 0 || bb == 0 ? 0 : ab / std::sqrt(aa) / std::sqrt(bb);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Numbers numbers(data, size);
  // The most that an index takes, now and then: there sums are as large as they get.
  const std::size_t n = numbers.whole(0, 63) == 0 ? 65536 : numbers.whole(1, 400), rows = numbers.whole(1, 9);
  const std::size_t columns = index::columns_of(n);
  Aligned<std::int8_t> codes(rows * columns);
  Aligned<std::int16_t> words(columns);
  std::vector<index::RowFacts> facts;
  std::vector<std::vector<float>> vectors;
  for (std::size_t r = 0; r < rows; ++r) {
    vectors.push_back(vector_of(numbers, n));
    facts.push_back(index::encode(vectors[r], codes.data() + r * columns));
  }
  const std::vector<float> query = vector_of(numbers, n);
  const bool is_forged = numbers.whole(0, 7) == 7;
  if (is_forged) facts[numbers.whole(0, rows - 1)] = {value_of(numbers), value_of(numbers)};
  std::vector<std::int32_t> first;
  for (const std::string_view architecture : architectures()) {
    fuzz::require(try_use_architecture(architecture).ok(), "an architecture that is listed can be used");
    std::vector<std::int32_t> sums(rows);
    std::vector<float> lower(rows), upper(rows);
    index::scan(query, codes.data(), facts, {words.data(), sums.data()}, {lower.data(), upper.data()});
    if (first.empty()) first = sums;
    fuzz::require(first == sums, "every architecture gives the same sums", architecture);
    for (std::size_t r = 0; r < rows && !is_forged; ++r) {
      const double exact = cosine(query, vectors[r]);
      fuzz::require(double{lower[r]} <= exact && exact <= double{upper[r]}, "bounds hold the cosine",
                    architecture);
    }
  }
  return 0;
}
