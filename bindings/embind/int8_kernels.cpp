// Products of 8-bit integers may come from relaxed.wasm (cpp/src/arch/wasm_relaxed.cpp), whose functions JavaScript puts
// into this module's table: here they are tried, and taken into use.

#include <emscripten/emscripten.h>

#include <cstdint>
#include <cstring>

#include "arch/select.hpp"

namespace ropewalk::embind {
namespace {

using kernels::Int8Kernels;

/// The other module's stack, of which its kernels take five kilobytes.
alignas(64) unsigned char stack[8192];

/// The kernels at eight places of the table from `first` on, in the order of Int8Kernels.
Int8Kernels at(std::uint32_t first) {
  static_assert(sizeof(Int8Kernels) == 8 * sizeof(first),
                "an address of a function is its place in the table");
  std::uint32_t places[8];
  for (std::uint32_t i = 0; i < 8; ++i) places[i] = first + i;
  Int8Kernels kernels;
  std::memcpy(&kernels, places, sizeof(kernels));
  return kernels;
}

/// Whole tiles and one row that is left over, a panel that is not full and a last block that is not.
constexpr std::size_t M = 9, N = 100, K = 250;
/// Rows of the weight that have numbers; zeros take as long to multiply.
constexpr std::size_t packed_rows = 36;

/// Numbers of both signs, with the largest of each in every block; a number that is rotated becomes as many as large.
void fill(float* row, std::uint32_t& state) {
  for (std::size_t k = 0; k < K; ++k) {
    state = state * 1664525U + 1013904223U;
    const float value = static_cast<float>(static_cast<std::int32_t>(state) >> 8) / 8388608.0F;
#if defined(ROPEWALK_DECODERS_ONLY)
    row[k] = k % 32 == 3 ? 1.0F : k % 32 == 4 ? -1.0F : value;
#else
    row[k] = k % 128 == 3 ? 100.0F : value;
#endif
  }
}

/// FNV-1a.
std::uint32_t hashed(std::uint32_t hash, const float* values, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t bits;
    std::memcpy(&bits, values + i, sizeof(bits));
    hash = (hash ^ bits) * 16777619U;
  }
  return hash;
}

/// A product of the kind that the module's models have.
class Trial {
 public:
  explicit Trial(const Int8Kernels& kernels) : kernels_(kernels) {
    for (std::size_t m = 0; m < M; ++m) fill(a_ + m * K, state_);
  }

  void pack() {
    float row[K];
    for (std::size_t n = 0; n < packed_rows; ++n) {
      fill(row, state_);
#if defined(ROPEWALK_DECODERS_ONLY)
      kernels_.blocks.pack({row, n, 1, K, packed_, false});
      kernels_.blocks.scale({packed_, n, K, 1.5F});
      kernels_.blocks.unpack({packed_, n, K, row});
#else
      kernels_.rows.pack({row, n, 1, K, packed_, scale_, reinterpret_cast<float*>(scratch_), false});
      kernels_.rows.unpack({packed_, scale_, n, K, row});
#endif
      hash_ = hashed(hash_, row, K);
    }
  }

  void multiply() {
#if defined(ROPEWALK_DECODERS_ONLY)
    kernels_.blocks.gemm({a_, packed_, nullptr, c_, scratch_, M, N, K});
#else
    kernels_.rows.gemm({a_, packed_, scale_, nullptr, c_, scratch_, M, N, K});
#endif
  }

  /// A hash of the rows as unpacked and of the last product.
  std::uint32_t hash() const { return hashed(hash_, c_, M * N); }

 private:
  const Int8Kernels& kernels_;
#if defined(ROPEWALK_DECODERS_ONLY)
  alignas(64) std::int8_t packed_[kernels::blocks_size(K, N)] = {};
  alignas(64) std::int32_t scratch_[kernels::blocks_scratch(K)];
#else
  alignas(64) std::int8_t packed_[kernels::int8_size(K, N)] = {};
  alignas(64) std::int32_t scratch_[kernels::int8_scratch(K)];
  float scale_[kernels::int8_weight_rows(N)] = {};
#endif
  float a_[M * K], c_[M * N];
  std::uint32_t state_ = 1, hash_ = 2166136261U;
};

}  // namespace
}  // namespace ropewalk::embind

extern "C" {

/// The end of the stack for the other module, which grows downwards.
EMSCRIPTEN_KEEPALIVE void* ropewalk_int8_stack() {
  return ropewalk::embind::stack + sizeof(ropewalk::embind::stack);
}

/// A hash of what the kernels from `first` on give, those of this module for 0. `times` 1 packs a weight and multiplies with
/// it; more multiply zeros as often, for an engine to optimise the code.
EMSCRIPTEN_KEEPALIVE std::uint32_t ropewalk_try_int8(std::uint32_t first, std::uint32_t times) {
  using namespace ropewalk;
  const kernels::Int8Kernels kernels = first == 0 ? arch::int8(arch::active()) : embind::at(first);
  embind::Trial trial(kernels);
  if (times == 1) trial.pack();
  for (; times > 0; --times) trial.multiply();
  return trial.hash();
}

/// Models that are loaded from now on multiply with those kernels.
EMSCRIPTEN_KEEPALIVE void ropewalk_use_int8(std::uint32_t first) {
  static ropewalk::kernels::Int8Kernels others;
  others = ropewalk::embind::at(first);
  ropewalk::arch::use_int8(others);
}
}
