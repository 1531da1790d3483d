#include "nn/attention.hpp"

#include <algorithm>
#include <limits>

#include "arch/select.hpp"
#include "nn/dropout.hpp"
#include "nn/scratch.hpp"

namespace ropewalk::nn {
namespace {

/// Queries per pass: enough to pay for a panel's way into the cache, few enough that their scores stay there.
constexpr std::size_t query_block = 64;

std::size_t block_rows(const AttentionShape& shape) { return std::min(query_block, shape.tokens); }
std::ptrdiff_t token_stride(const AttentionShape& shape) {
  return static_cast<std::ptrdiff_t>(shape.token_stride == 0 ? shape.heads * shape.head_dim
                                                             : shape.token_stride);
}

BiasStrides bias_strides(const AttentionShape& shape) {
  if (shape.bias_strides.row != 0) return shape.bias_strides;
  const auto tokens = static_cast<std::ptrdiff_t>(shape.tokens), square = tokens * tokens;
  const auto heads = static_cast<std::ptrdiff_t>(shape.heads);
  return {.batch = shape.bias_per_batch ? heads * square : 0, .head = square, .row = tokens};
}

/// One head of one sequence, and where it lies.
struct Head {
  std::size_t batch, head;
  std::size_t tokens, head_dim;
  std::ptrdiff_t stride;    // from token to token in q, k, v
  std::ptrdiff_t dense;     // the same in the context
  std::size_t input;        // offset in q, k, v
  std::size_t context;      // offset in the context
  std::size_t square;       // offset in probs (B,H,T,T)
  std::ptrdiff_t bias;      // offset in the bias
  std::ptrdiff_t bias_row;  // from query to query in the bias

  Head(const AttentionShape& shape, std::size_t b, std::size_t h)
      : batch(b),
        head(h),
        tokens(shape.tokens),
        head_dim(shape.head_dim),
        stride(token_stride(shape)),
        dense(static_cast<std::ptrdiff_t>(shape.heads * shape.head_dim)),
        input(b * shape.tokens * static_cast<std::size_t>(stride) + h * shape.head_dim),
        context(b * shape.tokens * shape.heads * shape.head_dim + h * shape.head_dim),
        square((b * shape.heads + h) * shape.tokens * shape.tokens),
        bias(static_cast<std::ptrdiff_t>(b) * bias_strides(shape).batch +
             static_cast<std::ptrdiff_t>(h) * bias_strides(shape).head),
        bias_row(bias_strides(shape).row) {}

  /// Offset of a query in q, k or v.
  std::size_t at(std::size_t token) const { return input + token * static_cast<std::size_t>(stride); }
  std::size_t context_at(std::size_t token) const {
    return context + token * static_cast<std::size_t>(dense);
  }
  std::ptrdiff_t bias_at(std::size_t token) const {
    return bias + static_cast<std::ptrdiff_t>(token) * bias_row;
  }
};

/// Writes what masking adds to the scores of one query, and says whether any key is left. Which of HF's
/// finite minimum and -infinity is added makes no difference as long as one key is left: e^-3e38 is 0.
bool mask_row(float* row, const AttentionTerms& terms, std::size_t batch, std::size_t query,
              std::size_t tokens) {
  const std::uint8_t* keys = terms.key_mask == nullptr ? nullptr : terms.key_mask + batch * tokens;
  const std::uint8_t* pairs =
      terms.pair_mask == nullptr
          ? nullptr
          : terms.pair_mask + ((terms.mask_per_batch ? batch * tokens : 0) + query) * tokens;
  bool any = false;
  for (std::size_t j = 0; j < tokens; ++j) {
    const bool seen = (keys == nullptr || keys[j] != 0) && (pairs == nullptr || pairs[j] != 0);
    row[j] = seen ? 0.0F : -std::numeric_limits<float>::infinity();
    any = any || seen;
  }
  return any;
}

/// What the softmax of `rows` queries from `first` on is taken of: their products, scaled, and the bias.
void keep_scores(const float* products, const AttentionShape& shape, const AttentionTerms& terms,
                 const Head& head, std::size_t first, std::size_t rows) {
  for (std::size_t i = 0; i < rows; ++i) {
    const float* bias = terms.bias == nullptr ? nullptr : terms.bias + head.bias_at(first + i);
    float* const out = terms.scores + head.square + (first + i) * head.tokens;
    for (std::size_t j = 0; j < head.tokens; ++j) {
      out[j] = shape.scale * products[i * head.tokens + j] + (bias == nullptr ? 0.0F : bias[j]);
    }
  }
}

/// Softmax of `rows` queries from `first` on, in place. A query that sees no key attends to all alike.
void masked_softmax(const kernels::DenseKernels& kernels, float* scores, const AttentionShape& shape,
                    const AttentionTerms& terms, const Head& head, std::size_t first, std::size_t rows,
                    float* mask) {
  const std::size_t tokens = shape.tokens;
  const auto row_stride = static_cast<std::ptrdiff_t>(tokens);
  const bool masked = terms.key_mask != nullptr || terms.pair_mask != nullptr;
  // Without a mask of pairs all queries of a sequence see the same keys.
  const std::size_t step = terms.pair_mask == nullptr ? rows : 1;
  for (std::size_t i = 0; i < rows; i += step) {
    if (masked && !mask_row(mask, terms, head.batch, first + i, tokens)) {
      std::fill(scores + i * tokens, scores + (i + step) * tokens, 1.0F / static_cast<float>(tokens));
      continue;
    }
    float* at = scores + i * tokens;
    kernels.softmax({.x = at,
                     .x_row = row_stride,
                     .y = at,
                     .y_row = row_stride,
                     .rows = step,
                     .columns = tokens,
                     .scale = shape.scale,
                     .bias = terms.bias == nullptr ? nullptr : terms.bias + head.bias_at(first + i),
                     .bias_row = head.bias_row,
                     .mask = masked ? mask : nullptr});
  }
}

}  // namespace

std::size_t attention_forward_scratch(const AttentionShape& shape, bool with_probs) {
  const std::size_t tokens = shape.tokens;
  const bool copies = !with_probs || shape.keep < 1.0F;
  return packed_scratch(shape.head_dim, tokens) + packed_scratch(tokens, shape.head_dim) +
         scratch_lines(tokens) + (copies ? scratch_lines(block_rows(shape) * tokens) : 0);
}

void attention_forward(float* context, float* probs, const float* q, const float* k, const float* v,
                       const AttentionShape& shape, const AttentionTerms& terms, float* scratch) {
  const kernels::DenseKernels& kernels = arch::active().dense;
  const std::size_t tokens = shape.tokens, head_dim = shape.head_dim;
  const auto row_stride = static_cast<std::ptrdiff_t>(tokens);
  float* const packed_k = scratch;                                      // (D,T)
  float* const packed_v = packed_k + packed_scratch(head_dim, tokens);  // (T,D)
  float* const mask = packed_v + packed_scratch(tokens, head_dim);      // (T)
  float* const block = mask + scratch_lines(tokens);                    // (rows,T), without probs or dropped
  for (std::size_t each = 0; each < shape.batch * shape.heads; ++each) {
    const Head head(shape, each / shape.heads, each % shape.heads);
    kernels.pack({k + head.input, 1, head.stride, packed_k, head_dim, tokens});
    kernels.pack({v + head.input, head.stride, 1, packed_v, tokens, head_dim});
    for (std::size_t first = 0; first < tokens; first += query_block) {
      const std::size_t rows = std::min(query_block, tokens - first);
      float* const scores = probs == nullptr ? block : probs + head.square + first * tokens;
      kernels.gemm({.a = q + head.at(first),
                    .a_row = head.stride,
                    .a_k = 1,
                    .b = packed_k,
                    .bias = nullptr,
                    .c = scores,
                    .c_row = row_stride,
                    .m = rows,
                    .n = tokens,
                    .k = head_dim,
                    .accumulate = false});
      if (terms.scores != nullptr) keep_scores(scores, shape, terms, head, first, rows);
      masked_softmax(kernels, scores, shape, terms, head, first, rows, mask);
      const float* weights = scores;
      if (shape.keep < 1.0F) {
        dropout(block, scores, rows * tokens, shape.keep, shape.seed, head.square + first * tokens);
        weights = block;
      }
      kernels.gemm({.a = weights,
                    .a_row = row_stride,
                    .a_k = 1,
                    .b = packed_v,
                    .bias = nullptr,
                    .c = context + head.context_at(first),
                    .c_row = head.dense,
                    .m = rows,
                    .n = head_dim,
                    .k = tokens,
                    .accumulate = false});
    }
  }
}

std::size_t attention_backward_scratch(const AttentionShape& shape) {
  const std::size_t rows = block_rows(shape);
  return packed_scratch(shape.head_dim, shape.tokens) + packed_scratch(shape.tokens, shape.head_dim) +
         packed_scratch(rows, shape.head_dim) +
         (shape.keep < 1.0F ? 2 : 1) * scratch_lines(rows * shape.tokens);
}

void attention_backward(float* dq, float* dk, float* dv, float* dbias, const float* dcontext,
                        const float* probs, const float* q, const float* k, const float* v,
                        const AttentionShape& shape, float* scratch) {
  const kernels::DenseKernels& kernels = arch::active().dense;
  const std::size_t tokens = shape.tokens, head_dim = shape.head_dim;
  const auto row_stride = static_cast<std::ptrdiff_t>(tokens);
  float* const packed_v = scratch;                                                   // (D,T)
  float* const packed_k = packed_v + packed_scratch(head_dim, tokens);               // (T,D)
  float* const packed_rows = packed_k + packed_scratch(tokens, head_dim);            // (rows,D)
  float* const dscores = packed_rows + packed_scratch(block_rows(shape), head_dim);  // (rows,T)
  float* const dropped = dscores + scratch_lines(block_rows(shape) * tokens);        // (rows,T)
  for (std::size_t each = 0; each < shape.batch * shape.heads; ++each) {
    const Head head(shape, each / shape.heads, each % shape.heads);
    kernels.pack({v + head.input, 1, head.stride, packed_v, head_dim, tokens});
    kernels.pack({k + head.input, head.stride, 1, packed_k, tokens, head_dim});
    for (std::size_t first = 0; first < tokens; first += query_block) {
      const std::size_t rows = std::min(query_block, tokens - first);
      const float* const weights = probs + head.square + first * tokens;
      const float* const dout = dcontext + head.context_at(first);
      // dprobs (rows,T) = dcontext v^T
      kernels.gemm({.a = dout,
                    .a_row = head.dense,
                    .a_k = 1,
                    .b = packed_v,
                    .bias = nullptr,
                    .c = dscores,
                    .c_row = row_stride,
                    .m = rows,
                    .n = tokens,
                    .k = head_dim,
                    .accumulate = false});
      // dv (T,D) += probs^T dcontext, of the probabilities as they were used
      const float* used = weights;
      if (shape.keep < 1.0F) {
        const std::size_t index = head.square + first * tokens;
        dropout(dropped, weights, rows * tokens, shape.keep, shape.seed, index);
        dropout(dscores, dscores, rows * tokens, shape.keep, shape.seed, index);
        used = dropped;
      }
      kernels.pack({dout, head.dense, 1, packed_rows, rows, head_dim});
      kernels.gemm({.a = used,
                    .a_row = 1,
                    .a_k = row_stride,
                    .b = packed_rows,
                    .bias = nullptr,
                    .c = dv + head.input,
                    .c_row = head.stride,
                    .m = tokens,
                    .n = head_dim,
                    .k = rows,
                    .accumulate = first > 0});
      kernels.softmax_backward({.y = weights,
                                .y_row = row_stride,
                                .dy = dscores,
                                .dy_row = row_stride,
                                .rows = rows,
                                .columns = tokens,
                                .scale = shape.scale,
                                .dbias = dbias == nullptr ? nullptr : dbias + head.bias_at(first),
                                .dbias_row = head.bias_row});
      // dq (rows,D) = dscores k
      kernels.gemm({.a = dscores,
                    .a_row = row_stride,
                    .a_k = 1,
                    .b = packed_k,
                    .bias = nullptr,
                    .c = dq + head.at(first),
                    .c_row = head.stride,
                    .m = rows,
                    .n = head_dim,
                    .k = tokens,
                    .accumulate = false});
      // dk (T,D) += dscores^T q
      kernels.pack({q + head.at(first), head.stride, 1, packed_rows, rows, head_dim});
      kernels.gemm({.a = dscores,
                    .a_row = 1,
                    .a_k = row_stride,
                    .b = packed_rows,
                    .bias = nullptr,
                    .c = dk + head.input,
                    .c_row = head.stride,
                    .m = tokens,
                    .n = head_dim,
                    .k = rows,
                    .accumulate = first > 0});
    }
  }
}

}  // namespace ropewalk::nn
