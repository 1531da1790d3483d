// The call that decoding makes for every token and layer: a dense array in place, from a start position. If
// the call is valid it is checked once here and nothing is copied. Every other call takes the general path,
// which also reports errors.

#include "rope/state.hpp"

namespace ropewalk {

bool Rope::State::simple_call(arch::Architecture architecture, ArrayRef x, MutableArrayRef out,
                              const Placement& placement, TableKey key) const {
  const std::size_t batch = placement.batch, sequence = placement.sequence, heads = placement.heads;
  if (placement.strides || placement.layout == Layout::thd || !placement.cumulative_lengths.empty())
    return false;
  if (x.data != out.data || x.size != out.size || x.dtype != out.dtype || x.size == 0) return false;
  std::size_t elements;
  if (__builtin_mul_overflow(heads, head_dim, &elements) ||
      __builtin_mul_overflow(elements, sequence, &elements) ||
      __builtin_mul_overflow(elements, batch, &elements) || elements != x.size) {
    return false;
  }
  // If each head has its own frequencies, the array must have that many heads.
  if (tables.spec().width() != pairs() || sequence > tables.rows_per_table()) return false;
  const double start = placement.positions.start(), last = start + static_cast<double>(sequence - 1);
  if (!placement.positions.is_start() ||
      !(start >= tables.lowest_position() && last <= tables.highest_position())) {
    return false;
  }
  TablePtr table;
  if (!tables.table({.start = start, .count = sequence}, key, table).ok()) return false;
  const Array array{
      x, out, {batch, sequence, heads, strides_of(placement.layout, sequence, heads, head_dim), {}}, key};
  for (std::size_t b = 0; b < batch; ++b) run(architecture, array, *table, b, 0, sequence);
  return true;
}

}  // namespace ropewalk
