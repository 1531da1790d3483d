#include "nn/cross_attention.hpp"

#include <algorithm>
#include <limits>

#include "nn/scratch.hpp"

namespace ropewalk::nn {
namespace {

/// A matrix and the distance of its rows and columns.
struct Matrix {
  const float* data;
  std::ptrdiff_t row, column;
};

/// c (M,N) = a (M,K) b (K,N)
void product(Compute compute, float* c, std::size_t c_row, const Matrix& a, const Matrix& b, std::size_t m,
             std::size_t n, std::size_t k, float* packed) {
  const kernels::DenseKernels& kernels = compute.dense();
  kernels.pack({b.data, b.row, b.column, packed, k, n});
  kernels.gemm({.a = a.data,
                .a_row = a.row,
                .a_k = a.column,
                .b = packed,
                .bias = nullptr,
                .c = c,
                .c_row = static_cast<std::ptrdiff_t>(c_row),
                .m = m,
                .n = n,
                .k = k,
                .accumulate = false});
}

Matrix rows_of(const float* data, std::size_t stride) {
  return {data, static_cast<std::ptrdiff_t>(stride), 1};
}
Matrix transposed(const Matrix& matrix) { return {matrix.data, matrix.column, matrix.row}; }

std::size_t packed_size(const CrossAttentionShape& shape) {
  std::size_t most = 0;
  for (const std::size_t tokens : {shape.queries, shape.keys})
    most = std::max({most, packed_scratch(tokens, shape.head_dim), packed_scratch(shape.head_dim, tokens)});
  return most;
}

/// Where a head of a sequence begins in what it reads and writes.
struct Head {
  std::size_t query, key, value, context, probs;
  Head(const CrossAttentionShape& shape, std::size_t b, std::size_t h)
      : query(b * shape.queries * shape.query_stride + h * shape.head_dim),
        key(b * shape.keys * shape.key_stride + h * shape.head_dim),
        value(b * shape.keys * shape.value_stride + h * shape.head_dim),
        context((b * shape.queries * shape.heads + h) * shape.head_dim),
        probs((b * shape.heads + h) * shape.queries * shape.keys) {}
};

template <class Call>
void for_each_head(const CrossAttentionShape& shape, Call call) {
  for (std::size_t b = 0; b < shape.batch; ++b) {
    for (std::size_t h = 0; h < shape.heads; ++h) call(b, Head(shape, b, h));
  }
}

/// mask (K): 0, and -infinity for padding; nullptr where none of the sequence is to be hidden.
const float* hidden_keys(float* mask, const std::uint8_t* key_mask, std::size_t b, std::size_t keys) {
  if (key_mask == nullptr) return nullptr;
  const std::uint8_t* const own = key_mask + b * keys;
  const auto is_token = [](std::uint8_t key) { return key != 0; };
  if (std::all_of(own, own + keys, is_token) || std::none_of(own, own + keys, is_token)) return nullptr;
  for (std::size_t j = 0; j < keys; ++j)
    mask[j] = own[j] != 0 ? 0.0F : -std::numeric_limits<float>::infinity();
  return mask;
}

}  // namespace

std::size_t cross_attention_forward_scratch(const CrossAttentionShape& shape) {
  return packed_size(shape) + scratch_lines(shape.keys);
}

void cross_attention_forward(Compute compute, float* context, float* probs, const float* q, const float* k,
                             const float* v, const std::uint8_t* key_mask, const CrossAttentionShape& shape,
                             float* scratch) {
  float* const mask = scratch + packed_size(shape);
  const std::size_t width = shape.heads * shape.head_dim;
  for_each_head(shape, [&](std::size_t b, const Head& head) {
    float* const own = probs + head.probs;
    const Matrix queries = rows_of(q + head.query, shape.query_stride),
                 keys = rows_of(k + head.key, shape.key_stride);
    product(compute, own, shape.keys, queries, transposed(keys), shape.queries, shape.keys, shape.head_dim,
            scratch);
    kernels::SoftmaxJob job{};
    job.x = job.y = own;
    job.x_row = job.y_row = static_cast<std::ptrdiff_t>(shape.keys);
    job.rows = shape.queries;
    job.columns = shape.keys;
    job.scale = shape.scale;
    job.mask = hidden_keys(mask, key_mask, b, shape.keys);
    compute.dense().softmax(job);
    product(compute, context + head.context, width, rows_of(own, shape.keys),
            rows_of(v + head.value, shape.value_stride), shape.queries, shape.head_dim, shape.keys, scratch);
  });
}

std::size_t cross_attention_backward_scratch(const CrossAttentionShape& shape) {
  return packed_size(shape) + scratch_lines(shape.queries * shape.keys);
}

// dv = probs^T dcontext, dprobs = dcontext v^T, dscores of the softmax, dq = dscores k, dk = dscores^T q.
void cross_attention_backward(Compute compute, float* dq, float* dk, float* dv, const float* dcontext,
                              const float* probs, const float* q, const float* k, const float* v,
                              const CrossAttentionShape& shape, float* scratch) {
  float* const dscores = scratch + packed_size(shape);  // (Q,K)
  const std::size_t width = shape.heads * shape.head_dim;
  for_each_head(shape, [&](std::size_t, const Head& head) {
    const Matrix own = rows_of(probs + head.probs, shape.keys),
                 dout = rows_of(dcontext + head.context, width),
                 queries = rows_of(q + head.query, shape.query_stride),
                 keys = rows_of(k + head.key, shape.key_stride),
                 values = rows_of(v + head.value, shape.value_stride),
                 gradient = rows_of(dscores, shape.keys);
    product(compute, dv + head.value, shape.value_stride, transposed(own), dout, shape.keys, shape.head_dim,
            shape.queries, scratch);
    product(compute, dscores, shape.keys, dout, transposed(values), shape.queries, shape.keys, shape.head_dim,
            scratch);
    kernels::SoftmaxBackwardJob job{};
    job.y = own.data;
    job.dy = dscores;
    job.y_row = job.dy_row = static_cast<std::ptrdiff_t>(shape.keys);
    job.rows = shape.queries;
    job.columns = shape.keys;
    job.scale = shape.scale;
    compute.dense().softmax_backward(job);
    product(compute, dq + head.query, shape.query_stride, gradient, keys, shape.queries, shape.head_dim,
            shape.keys, scratch);
    product(compute, dk + head.key, shape.key_stride, transposed(gradient), queries, shape.keys,
            shape.head_dim, shape.queries, scratch);
  });
}

}  // namespace ropewalk::nn
