#pragma once

// The arguments of a hot call. TypeScript (bindings/ts/rope/call.ts) writes them into one block of the module's
// memory: as cheap as passing thirty numbers, and they keep their names. What a call does not take is not
// looked at. Members are as large natively as in WebAssembly, so that `npm run generate` finds their places by itself.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ropewalk/rope.hpp"
#include "ropewalk/rotate_by.hpp"

namespace ropewalk::embind {

/// Sizes as TypeScript writes them, in 32 bits. The result holds until the next call.
inline std::span<const std::size_t> sizes_at(const std::uint32_t* sizes, std::size_t count) {
#if defined(__EMSCRIPTEN__)
  static_assert(sizeof(std::size_t) == sizeof(std::uint32_t));
  return {reinterpret_cast<const std::size_t*>(sizes), count};
#else
  static thread_local std::vector<std::size_t> wide;
  wide.assign(sizes, sizes + count);
  return wide;
#endif
}

/// An address as TypeScript writes it: in 64 bits, natively as in WebAssembly.
template <class T>
struct Address {
  std::uint64_t value;

  T* get() const { return reinterpret_cast<T*>(static_cast<std::uintptr_t>(value)); }
};

struct Call {
  struct PositionsArgument {
    double start;
    Address<const double> values;  // 0: start counts
    std::uint32_t count;

    Positions get() const {
      return values.value == 0 ? Positions(start) : Positions(std::span(values.get(), count));
    }
  };
  /// x and where its result goes; of gradients, x and grad_y. Sizes in elements.
  struct ArrayArgument {
    Address<const void> x;
    std::uint32_t x_size;
    DType x_type;
    Address<void> out;
    std::uint32_t out_size;
    DType out_type;

    ArrayRef in() const { return {x.get(), x_size, x_type}; }
    MutableArrayRef result() const { return {out.get(), out_size, out_type}; }
  };
  struct StridesArgument {
    std::int32_t batch, sequence, head;
    Strides get() const { return {batch, sequence, head}; }
  };
  struct Found {
    std::uint64_t address;
    std::uint32_t size;
  };

  PositionsArgument positions, to;
  ArrayArgument x, k;
  std::uint32_t batch, sequence, heads;
  int layout;  // ropewalk::Layout; -1: strides say it
  StridesArgument strides;
  Address<const std::uint32_t> cumulative_lengths;
  std::uint32_t cumulative_count;
  Role role;
  // rotate_qk
  std::uint32_t kv_heads;
  StridesArgument key_strides;
  // rerotate
  Address<const Rope> to_rope;
  // Results of gradients().
  double magnitude;
  Found gradients[5];  // x, frequencies, positions, alpha, rho
  // rotate_by: x in place, angles as the values of `positions`; of its gradient, k is grad_y and becomes that of x.
  std::uint32_t dimension, pairs;
  Pairing pairing;
  Address<double> grad_angles;

  GivenAngles given() const { return {batch, sequence, heads, dimension, pairs, pairing}; }
  Placement placement() const {
    Placement placement{.batch = batch, .sequence = sequence, .heads = heads, .positions = positions.get()};
    if (layout < 0) {
      placement.strides = strides.get();
    } else {
      placement.layout = static_cast<Layout>(layout);
    }
    placement.cumulative_lengths = sizes_at(cumulative_lengths.get(), cumulative_count);
    return placement;
  }
};

/// The block of the next call.
Call& call();

}  // namespace ropewalk::embind
