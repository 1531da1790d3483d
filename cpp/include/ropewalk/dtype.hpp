#pragma once

/// Element types of the arrays that are rotated, and references to such arrays.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ropewalk {

/// float16 is IEEE binary16, bfloat16 the upper half of a float32; both travel as their 16-bit patterns, are
/// computed in float32 and rounded to nearest even.
enum class DType { float32 = 0, float16 = 1, bfloat16 = 2 };

/// Bytes of one element.
inline std::size_t size_of(DType dtype) { return dtype == DType::float32 ? 4 : 2; }

/// A read-only array that somebody else owns.
struct ArrayRef {
  /// The first element.
  const void* data = nullptr;
  /// Number of elements.
  std::size_t size = 0;
  /// Element type.
  DType dtype = DType::float32;

  ArrayRef() = default;
  /// `count` elements of a type.
  ArrayRef(const void* first, std::size_t count, DType type) : data(first), size(count), dtype(type) {}
  /// A span of float32.
  ArrayRef(std::span<const float> x) : data(x.data()), size(x.size()) {}
  /// A vector of float32.
  ArrayRef(const std::vector<float>& x) : data(x.data()), size(x.size()) {}
  /// A span of IEEE binary16 patterns.
  static ArrayRef float16(std::span<const std::uint16_t> x) { return {x.data(), x.size(), DType::float16}; }
  /// A span of bfloat16 patterns.
  static ArrayRef bfloat16(std::span<const std::uint16_t> x) { return {x.data(), x.size(), DType::bfloat16}; }
};

/// An array to be written, that somebody else owns.
struct MutableArrayRef {
  /// The first element.
  void* data = nullptr;
  /// Number of elements.
  std::size_t size = 0;
  /// Element type.
  DType dtype = DType::float32;

  MutableArrayRef() = default;
  /// `count` elements of a type.
  MutableArrayRef(void* first, std::size_t count, DType type) : data(first), size(count), dtype(type) {}
  /// A span of float32.
  MutableArrayRef(std::span<float> x) : data(x.data()), size(x.size()) {}
  /// A vector of float32.
  MutableArrayRef(std::vector<float>& x) : data(x.data()), size(x.size()) {}
  /// A span of IEEE binary16 patterns.
  static MutableArrayRef float16(std::span<std::uint16_t> x) { return {x.data(), x.size(), DType::float16}; }
  /// A span of bfloat16 patterns.
  static MutableArrayRef bfloat16(std::span<std::uint16_t> x) {
    return {x.data(), x.size(), DType::bfloat16};
  }
};

}  // namespace ropewalk
