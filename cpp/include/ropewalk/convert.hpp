#pragma once

/// Converts weights from one pairing to the other, and detects the pairing that made a sample.

#include <cstddef>
#include <optional>

#include "ropewalk/dtype.hpp"
#include "ropewalk/pairing.hpp"
#include "ropewalk/placement.hpp"
#include "ropewalk/rope.hpp"
#include "ropewalk/status.hpp"

namespace ropewalk {

/// Describes a projection whose rows move from one pairing to the other.
struct PairingConversion {
  /// The pairing of the weight as it is.
  Pairing from = Pairing::half;
  /// The pairing of the weight to be written.
  Pairing to = Pairing::interleaved;
  /// Heads of this projection: for keys, the number of key-value heads. 1 for a q or k norm weight that heads
  /// share.
  std::size_t heads = 0;
  /// D, channels of one head.
  std::size_t head_dim = 0;
  /// d: only the first d rows of each head's window move. Default head_dim - rotary_offset.
  std::optional<std::size_t> rotary_dim = std::nullopt;
  /// First channel of the rotated window inside the head.
  std::size_t rotary_offset = 0;
  /// Columns of the weight, checked if given; 1 for a bias or a norm weight. Default: from its size.
  std::optional<std::size_t> columns = std::nullopt;
};

/// Rows of a query or key projection [heads * head_dim, columns] (or its bias, or a q/k norm weight) so that
/// rotating by `to` what the new weight projects gives, in another order of channels, what rotating by `from`
/// gave: scores do not change. interleaved row 2j is half row j, interleaved row 2j + 1 half row j + d/2.
/// Value and output projections stay as they are. Exact: rows are moved, and there and back is the same bits.
/// `out` is `weight` itself (in place) or does not overlap it, and has its size and element type. Errors:
/// sizes that do not agree, d odd, 0 or beyond the head; nothing has been written then.
Status try_convert_pairing(ArrayRef weight, MutableArrayRef out, const PairingConversion& conversion);

/// Detects the pairing that takes x to `rotated`, both laid out as `placement` says; none if neither does.
/// options.pairing does not matter. A pairing does if the differences over all heads are at most 1/64 of
/// `rotated` (root mean square, over the rotated channels and over the others apart): bfloat16 data and
/// float32 angles of PyTorch at positions of some thousands pass, and a wrong pairing of ordinary data is off
/// by more than its own size. If both do, the one whose difference is at least 8 times smaller. Errors: what
/// try_rotate refuses; and a sample that says nothing because both do alike: d = 2, position 0, x = 0.
Result<std::optional<Pairing>> try_detect_pairing(ArrayRef x, ArrayRef rotated, const RopeOptions& options,
                                                  const Placement& placement, Role role = Role::query);

#if defined(__cpp_exceptions)
/// As try_convert_pairing, but throws the error.
inline void convert_pairing(ArrayRef weight, MutableArrayRef out, const PairingConversion& conversion) {
  raise(try_convert_pairing(weight, out, conversion));
}
/// As try_detect_pairing, but throws the error.
inline std::optional<Pairing> detect_pairing(ArrayRef x, ArrayRef rotated, const RopeOptions& options,
                                             const Placement& placement, Role role = Role::query) {
  return raise(try_detect_pairing(x, rotated, options, placement, role));
}
#endif

}  // namespace ropewalk
