#pragma once

// Shared by attention_forward and attention_backward: the places of heads, and the keys that a block of queries
// can reach.

#include <algorithm>
#include <cstddef>
#include <limits>

#include "kernels/dense.hpp"
#include "nn/attention.hpp"
#include "nn/scratch.hpp"

namespace ropewalk::nn {

/// Queries per pass: enough to pay for a panel's way into the cache, few enough that their scores stay there.
inline constexpr std::size_t query_block = 64;

inline std::size_t block_rows(const AttentionShape& shape) { return std::min(query_block, shape.tokens); }

inline std::size_t key_heads(const AttentionShape& shape) {
  return shape.key_heads == 0 ? shape.heads : shape.key_heads;
}

/// Keys before and after a query that it can see.
struct Reach {
  std::size_t before, after;
  bool all;  // whether that is every key of every query
};

inline Reach reach_of(const AttentionShape& shape) {
  const std::size_t farthest = shape.tokens - 1;
  if (shape.causal) return {std::min(shape.window - 1, farthest), 0, farthest == 0};
  const std::size_t window = std::min(shape.window, farthest);
  return {window, window, window == farthest};
}

/// Queries [first, first + rows) and the keys [begin, begin + keys) that hold all they can see.
struct QueryBlock {
  std::size_t first, rows, begin, keys;
  bool band;  // whether a query of it sees fewer of them

  /// Offsets, from `begin` on, of the keys of query `first`: the band of kernels::SoftmaxJob.
  std::ptrdiff_t band_first(const Reach& reach) const {
    return static_cast<std::ptrdiff_t>(first) - static_cast<std::ptrdiff_t>(reach.before + begin);
  }
  std::ptrdiff_t band_last(const Reach& reach) const {
    return static_cast<std::ptrdiff_t>(first + reach.after + 1) - static_cast<std::ptrdiff_t>(begin);
  }
};

/// The first key is that of a whole panel of any architecture, so that panels can be addressed and every sum
/// is taken in the order in which full attention takes it.
inline QueryBlock query_block_at(const AttentionShape& shape, const Reach& reach, std::size_t first) {
  const std::size_t rows = std::min(query_block, shape.tokens - first);
  const std::size_t from = first < reach.before ? 0 : first - reach.before;
  const std::size_t begin = from / kernels::widest_panel * kernels::widest_panel;
  const std::size_t end = std::min(shape.tokens, first + rows + reach.after);
  return {first, rows, begin, end - begin, !reach.all};
}

/// The most keys that a block has.
inline std::size_t block_keys(const AttentionShape& shape) {
  const Reach reach = reach_of(shape);
  const std::size_t most = reach.before + block_rows(shape) + reach.after + kernels::widest_panel;
  return std::min(shape.tokens, most);
}

/// One query head of one sequence: offsets of its first element, and strides from token to token.
struct Head {
  std::size_t tokens;
  std::size_t query, key, value;
  std::ptrdiff_t query_stride, key_stride, value_stride;
  std::size_t context;  // offset in the context, which is dense
  std::ptrdiff_t context_stride;
  std::size_t square;  // offset in probs (B,H,T,T)
  std::ptrdiff_t bias, bias_row;

  Head(const AttentionShape& shape, std::size_t b, std::size_t h)
      : tokens(shape.tokens),
        context_stride(static_cast<std::ptrdiff_t>(shape.heads * shape.head_dim)),
        square((b * shape.heads + h) * shape.tokens * shape.tokens) {
    const std::size_t groups = key_heads(shape), key_head = h * groups / shape.heads;
    query = place(shape, shape.query, shape.heads, b, h, query_stride);
    key = place(shape, shape.key, groups, b, key_head, key_stride);
    value = place(shape, shape.value, groups, b, key_head, value_stride);
    context = (b * shape.tokens * shape.heads + h) * shape.head_dim;
    const BiasStrides strides = bias_strides(shape);
    bias = static_cast<std::ptrdiff_t>(b) * strides.batch + static_cast<std::ptrdiff_t>(h) * strides.head;
    bias_row = strides.row;
  }

  std::size_t query_at(std::size_t token) const { return at(query, query_stride, token); }
  std::size_t key_at(std::size_t token) const { return at(key, key_stride, token); }
  std::size_t value_at(std::size_t token) const { return at(value, value_stride, token); }
  std::size_t context_at(std::size_t token) const { return at(context, context_stride, token); }
  std::size_t probs_at(std::size_t query_token, std::size_t key_token) const {
    return square + query_token * tokens + key_token;
  }
  std::ptrdiff_t bias_at(std::size_t query_token, std::size_t key_token) const {
    return bias + static_cast<std::ptrdiff_t>(query_token) * bias_row +
           static_cast<std::ptrdiff_t>(key_token);
  }

 private:
  static std::size_t at(std::size_t offset, std::ptrdiff_t stride, std::size_t token) {
    return offset + token * static_cast<std::size_t>(stride);
  }
  static std::size_t place(const AttentionShape& shape, const HeadStrides& given, std::size_t heads,
                           std::size_t b, std::size_t h, std::ptrdiff_t& stride) {
    const std::size_t dense = shape.token_stride == 0 ? heads * shape.head_dim : shape.token_stride;
    const std::size_t token = given.token == 0 ? dense : given.token;
    stride = static_cast<std::ptrdiff_t>(token);
    return b * shape.tokens * token + h * (given.head == 0 ? shape.head_dim : given.head);
  }
  static BiasStrides bias_strides(const AttentionShape& shape) {
    if (shape.bias_strides.row != 0) return shape.bias_strides;
    const auto tokens = static_cast<std::ptrdiff_t>(shape.tokens), square = tokens * tokens;
    const auto heads = static_cast<std::ptrdiff_t>(shape.heads);
    return {.batch = shape.bias_per_batch ? heads * square : 0, .head = square, .row = tokens};
  }
};

/// Calls body(first head, end) for each sequence and key head: the query heads that share it.
template <class Body>
void for_each_group(const AttentionShape& shape, Body body) {
  const std::size_t groups = key_heads(shape);
  for (std::size_t b = 0; b < shape.batch; ++b) {
    for (std::size_t h = 0; h < shape.heads;) {
      std::size_t end = h + 1;
      while (end < shape.heads && end * groups / shape.heads == h * groups / shape.heads) ++end;
      body(b, h, end);
      h = end;
    }
  }
}

}  // namespace ropewalk::nn
