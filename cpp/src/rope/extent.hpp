#pragma once

// A placement, checked: from here on sizes, strides and positions are right.

#include <cstddef>
#include <span>
#include <string_view>

#include "ropewalk/dtype.hpp"
#include "ropewalk/placement.hpp"
#include "ropewalk/status.hpp"

namespace ropewalk {

/// What an array of heads of `head_dim` channels must be like, and how its argument is called in messages.
struct Subject {
  std::string_view function;
  std::string_view x_name, out_name, heads_name, strides_name;
  std::size_t head_dim;
};

struct Extent {
  std::size_t batch = 1, sequence = 1, heads = 1;
  Strides strides;
  /// Heads in all.
  std::size_t count() const { return batch * sequence * heads; }
};

/// Checks sizes and strides against the arrays.
Result<Extent> resolve(const Subject& subject, const Placement& placement, std::size_t heads,
                       const std::optional<Strides>& strides, ArrayRef x, MutableArrayRef out);

/// Checks that there is one position per token, each finite and at most `limit` in size.
Status check_positions(std::string_view function, const Placement& placement, double limit);

}  // namespace ropewalk
