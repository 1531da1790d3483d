#pragma once

// Loads, stores, remainders and multiply-add, which all dense kernels use. Only the files of cpp/src/arch
// include it, and everything is a template on the architecture, so that the linker never merges code of two
// architectures.

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "kernels/arch.inl.hpp"

namespace ropewalk::kernels {

/// a * b + c
template <class Arch>
inline Floats<Arch> muladd(Floats<Arch> a, Floats<Arch> b, Floats<Arch> c) noexcept {
  if constexpr (fused<Arch>) {
    return xsimd::fma(a, b, c);
  } else {
    return a * b + c;
  }
}

/// c - a * b
template <class Arch>
inline Floats<Arch> negmuladd(Floats<Arch> a, Floats<Arch> b, Floats<Arch> c) noexcept {
  if constexpr (fused<Arch>) {
    return xsimd::fnma(a, b, c);
  } else {
    return c - a * b;
  }
}

/// Sixteen floats in as many batches as the architecture needs. Kernels that sum work on this width
/// everywhere: the order of the additions, hence the bits, then does not depend on the length of a batch, and
/// short batches get the independent chains that hide their latency.
inline constexpr std::size_t block = 16;

template <class Arch>
struct Block {
  static constexpr std::size_t batches = block / Floats<Arch>::size;
  Floats<Arch> of[batches];

  static Block broadcast(float value) noexcept {
    Block out;
    for (Floats<Arch>& each : out.of) each = Floats<Arch>(value);
    return out;
  }
  template <class F>
  Block map(F f) const noexcept {
    Block out;
    for (std::size_t i = 0; i < batches; ++i) out.of[i] = f(of[i]);
    return out;
  }
  template <class F>
  Block map(const Block& b, F f) const noexcept {
    Block out;
    for (std::size_t i = 0; i < batches; ++i) out.of[i] = f(of[i], b.of[i]);
    return out;
  }
  template <class F>
  Block map(const Block& b, const Block& c, F f) const noexcept {
    Block out;
    for (std::size_t i = 0; i < batches; ++i) out.of[i] = f(of[i], b.of[i], c.of[i]);
    return out;
  }
  friend Block operator+(const Block& a, const Block& b) noexcept {
    return a.map(b, [](Floats<Arch> x, Floats<Arch> y) { return x + y; });
  }
  friend Block operator-(const Block& a, const Block& b) noexcept {
    return a.map(b, [](Floats<Arch> x, Floats<Arch> y) { return x - y; });
  }
  friend Block operator*(const Block& a, const Block& b) noexcept {
    return a.map(b, [](Floats<Arch> x, Floats<Arch> y) { return x * y; });
  }
  /// a * b + c
  friend Block muladd(const Block& a, const Block& b, const Block& c) noexcept {
    return a.map(
        b, c, [](Floats<Arch> x, Floats<Arch> y, Floats<Arch> z) { return kernels::muladd<Arch>(x, y, z); });
  }

  /// Sum over a fixed tree. The order of xsimd's reduce_add depends on the architecture.
  float sum() const noexcept {
    return reduce([](float a, float b) { return a + b; });
  }
  float max() const noexcept {
    return reduce([](float a, float b) { return a < b ? b : a; });
  }

 private:
  template <class F>
  float reduce(F f) const noexcept {
    alignas(64) float lanes[block];
    for (std::size_t i = 0; i < batches; ++i) of[i].store_aligned(lanes + i * Floats<Arch>::size);
    for (std::size_t half = block / 2; half > 0; half /= 2) {
      for (std::size_t i = 0; i < half; ++i) lanes[i] = f(lanes[i], lanes[i + half]);
    }
    return lanes[0];
  }
};

/// All sixteen elements exist; a plain count instead says how many do.
struct Whole {};

template <class Arch>
inline Block<Arch> load(const float* x, Whole, float /*fill*/ = 0.0F) noexcept {
  Block<Arch> out;
  for (std::size_t i = 0; i < Block<Arch>::batches; ++i) {
    out.of[i] = Floats<Arch>::load_unaligned(x + i * Floats<Arch>::size);
  }
  return out;
}

/// Copies `count` elements and fills the rest of the block. A function of its own: sixteen conditions inlined
/// at every load and store of every kernel would be most of the WASM module.
template <class Arch>
[[gnu::noinline]] void pad(const float* x, std::size_t count, float fill, float* lanes) noexcept {
  for (std::size_t i = 0; i < block; ++i) lanes[i] = i < count ? x[i] : fill;
}
template <class Arch>
[[gnu::noinline]] void copy(const float* x, std::size_t count, float* y) noexcept {
  for (std::size_t i = 0; i < count; ++i) y[i] = x[i];
}

/// The remainder goes through one padded block, never through scalar code, so that its bits are those of the
/// rest.
template <class Arch>
inline Block<Arch> load(const float* x, std::size_t count, float fill = 0.0F) noexcept {
  alignas(64) float lanes[block];
  pad<Arch>(x, count, fill, lanes);
  return load<Arch>(lanes, Whole());
}

template <class Arch>
inline void store(const Block<Arch>& value, float* x, Whole) noexcept {
  for (std::size_t i = 0; i < Block<Arch>::batches; ++i)
    value.of[i].store_unaligned(x + i * Floats<Arch>::size);
}

template <class Arch>
inline void store(const Block<Arch>& value, float* x, std::size_t count) noexcept {
  alignas(64) float lanes[block];
  store<Arch>(value, lanes, Whole());
  copy<Arch>(lanes, count, x);
}

/// f(0), ..., f(N - 1), each number as a constant of a type of its own. A loop would be unrolled only after the compiler has
/// decided which arrays become registers: g++ then writes every sum of a tile to the stack at each step.
template <std::size_t N, class F>
[[gnu::always_inline]] inline void unrolled(F f) noexcept {
  [&]<std::size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
    (f(std::integral_constant<std::size_t, I>()), ...);
  }(std::make_index_sequence<N>());
}

/// Calls body(offset, Whole or count) over `count` elements in blocks.
template <class Arch, class Body>
inline void sweep(std::size_t count, Body body) noexcept {
  std::size_t i = 0;
  for (; i + block <= count; i += block) body(i, Whole());
  if (i < count) body(i, count - i);
}

}  // namespace ropewalk::kernels
