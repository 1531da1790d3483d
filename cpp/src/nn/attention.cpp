#include "nn/attention.hpp"

#include <algorithm>
#include <limits>

#include "nn/attention_blocks.hpp"
#include "nn/dropout.hpp"
#include "nn/threads.hpp"

namespace ropewalk::nn {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

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
    row[j] = seen ? 0.0F : -infinity;
    any = any || seen;
  }
  return any;
}

/// The scores of one block: (rows, keys), `stride` from row to row.
struct Scores {
  float* at;
  std::ptrdiff_t stride;
  float* row(std::size_t i) const { return at + static_cast<std::ptrdiff_t>(i) * stride; }
};

/// Keeps the numbers of a block whose softmax is taken: its products, scaled, and the bias.
void keep_scores(const Scores& scores, float scale, const AttentionTerms& terms, const Head& head,
                 const Reach& reach, const QueryBlock& block) {
  for (std::size_t i = 0; i < block.rows; ++i) {
    const float* const products = scores.row(i);
    const float* bias =
        terms.bias == nullptr ? nullptr : terms.bias + head.bias_at(block.first + i, block.begin);
    float* const out = terms.scores + head.probs_at(block.first + i, 0);
    if (block.band) std::fill(out, out + head.tokens, -infinity);
    const std::size_t query = block.first + i;
    const std::size_t from = query < reach.before ? 0 : query - reach.before;
    const std::size_t end = std::min(head.tokens, query + reach.after + 1);
    for (std::size_t j = std::max(from, block.begin); j < end; ++j) {
      const std::size_t key = j - block.begin;
      out[j] = scale * products[key] + (bias == nullptr ? 0.0F : bias[key]);
    }
  }
}

/// Softmax of a block in place.
void masked_softmax(const kernels::DenseKernels& kernels, const Scores& scores, float scale,
                    const AttentionTerms& terms, const Head& head, std::size_t batch, const Reach& reach,
                    const QueryBlock& block, float* mask) {
  const bool masked = terms.key_mask != nullptr || terms.pair_mask != nullptr;
  // Without a mask of pairs all queries of a sequence see the same keys.
  const std::size_t step = terms.pair_mask == nullptr ? block.rows : 1;
  for (std::size_t i = 0; i < block.rows; i += step) {
    if (masked && !mask_row(mask, terms, batch, block.first + i, head.tokens) && !block.band) {
      for (std::size_t r = i; r < i + step; ++r)
        std::fill(scores.row(r), scores.row(r) + block.keys, 1.0F / static_cast<float>(block.keys));
      continue;
    }
    const auto offset = static_cast<std::ptrdiff_t>(i);
    kernels.softmax(
        {.x = scores.row(i),
         .x_row = scores.stride,
         .y = scores.row(i),
         .y_row = scores.stride,
         .rows = step,
         .columns = block.keys,
         .scale = scale,
         .bias = terms.bias == nullptr ? nullptr : terms.bias + head.bias_at(block.first + i, block.begin),
         .bias_row = head.bias_row,
         .mask = masked ? mask + block.begin : nullptr,
         .band = block.band,
         .first = block.band_first(reach) + offset,
         .last = block.band_last(reach) + offset});
  }
}

/// The probabilities of keys that a block does not read.
void clear_beyond(float* probs, const Head& head, const QueryBlock& block) {
  for (std::size_t i = 0; block.keys < head.tokens && i < block.rows; ++i) {
    float* const row = probs + head.probs_at(block.first + i, 0);
    std::fill(row, row + block.begin, 0.0F);
    std::fill(row + block.begin + block.keys, row + head.tokens, 0.0F);
  }
}

/// attention_forward of some heads.
class Pass {
 public:
  Pass(Compute compute, float* context, float* probs, const float* q, const float* k, const float* v,
       const AttentionShape& shape, const AttentionTerms& terms)
      : kernels_(compute.dense()),
        context_(context),
        probs_(probs),
        q_(q),
        k_(k),
        v_(v),
        shape_(shape),
        terms_(terms),
        reach_(reach_of(shape)) {}

  /// Query heads of sequence b that share a key head.
  void attend(std::size_t b, std::size_t first_head, std::size_t end_head, float* scratch) const {
    const std::size_t tokens = shape_.tokens, head_dim = shape_.head_dim;
    float* const packed_k = scratch;                                      // (D,T)
    float* const packed_v = packed_k + packed_scratch(head_dim, tokens);  // (T,D)
    float* const mask = packed_v + packed_scratch(tokens, head_dim);      // (T)
    float* const copy = mask + scratch_lines(tokens);  // (rows, keys), without probs or dropped
    const Head group(shape_, b, first_head);
    kernels_.pack({k_ + group.key, 1, group.key_stride, packed_k, head_dim, tokens});
    kernels_.pack({v_ + group.value, group.value_stride, 1, packed_v, tokens, head_dim});
    for (std::size_t h = first_head; h < end_head; ++h) {
      const Head head(shape_, b, h);
      for (std::size_t first = 0; first < tokens; first += query_block)
        attend(b, head, query_block_at(shape_, reach_, first), packed_k, packed_v, mask, copy);
    }
  }

 private:
  void attend(std::size_t b, const Head& head, const QueryBlock& block, const float* packed_k,
              const float* packed_v, float* mask, float* copy) const {
    const float scale = shape_.soft_cap == 0.0F ? shape_.scale : 1.0F;  // what the softmax has left to do
    const auto keys = static_cast<std::ptrdiff_t>(block.keys);
    const Scores scores = probs_ == nullptr ? Scores{copy, keys}
                                            : Scores{probs_ + head.probs_at(block.first, block.begin),
                                                     static_cast<std::ptrdiff_t>(shape_.tokens)};
    kernels_.gemm({.a = q_ + head.query_at(block.first),
                   .a_row = head.query_stride,
                   .a_k = 1,
                   .b = packed_k + block.begin * shape_.head_dim,
                   .bias = nullptr,
                   .c = scores.at,
                   .c_row = scores.stride,
                   .m = block.rows,
                   .n = block.keys,
                   .k = shape_.head_dim,
                   .accumulate = false});
    for (std::size_t i = 0; shape_.soft_cap != 0.0F && i < block.rows; ++i)
      kernels_.soft_cap(scores.row(i), shape_.scale, shape_.soft_cap, block.keys);
    if (terms_.scores != nullptr) keep_scores(scores, scale, terms_, head, reach_, block);
    masked_softmax(kernels_, scores, scale, terms_, head, b, reach_, block, mask);
    if (probs_ != nullptr) clear_beyond(probs_, head, block);
    Scores weights = scores;
    if (shape_.keep < 1.0F) {
      weights = {copy, keys};
      for (std::size_t i = 0; i < block.rows; ++i) {
        dropout(weights.row(i), scores.row(i), block.keys, shape_.keep, shape_.seed,
                head.probs_at(block.first + i, block.begin));
      }
    }
    kernels_.gemm({.a = weights.at,
                   .a_row = weights.stride,
                   .a_k = 1,
                   .b = packed_v + block.begin * kernels_.panel,
                   .bias = nullptr,
                   .c = context_ + head.context_at(block.first),
                   .c_row = head.context_stride,
                   .m = block.rows,
                   .n = shape_.head_dim,
                   .k = block.keys,
                   .accumulate = false,
                   .b_k = shape_.tokens});
  }

  const kernels::DenseKernels& kernels_;
  float *context_, *probs_;
  const float *q_, *k_, *v_;
  const AttentionShape& shape_;
  const AttentionTerms& terms_;
  Reach reach_;
};

}  // namespace

std::size_t attention_forward_scratch(const AttentionShape& shape, bool with_probs) {
  const bool copies = !with_probs || shape.keep < 1.0F;
  return packed_scratch(shape.head_dim, shape.tokens) + packed_scratch(shape.tokens, shape.head_dim) +
         scratch_lines(shape.tokens) + (copies ? scratch_lines(block_rows(shape) * block_keys(shape)) : 0);
}

void attention_forward(Compute compute, float* context, float* probs, const float* q, const float* k,
                       const float* v, const AttentionShape& shape, const AttentionTerms& terms,
                       float* scratch) {
  const Pass pass(compute, context, probs, q, k, v, shape, terms);
  const std::size_t heads = shape.batch * shape.heads;
  Threads* const threads =
      threads_for(compute, std::uint64_t{2} * heads * shape.tokens * block_keys(shape) * shape.head_dim);
  if (threads != nullptr &&
      threads->reserve(attention_forward_scratch(shape, probs != nullptr) * sizeof(float))) {
    in_parts(*threads, heads, [&](std::size_t part, std::size_t thread) {
      const std::size_t b = part / shape.heads, h = part % shape.heads;
      pass.attend(b, h, h + 1, static_cast<float*>(threads->scratch(thread)));
    });
    return;
  }
  for_each_group(shape, [&](std::size_t b, std::size_t first_head, std::size_t end_head) {
    pass.attend(b, first_head, end_head, scratch);
  });
}

}  // namespace ropewalk::nn
