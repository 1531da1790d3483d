#pragma once

// Templates that each file of cpp/src/arch specialises for its instruction set. Those files hold the only intrinsics.
// Everything else in this folder is written in xsimd's vectors, for any architecture.

#include <cstddef>
#include <cstdint>
#include <xsimd/xsimd.hpp>

namespace ropewalk::kernels {

template <class Arch>
using Floats = xsimd::batch<float, Arch>;
template <class Arch>
using Words = xsimd::batch<std::uint32_t, Arch>;
template <class Arch>
using Ints = xsimd::batch<std::int32_t, Arch>;

/// True if xsimd::fma is one instruction. The others round twice: emulating the fused product would be slow, and sse2 has
/// to give the same bits as WASM.
template <class Arch>
inline constexpr bool fused = false;

/// a / b and the square root, rounded correctly. xsimd rounds them so on every architecture but NEON, where it refines an
/// estimate.
template <class Arch>
struct Exact {
  static Floats<Arch> divide(Floats<Arch> a, Floats<Arch> b) noexcept { return a / b; }
  static Floats<Arch> square_root(Floats<Arch> x) noexcept { return xsimd::sqrt(x); }
};

/// The tile of a matrix product. It has to fit the registers together with the row of B and one element of A.
template <class Arch>
struct GemmTile {  // 16 registers of 4: in WASM, V8 spills from about the 13th live value on
  static constexpr std::size_t rows = 4, vectors = 2, single_row_panels = 4, depth = 512, block_rows = 128;
};

/// `static Ints<Arch> add(Ints<Arch> a, Ints<Arch> b, Ints<Arch> sum)`: sum + low * low + high * high of each pair of
/// 16 bits. `static Ints<Arch> widen(const std::int8_t* bytes)`: as many signed bytes as there are elements of 16 bits,
/// aligned to their number. xsimd has no name for these instructions.
template <class Arch>
struct Pairs16;

/// `static Ints<Arch> add(Ints<Arch> a, Ints<Arch> b, Ints<Arch> sum)`: sum + the products of the four bytes of each lane,
/// those of `a` signed and those of `b` from 0 to 127. Products of 8-bit integers are made of these where there are some,
/// else of Pairs16.
template <class Arch>
struct Dot4 {
  static constexpr bool exists = false;
};

/// 16-bit elements in the lanes of a float32 vector. load: as many as there are lanes, zeros above them. store: the
/// lanes' low halves, where the high ones are 0. join: the lower halves of `even` below the upper halves
/// of `odd`.
template <class Arch>
struct Halves;

/// The processor's own conversions of float16, one element per lane, and of neighbours a, b as pairs in memory. They
/// round to nearest even, keep subnormals, and make signalling NaNs quiet.
template <class Arch>
struct NativeFloat16 {
  static constexpr bool exists = false;
};

}  // namespace ropewalk::kernels
