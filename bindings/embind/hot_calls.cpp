// What runs once per token: plain exports that take numbers and addresses, since an Embind call costs more than
// rotating a short array. Sizes are in elements; `layout` is ropewalk::Layout, or -1 when strides say it;
// `positions` is null when `start` counts. Each returns the code of a Status.

#include <emscripten/emscripten.h>

#include <cstddef>
#include <cstdint>

#include "last_error.hpp"
#include "ropewalk/rope.hpp"

namespace {

using ropewalk::ArrayRef;
using ropewalk::MutableArrayRef;
using ropewalk::embind::keep;

ropewalk::Placement placement_of(std::uint32_t batch, std::uint32_t sequence, std::uint32_t heads, int layout,
                                 const ropewalk::Strides& strides, const double* positions, std::uint32_t count,
                                 double start) {
  ropewalk::Placement placement{.batch = batch, .sequence = sequence, .heads = heads};
  if (layout < 0) {
    placement.strides = strides;
  } else {
    placement.layout = static_cast<ropewalk::Layout>(layout);
  }
  placement.positions = positions == nullptr ? ropewalk::Positions(start)
                                             : ropewalk::Positions(std::span<const double>(positions, count));
  return placement;
}

}  // namespace

extern "C" {

EMSCRIPTEN_KEEPALIVE int ropewalk_rotate(const ropewalk::Rope* rope, const void* x, std::uint32_t x_size, void* out,
                                         std::uint32_t out_size, int dtype, std::uint32_t batch,
                                         std::uint32_t sequence, std::uint32_t heads, int layout, int stride_batch,
                                         int stride_sequence, int stride_head, const double* positions,
                                         std::uint32_t position_count, double start) {
  const auto type = static_cast<ropewalk::DType>(dtype);
  return keep(rope->try_rotate(ArrayRef(x, x_size, type), MutableArrayRef(out, out_size, type),
                               placement_of(batch, sequence, heads, layout,
                                            {stride_batch, stride_sequence, stride_head}, positions, position_count,
                                            start)));
}

EMSCRIPTEN_KEEPALIVE int ropewalk_unrotate(const ropewalk::Rope* rope, const void* x, std::uint32_t x_size,
                                           void* out, std::uint32_t out_size, int dtype, std::uint32_t batch,
                                           std::uint32_t sequence, std::uint32_t heads, int layout,
                                           int stride_batch, int stride_sequence, int stride_head,
                                           const double* positions, std::uint32_t position_count, double start) {
  const auto type = static_cast<ropewalk::DType>(dtype);
  return keep(rope->try_unrotate(ArrayRef(x, x_size, type), MutableArrayRef(out, out_size, type),
                                 placement_of(batch, sequence, heads, layout,
                                              {stride_batch, stride_sequence, stride_head}, positions,
                                              position_count, start)));
}

EMSCRIPTEN_KEEPALIVE int ropewalk_rotate_qk(
    const ropewalk::Rope* rope, const void* q, std::uint32_t q_size, void* out_q, std::uint32_t out_q_size,
    const void* k, std::uint32_t k_size, void* out_k, std::uint32_t out_k_size, int dtype, std::uint32_t batch,
    std::uint32_t sequence, std::uint32_t heads, std::uint32_t kv_heads, int layout, int stride_batch,
    int stride_sequence, int stride_head, int key_stride_batch, int key_stride_sequence, int key_stride_head,
    const double* positions, std::uint32_t position_count, double start) {
  const auto type = static_cast<ropewalk::DType>(dtype);
  const ropewalk::Placement placement =
      placement_of(batch, sequence, heads, layout, {stride_batch, stride_sequence, stride_head}, positions,
                   position_count, start);
  std::optional<ropewalk::Strides> key_strides;
  if (layout < 0) key_strides = ropewalk::Strides{key_stride_batch, key_stride_sequence, key_stride_head};
  return keep(rope->try_rotate_qk(ArrayRef(q, q_size, type), MutableArrayRef(out_q, out_q_size, type),
                                  ArrayRef(k, k_size, type), MutableArrayRef(out_k, out_k_size, type), placement,
                                  kv_heads, key_strides));
}

/// `cos` and `sin` hold `size` elements each.
EMSCRIPTEN_KEEPALIVE int ropewalk_table(const ropewalk::Rope* rope, const double* positions, std::uint32_t count,
                                        float* cos, float* sin, std::uint32_t size) {
  return keep(rope->try_table({positions, count}, {cos, size}, {sin, size}));
}
}
