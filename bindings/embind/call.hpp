#pragma once

// The arguments of a hot call. TypeScript (bindings/ts/rope/call.ts) writes them into one block of the module's
// memory: as cheap as passing thirty numbers, and they keep their names. What a call does not take is not
// looked at.

#include <cstddef>
#include <cstdint>

#include "ropewalk/rope.hpp"
#include "ropewalk/rotate_by.hpp"

namespace ropewalk::embind {

struct Call {
  struct PositionsArgument {
    double start;
    const double* values;  // null: start counts
    std::uint32_t count;

    Positions get() const {
      return values == nullptr ? Positions(start) : Positions(std::span(values, count));
    }
  };
  /// x and where its result goes; of gradients, x and grad_y. Sizes in elements.
  struct ArrayArgument {
    const void* x;
    std::uint32_t x_size;
    DType x_type;
    void* out;
    std::uint32_t out_size;
    DType out_type;

    ArrayRef in() const { return {x, x_size, x_type}; }
    MutableArrayRef result() const { return {out, out_size, out_type}; }
  };
  struct StridesArgument {
    std::int32_t batch, sequence, head;
    Strides get() const { return {batch, sequence, head}; }
  };
  struct Found {
    const void* values;
    std::uint32_t size;
  };

  PositionsArgument positions, to;
  ArrayArgument x, k;
  std::uint32_t batch, sequence, heads;
  int layout;  // ropewalk::Layout; -1: strides say it
  StridesArgument strides;
  const std::size_t* cumulative_lengths;
  std::uint32_t cumulative_count;
  Role role;
  // rotate_qk
  std::uint32_t kv_heads;
  StridesArgument key_strides;
  // rerotate
  const Rope* to_rope;
  // Results of gradients().
  double magnitude;
  Found gradients[5];  // x, frequencies, positions, alpha, rho
  // rotate_by: x in place, angles as the values of `positions`; of its gradient, k is grad_y and becomes that of x.
  std::uint32_t dimension, pairs;
  Pairing pairing;
  double* grad_angles;

  GivenAngles given() const { return {batch, sequence, heads, dimension, pairs, pairing}; }
  Placement placement() const {
    Placement placement{.batch = batch, .sequence = sequence, .heads = heads, .positions = positions.get()};
    if (layout < 0) {
      placement.strides = strides.get();
    } else {
      placement.layout = static_cast<Layout>(layout);
    }
    placement.cumulative_lengths = {cumulative_lengths, cumulative_count};
    return placement;
  }
};

// The words that bindings/ts/rope/call.ts counts in.
static_assert(offsetof(Call, to) == 4 * 4 && offsetof(Call, x) == 4 * 8 && offsetof(Call, k) == 4 * 14);
static_assert(offsetof(Call, batch) == 4 * 20 && offsetof(Call, kv_heads) == 4 * 30);
static_assert(offsetof(Call, to_rope) == 4 * 34 && offsetof(Call, magnitude) == 4 * 36);
static_assert(offsetof(Call, gradients) == 4 * 38 && offsetof(Call, dimension) == 4 * 48 &&
              sizeof(Call) == 4 * 52);

/// The block of the next call.
Call& call();

}  // namespace ropewalk::embind
