#pragma once

// The keys and values of up to 64 neighbouring tokens of one layer, in any of the types of a cache.

#include <cstdint>

#include "base/buffer.hpp"
#include "nn/cached_attention.hpp"
#include "ropewalk/decoder.hpp"

namespace ropewalk::decoder {

class Block {
 public:
  Status allocate(const nn::CacheShape& shape, CacheType type);
  /// The same contents in memory of its own.
  Status copy_from(nn::Compute compute, const Block& other, const nn::CacheShape& shape);

  /// Takes tokens [at, at + count): k and v (count,K,D), dense.
  void write(nn::Compute compute, const nn::CacheShape& shape, std::size_t at, std::size_t count,
             const float* k, const float* v);
  /// Takes keys alone; values stay.
  void write_keys(nn::Compute compute, const nn::CacheShape& shape, std::size_t at, std::size_t count,
                  const float* k);
  /// Gives them back, dense.
  void read(nn::Compute compute, const nn::CacheShape& shape, std::size_t at, std::size_t count, float* k,
            float* v) const;
  /// Takes tokens [from, from + count) of a block of the same type, which may be this where `from` is not
  /// below `at`.
  void copy(nn::Compute compute, const nn::CacheShape& shape, std::size_t at, std::size_t count,
            const Block& other, std::size_t from);

  /// Blocks of the type float32 only: keys and values as attention reads them.
  const nn::CacheBlock& packed() const { return packed_; }
  std::size_t bytes(const nn::CacheShape& shape) const;

 private:
  CacheType type_ = CacheType::float32;
  nn::CacheBlock packed_;         // float32
  Buffer<std::uint16_t> halves_;  // float16: keys (64,K,D), then values
  Buffer<std::int8_t> bytes_;     // int8: the same
  Buffer<float> scales_;          // int8: (64,K) of keys, then of values
};

}  // namespace ropewalk::decoder
