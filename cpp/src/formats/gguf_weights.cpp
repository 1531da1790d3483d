#include "formats/gguf_weights.hpp"

#include <cstdint>
#include <cstring>

#include "base/half.hpp"

namespace ropewalk::gguf {
namespace {

std::uint8_t byte_at(const std::byte* at, std::size_t i) { return static_cast<std::uint8_t>(at[i]); }
std::int8_t signed_at(const std::byte* at, std::size_t i) { return static_cast<std::int8_t>(at[i]); }

std::uint16_t half_bits(const std::byte* at) {
  return static_cast<std::uint16_t>(byte_at(at, 0) | byte_at(at, 1) << 8);
}
float half_at(const std::byte* at) { return from_float16(half_bits(at)); }

void read_f32(const std::byte* block, float* out) { std::memcpy(out, block, sizeof(float)); }
void read_f16(const std::byte* block, float* out) { *out = half_at(block); }
void read_bf16(const std::byte* block, float* out) { *out = from_bfloat16(half_bits(block)); }

/// w = d q
void read_q8_0(const std::byte* block, float* out) {
  const float d = half_at(block);
  for (std::size_t i = 0; i < 32; ++i) out[i] = d * static_cast<float>(signed_at(block + 2, i));
}

/// w = d (n - 8), with the low four bits of 16 bytes, then the high ones.
void read_q4_0(const std::byte* block, float* out) {
  const float d = half_at(block);
  for (std::size_t i = 0; i < 16; ++i) {
    const int both = byte_at(block + 2, i);
    out[i] = d * static_cast<float>((both & 15) - 8);
    out[i + 16] = d * static_cast<float>((both >> 4) - 8);
  }
}

/// The high bits of 32 numbers of five bits, one after the other.
std::uint32_t high_bits(const std::byte* at) {
  return byte_at(at, 0) | byte_at(at, 1) << 8 | byte_at(at, 2) << 16 |
         static_cast<std::uint32_t>(byte_at(at, 3)) << 24;
}

/// Numbers of four bits as read_q4_0 has them, with a fifth bit from `high`.
void read_nibbles(const std::byte* q, std::uint32_t high, float* out) {
  for (std::size_t i = 0; i < 16; ++i) {
    const std::uint32_t both = byte_at(q, i);
    out[i] = static_cast<float>((both & 15) | (high >> i & 1) << 4);
    out[i + 16] = static_cast<float>((both >> 4) | (high >> (i + 16) & 1) << 4);
  }
}

/// w = d n + m; the product is exact.
void read_q4_1(const std::byte* block, float* out) {
  const float d = half_at(block), m = half_at(block + 2);
  read_nibbles(block + 4, 0, out);
  for (std::size_t i = 0; i < 32; ++i) out[i] = d * out[i] + m;
}

/// w = d (n - 16)
void read_q5_0(const std::byte* block, float* out) {
  const float d = half_at(block);
  read_nibbles(block + 6, high_bits(block + 2), out);
  for (std::size_t i = 0; i < 32; ++i) out[i] = d * (out[i] - 16);
}

/// w = d n + m; the product is exact.
void read_q5_1(const std::byte* block, float* out) {
  const float d = half_at(block), m = half_at(block + 2);
  read_nibbles(block + 8, high_bits(block + 4), out);
  for (std::size_t i = 0; i < 32; ++i) out[i] = d * out[i] + m;
}

/// S and M of one of eight runs of 32, six bits each.
struct Run {
  int scale, minimum;
};
Run run_of(const std::byte* s, std::size_t run) {
  if (run < 4) return {byte_at(s, run) & 63, byte_at(s, run + 4) & 63};
  return {(byte_at(s, run + 4) & 15) | (byte_at(s, run - 4) >> 6) << 4,
          (byte_at(s, run + 4) >> 4) | (byte_at(s, run) >> 6) << 4};
}

/// w = (d S) n - m M as read_q4_k has it; n has a fifth bit.
void read_q5_k(const std::byte* block, float* out) {
  const float d = half_at(block), m = half_at(block + 2);
  const std::byte *const high = block + 16, *const q = block + 48;
  for (std::size_t run = 0; run < 8; ++run) {
    const auto [scale, minimum] = run_of(block + 4, run);
    const float factor = d * static_cast<float>(scale), least = m * static_cast<float>(minimum);
    for (std::size_t i = 0; i < 32; ++i) {
      const int both = byte_at(q, run / 2 * 32 + i), low = run % 2 == 0 ? both & 15 : both >> 4;
      const int n = low | (byte_at(high, i) >> run & 1) << 4;
      out[run * 32 + i] = factor * static_cast<float>(n) - least;
    }
  }
}

/// w = (d S) n - m M for eight runs of 32, whose S and M have six bits each.
void read_q4_k(const std::byte* block, float* out) {
  const float d = half_at(block), m = half_at(block + 2);
  const std::byte* const q = block + 16;
  for (std::size_t run = 0; run < 8; ++run) {
    const auto [scale, minimum] = run_of(block + 4, run);
    const float factor = d * static_cast<float>(scale), least = m * static_cast<float>(minimum);
    for (std::size_t i = 0; i < 32; ++i) {
      const int both = byte_at(q, run / 2 * 32 + i), n = run % 2 == 0 ? both & 15 : both >> 4;
      out[run * 32 + i] = factor * static_cast<float>(n) - least;
    }
  }
}

/// w = d S (n - 32) for two halves of four runs of 32, each of two scales; n has four low bits and two high.
void read_q6_k(const std::byte* block, float* out) {
  const float d = half_at(block + 208);
  for (std::size_t half = 0; half < 2; ++half) {
    const std::byte *const low = block + half * 64, *const high = block + 128 + half * 32;
    const std::byte* const scales = block + 192 + half * 8;
    for (std::size_t run = 0; run < 4; ++run) {
      for (std::size_t i = 0; i < 32; ++i) {
        const int nibbles = byte_at(low, run % 2 * 32 + i);
        const int n = (run < 2 ? nibbles & 15 : nibbles >> 4) | (byte_at(high, i) >> (2 * run) & 3) << 4;
        const float factor = d * static_cast<float>(signed_at(scales, 2 * run + i / 16));
        out[half * 128 + run * 32 + i] = factor * static_cast<float>(n - 32);
      }
    }
  }
}

struct Reading {
  std::string_view name;
  void (*read)(const std::byte* block, float* out);
};
constexpr Reading readings[] = {{"F32", read_f32},   {"F16", read_f16},   {"BF16", read_bf16},
                                {"Q8_0", read_q8_0}, {"Q4_0", read_q4_0}, {"Q4_1", read_q4_1},
                                {"Q5_0", read_q5_0}, {"Q5_1", read_q5_1}, {"Q4_K", read_q4_k},
                                {"Q5_K", read_q5_k}, {"Q6_K", read_q6_k}};

const Reading* find_reading(const TensorType& type) {
  for (const Reading& each : readings) {
    if (each.name == type.name) return &each;
  }
  return nullptr;
}

}  // namespace

bool is_readable(const TensorType& type) { return find_reading(type) != nullptr; }

std::string readable_types() {
  std::string names;
  for (const Reading& each : readings) names += (names.empty() ? "" : ", ") + std::string(each.name);
  return names;
}

void read_blocks(const TensorType& type, std::span<const std::byte> blocks, std::span<float> out) {
  const Reading& reading = *find_reading(type);
  for (std::size_t b = 0; b < out.size() / type.elements; ++b)
    reading.read(blocks.data() + b * type.bytes, out.data() + b * type.elements);
}

}  // namespace ropewalk::gguf
