// Attention over feature maps in which a token sees itself and those before it. The sum over earlier blocks of tokens is
// one matrix, the state; within a block the weights are a triangle. So no more than a block of weights exists at a time,
// and all of it is matrix products.

#include <algorithm>

#include "model/position_encoding/feature_products.hpp"
#include "nn/scratch.hpp"

namespace ropewalk::model::position_encoding {
namespace {

constexpr std::size_t block = 32;

/// The scratch of one head: the last packed matrix, a triangle, the state, and what else is asked for.
struct Places {
  nn::Compute compute;
  float *packed, *triangle, *state, *rest;
  Places(float* scratch, const FeatureAttention& head)
      : compute(head.compute),
        packed(scratch),
        triangle(packed + packed_size(head.tokens, head.features, head.head_dim)),
        state(triangle + nn::scratch_lines(square(head.tokens))),
        rest(state + nn::scratch_lines(head.features * head.head_dim)) {}

  static std::size_t square(std::size_t tokens) { return std::min(tokens, block) * std::min(tokens, block); }
  static std::size_t packed_size(std::size_t tokens, std::size_t features, std::size_t head_dim) {
    const std::size_t rows = std::min(tokens, block);
    std::size_t most = 0;
    for (const auto& [k, n] : {std::pair{rows, features}, {rows, head_dim}, {features, head_dim}})
      most = std::max({most, nn::packed_scratch(k, n), nn::packed_scratch(n, k)});
    return most;
  }
  static std::size_t size(std::size_t tokens, std::size_t features, std::size_t head_dim) {
    return packed_size(tokens, features, head_dim) + nn::scratch_lines(square(tokens)) +
           nn::scratch_lines(features * head_dim);
  }
};

/// Rows of a matrix that begin at a token.
struct Rows {
  const float* data;
  std::ptrdiff_t stride;
  Rows(const float* all, std::ptrdiff_t stride, std::size_t first)
      : data(all + static_cast<std::ptrdiff_t>(first) * stride), stride(stride) {}
};

float* rows(float* all, std::ptrdiff_t stride, std::size_t first) {
  return all + static_cast<std::ptrdiff_t>(first) * stride;
}

/// triangle (n,n) = a b^T for j <= i, 0 above; a and b (n,width)
void triangle_of(const Places& places, const Rows& a, const Rows& b, std::size_t n, std::size_t width) {
  pack(places.compute, places.packed, b.data, 1, b.stride, width, n);
  product(places.compute, places.triangle, static_cast<std::ptrdiff_t>(n), a.data, a.stride, 1, places.packed,
          n, n, width);
  for (std::size_t i = 0; i < n; ++i)
    std::fill(places.triangle + i * n + i + 1, places.triangle + (i + 1) * n, 0.0F);
}

/// y (n,width) += triangle x, or its transpose times x; begins at 0 unless it accumulates.
void add_within(const Places& places, float* y, std::ptrdiff_t y_stride, const Rows& x, std::size_t n,
                std::size_t width, bool transposed, bool accumulate) {
  const auto row = static_cast<std::ptrdiff_t>(n);
  pack(places.compute, places.packed, x.data, x.stride, 1, n, width);
  product(places.compute, y, y_stride, places.triangle, transposed ? 1 : row, transposed ? row : 1,
          places.packed, n, width, n, accumulate);
}

/// y (n,D) = x (n,F) state
void through_state(const Places& places, float* y, std::ptrdiff_t y_stride, const Rows& x,
                   const FeatureAttention& head, std::size_t n) {
  pack(places.compute, places.packed, places.state, static_cast<std::ptrdiff_t>(head.head_dim), 1,
       head.features, head.head_dim);
  product(places.compute, y, y_stride, x.data, x.stride, 1, places.packed, n, head.head_dim, head.features);
}

/// y (n,F) = x (n,D) state^T
void back_through_state(const Places& places, float* y, std::ptrdiff_t y_stride, const Rows& x,
                        const FeatureAttention& head, std::size_t n) {
  pack(places.compute, places.packed, places.state, 1, static_cast<std::ptrdiff_t>(head.head_dim),
       head.head_dim, head.features);
  product(places.compute, y, y_stride, x.data, x.stride, 1, places.packed, n, head.features, head.head_dim);
}

/// state (F,D) += x^T y, of a block's rows x (n,F) and y (n,D); the first block begins it.
void add_to_state(const Places& places, const Rows& x, const Rows& y, const FeatureAttention& head,
                  std::size_t n, bool accumulate) {
  pack(places.compute, places.packed, y.data, y.stride, 1, n, head.head_dim);
  product(places.compute, places.state, static_cast<std::ptrdiff_t>(head.head_dim), x.data, 1, x.stride,
          places.packed, head.features, head.head_dim, n, accumulate);
}

}  // namespace

std::size_t causal_forward_scratch(std::size_t tokens, std::size_t features, std::size_t head_dim) {
  return Places::size(tokens, features, head_dim);
}

void causal_forward(float* context, std::ptrdiff_t context_stride, const FeatureAttention& head,
                    float* scratch) {
  const Places places(scratch, head);
  for (std::size_t first = 0; first < head.tokens; first += block) {
    const std::size_t n = std::min(block, head.tokens - first);
    const Rows q(head.q, head.q_stride, first), k(head.k, head.k_stride, first),
        v(head.v, head.v_stride, first);
    float* const out = rows(context, context_stride, first);
    if (first > 0) through_state(places, out, context_stride, q, head, n);
    triangle_of(places, q, k, n, head.features);
    add_within(places, out, context_stride, v, n, head.head_dim, false, first > 0);
    add_to_state(places, k, v, head, n, first > 0);
    for (std::size_t i = 0; i < n; ++i) {
      float* const row = rows(out, context_stride, i);
      head.compute.dense().scale(inverse_denominator(head, first + i), row, row, head.head_dim);
    }
  }
}

std::size_t causal_backward_scratch(std::size_t tokens, std::size_t features, std::size_t head_dim) {
  return Places::size(tokens, features, head_dim) + nn::scratch_lines(tokens * head_dim);
}

// With dnum_i = dcontext_i / den_i and state_i = sum_{j<=i} k_j^T v_j:
//   dq_i = dnum_i state_i^T, and from the last token back dstate_j = sum_{i>=j} q_i^T dnum_i,
//   dk_j = v_j dstate_j^T, dv_j = k_j dstate_j.
void causal_backward(const FeatureAttentionGradient& gradient, const FeatureAttention& head, float* scratch) {
  const Places places(scratch, head);
  const auto width = static_cast<std::ptrdiff_t>(head.head_dim);
  float* const dnums = places.rest;  // (T,D)
  for (std::size_t t = 0; t < head.tokens; ++t) {
    head.compute.dense().scale(inverse_denominator(head, t),
                               gradient.dcontext + static_cast<std::ptrdiff_t>(t) * gradient.dcontext_stride,
                               dnums + t * head.head_dim, head.head_dim);
  }
  for (std::size_t first = 0; first < head.tokens; first += block) {
    const std::size_t n = std::min(block, head.tokens - first);
    const Rows k(head.k, head.k_stride, first), v(head.v, head.v_stride, first), dnum(dnums, width, first);
    float* const dq = rows(gradient.dq, gradient.dq_stride, first);
    if (first > 0) back_through_state(places, dq, gradient.dq_stride, dnum, head, n);
    triangle_of(places, dnum, v, n, head.head_dim);
    add_within(places, dq, gradient.dq_stride, k, n, head.features, false, first > 0);
    add_to_state(places, k, v, head, n, first > 0);
  }
  gradient_of_denominator(gradient, head);

  const std::size_t blocks = (head.tokens + block - 1) / block;
  for (std::size_t b = blocks; b-- > 0;) {
    const std::size_t first = b * block, n = std::min(block, head.tokens - first);
    const bool later = b + 1 < blocks;
    const Rows q(head.q, head.q_stride, first), k(head.k, head.k_stride, first),
        v(head.v, head.v_stride, first), dnum(dnums, width, first);
    float *const dk = rows(gradient.dk, gradient.dk_stride, first), *const dv =
                                                                        rows(gradient.dv, gradient.dv_stride,
                                                                             first);
    if (later) {
      back_through_state(places, dk, gradient.dk_stride, v, head, n);
      through_state(places, dv, gradient.dv_stride, k, head, n);
    }
    triangle_of(places, dnum, v, n, head.head_dim);
    add_within(places, dk, gradient.dk_stride, q, n, head.features, true, later);
    triangle_of(places, q, k, n, head.features);
    add_within(places, dv, gradient.dv_stride, dnum, n, head.head_dim, true, later);
    add_to_state(places, q, dnum, head, n, later);
  }
}

}  // namespace ropewalk::model::position_encoding
