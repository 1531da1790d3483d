#include "decoder/block.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/half.hpp"
#include "base/text.hpp"

namespace ropewalk::decoder {
namespace {

constexpr const char* what = "decoder: cache";

/// x (heads, D) as bytes and a scale for each head.
void quantise(const float* x, std::int8_t* bytes, float* scales, std::size_t heads, std::size_t head_dim) {
  for (std::size_t h = 0; h < heads; ++h, x += head_dim, bytes += head_dim) {
    float largest = 0;
    for (std::size_t d = 0; d < head_dim; ++d) largest = std::max(largest, std::fabs(x[d]));
    scales[h] = largest / 127;
    const float inverse = largest == 0 ? 0 : 127 / largest;
    for (std::size_t d = 0; d < head_dim; ++d)
      bytes[d] = static_cast<std::int8_t>(std::nearbyintf(std::clamp(x[d] * inverse, -127.0F, 127.0F)));
  }
}

}  // namespace

Status Block::allocate(const nn::CacheShape& shape, CacheType type) {
  const std::size_t half = nn::cache_block * shape.key_heads * shape.head_dim;
  type_ = type;
  if (type == CacheType::float32) return packed_.allocate(shape, what);
  if (type == CacheType::float16) {
    Status status = halves_.allocate(2 * half, what);
    if (status.ok()) std::ranges::fill(halves_.span(), std::uint16_t{0});
    return status;
  }
  ROPEWALK_TRY(bytes_.allocate(2 * half, what));
  ROPEWALK_TRY(scales_.allocate(2 * nn::cache_block * shape.key_heads, what));
  std::ranges::fill(bytes_.span(), std::int8_t{0});
  std::ranges::fill(scales_.span(), 0.0F);
  return {};
}

Status Block::copy_from(nn::Compute compute, const Block& other, const nn::CacheShape& shape) {
  type_ = other.type_;
  if (type_ == CacheType::float32) return packed_.copy_from(other.packed_, shape, what);
  ROPEWALK_TRY(allocate(shape, type_));
  copy(compute, shape, 0, nn::cache_block, other, 0);
  return {};
}

void Block::write(nn::Compute compute, const nn::CacheShape& shape, std::size_t at, std::size_t count,
                  const float* k, const float* v) {
  if (type_ == CacheType::float32) return packed_.write(compute, shape, at, count, k, {}, v, {});
  write_keys(compute, shape, at, count, k);
  const std::size_t row = shape.key_heads * shape.head_dim, values = nn::cache_block * row;
  for (std::size_t t = at; t < at + count; ++t, v += row) {
    if (type_ == CacheType::float16) {
      for (std::size_t i = 0; i < row; ++i) halves_[values + t * row + i] = to_float16(v[i]);
    } else {
      quantise(v, bytes_.data() + values + t * row, scales_.data() + (nn::cache_block + t) * shape.key_heads,
               shape.key_heads, shape.head_dim);
    }
  }
}

void Block::write_keys(nn::Compute compute, const nn::CacheShape& shape, std::size_t at, std::size_t count,
                       const float* k) {
  if (type_ == CacheType::float32) return packed_.write(compute, shape, at, count, k, {}, nullptr, {});
  const std::size_t row = shape.key_heads * shape.head_dim;
  for (std::size_t t = at; t < at + count; ++t, k += row) {
    if (type_ == CacheType::float16) {
      for (std::size_t i = 0; i < row; ++i) halves_[t * row + i] = to_float16(k[i]);
    } else {
      quantise(k, bytes_.data() + t * row, scales_.data() + t * shape.key_heads, shape.key_heads,
               shape.head_dim);
    }
  }
}

void Block::read(nn::Compute compute, const nn::CacheShape& shape, std::size_t at, std::size_t count,
                 float* k, float* v) const {
  if (type_ == CacheType::float32) return packed_.read(compute, shape, at, count, k, v);
  const std::size_t heads = shape.key_heads, row = heads * shape.head_dim, values = nn::cache_block * row;
  for (std::size_t i = 0; i < count * row; ++i) {
    const std::size_t from = at * row + i, head = from / shape.head_dim;
    if (type_ == CacheType::float16) {
      k[i] = from_float16(halves_[from]);
      v[i] = from_float16(halves_[values + from]);
    } else {
      k[i] = static_cast<float>(bytes_[from]) * scales_[head];
      v[i] = static_cast<float>(bytes_[values + from]) * scales_[nn::cache_block * heads + head];
    }
  }
}

void Block::copy(nn::Compute compute, const nn::CacheShape& shape, std::size_t at, std::size_t count,
                 const Block& other, std::size_t from) {
  if (type_ == CacheType::float32) return packed_.copy(compute, shape, at, count, other.packed_, from);
  const std::size_t heads = shape.key_heads, row = heads * shape.head_dim;
  // Layers without keys have no memory for them.
  if (row == 0) return;
  for (const std::size_t part : {std::size_t{0}, nn::cache_block}) {
    if (type_ == CacheType::float16) {
      std::memmove(halves_.data() + (part + at) * row, other.halves_.data() + (part + from) * row,
                   count * row * sizeof(std::uint16_t));
    } else {
      std::memmove(bytes_.data() + (part + at) * row, other.bytes_.data() + (part + from) * row, count * row);
      std::memmove(scales_.data() + (part + at) * heads, other.scales_.data() + (part + from) * heads,
                   count * heads * sizeof(float));
    }
  }
}

std::size_t Block::bytes(const nn::CacheShape& shape) const {
  if (type_ == CacheType::float32) return nn::CacheBlock::size(shape) * sizeof(float);
  return halves_.size() * sizeof(std::uint16_t) + bytes_.size() + scales_.size() * sizeof(float);
}

}  // namespace ropewalk::decoder
