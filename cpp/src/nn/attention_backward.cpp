#include <algorithm>

#include "nn/attention.hpp"
#include "nn/attention_blocks.hpp"
#include "nn/dropout.hpp"

namespace ropewalk::nn {
namespace {

/// The head's rows of dk or dv, which the blocks of all its queries add to.
void clear_head(float* x, std::ptrdiff_t stride, std::size_t tokens, std::size_t head_dim) {
  for (std::size_t t = 0; t < tokens; ++t, x += stride) std::fill(x, x + head_dim, 0.0F);
}

/// Places in the scratch of the backward pass.
struct BackwardScratch {
  float* packed_v;     // (D,T)
  float* packed_k;     // (T,D)
  float* packed_rows;  // (rows,D)
  float* dscores;      // (rows, keys)
  float* dropped;      // (rows, keys), with dropout
  float* packed_kt;    // (D,T), with a soft cap
  float* products;     // (rows, keys), with a soft cap
  std::size_t size;

  BackwardScratch(const AttentionShape& shape, float* scratch) {
    const std::size_t block = scratch_lines(block_rows(shape) * block_keys(shape));
    const std::size_t wide = packed_scratch(shape.head_dim, shape.tokens);
    std::size_t used = 0;
    const auto take = [&](std::size_t count) {
      float* const part = scratch == nullptr ? nullptr : scratch + used;
      used += count;
      return part;
    };
    packed_v = take(wide);
    packed_k = take(packed_scratch(shape.tokens, shape.head_dim));
    packed_rows = take(packed_scratch(block_rows(shape), shape.head_dim));
    dscores = take(block);
    dropped = take(shape.keep < 1.0F ? block : 0);
    packed_kt = take(shape.soft_cap != 0.0F ? wide : 0);
    products = take(shape.soft_cap != 0.0F ? block : 0);
    size = used;
  }
};

/// The backward pass of one head and one block of its queries.
class BlockPass {
 public:
  BlockPass(Compute compute, const AttentionShape& shape, const Head& head, const QueryBlock& block,
            const float* dcontext, const float* probs, const BackwardScratch& at)
      : kernels_(compute.dense()),
        shape_(shape),
        head_(head),
        block_(block),
        dout_(dcontext + head.context_at(block.first)),
        index_(head.probs_at(block.first, block.begin)),
        probs_(probs + index_),
        keys_(static_cast<std::ptrdiff_t>(block.keys)),
        at_(at) {}

  /// dprobs (rows, keys) = dcontext v^T, into dscores; dv (keys,D) += probs^T dcontext, of the probabilities
  /// as they were used.
  void values(float* dv) const {
    multiply({dout_, head_.context_stride, 1}, at_.packed_v + block_.begin * shape_.head_dim,
             {at_.dscores, keys_}, {block_.rows, block_.keys, shape_.head_dim}, false, 0);
    const float* used = probs_;
    auto stride = static_cast<std::ptrdiff_t>(head_.tokens);
    if (shape_.keep < 1.0F) {
      used = at_.dropped;
      stride = keys_;
      for (std::size_t i = 0; i < block_.rows; ++i) {
        const std::size_t row = i * head_.tokens;
        float* const gradient = at_.dscores + i * block_.keys;
        dropout(at_.dropped + i * block_.keys, probs_ + row, block_.keys, shape_.keep, shape_.seed,
                index_ + row);
        dropout(gradient, gradient, block_.keys, shape_.keep, shape_.seed, index_ + row);
      }
    }
    kernels_.pack({dout_, head_.context_stride, 1, at_.packed_rows, block_.rows, shape_.head_dim});
    multiply({used, 1, stride}, at_.packed_rows, {dv + head_.value_at(block_.begin), head_.value_stride},
             {block_.keys, shape_.head_dim, block_.rows}, true, 0);
  }

  /// dprobs become the gradient of q k^T; that of the bias is on the way.
  void scores(float* dbias, const float* q) const {
    kernels_.softmax_backward(
        {.y = probs_,
         .y_row = static_cast<std::ptrdiff_t>(head_.tokens),
         .dy = at_.dscores,
         .dy_row = keys_,
         .rows = block_.rows,
         .columns = block_.keys,
         .scale = shape_.scale,
         .dbias = dbias == nullptr ? nullptr : dbias + head_.bias_at(block_.first, block_.begin),
         .dbias_row = head_.bias_row});
    if (shape_.soft_cap == 0.0F) return;
    // The probabilities do not tell the scores before the cap: they are computed again.
    multiply({q + head_.query_at(block_.first), head_.query_stride, 1},
             at_.packed_kt + block_.begin * shape_.head_dim, {at_.products, keys_},
             {block_.rows, block_.keys, shape_.head_dim}, false, 0);
    kernels_.soft_cap_backward(at_.products, shape_.scale, shape_.soft_cap, at_.dscores,
                               block_.rows * block_.keys);
  }

  /// dq (rows,D) = dscores k; dk (keys,D) += dscores^T q.
  void queries_and_keys(float* dq, float* dk, const float* q) const {
    const std::size_t query = head_.query_at(block_.first);
    multiply({at_.dscores, keys_, 1}, at_.packed_k + block_.begin * kernels_.panel,
             {dq + query, head_.query_stride}, {block_.rows, shape_.head_dim, block_.keys}, false,
             head_.tokens);
    kernels_.pack({q + query, head_.query_stride, 1, at_.packed_rows, block_.rows, shape_.head_dim});
    multiply({at_.dscores, 1, keys_}, at_.packed_rows, {dk + head_.key_at(block_.begin), head_.key_stride},
             {block_.keys, shape_.head_dim, block_.rows}, true, 0);
  }

 private:
  struct Left {
    const float* a;
    std::ptrdiff_t row, k;
  };
  struct Out {
    float* c;
    std::ptrdiff_t row;
  };
  struct Sizes {
    std::size_t m, n, k;
  };
  void multiply(const Left& left, const float* packed, const Out& out, const Sizes& sizes, bool accumulate,
                std::size_t packed_k) const {
    kernels_.gemm({.a = left.a,
                   .a_row = left.row,
                   .a_k = left.k,
                   .b = packed,
                   .bias = nullptr,
                   .c = out.c,
                   .c_row = out.row,
                   .m = sizes.m,
                   .n = sizes.n,
                   .k = sizes.k,
                   .accumulate = accumulate,
                   .b_k = packed_k});
  }

  const kernels::DenseKernels& kernels_;
  const AttentionShape& shape_;
  const Head& head_;
  const QueryBlock& block_;
  const float* dout_;  // (rows,D)
  std::size_t index_;  // of the first probability
  const float* probs_;
  std::ptrdiff_t keys_;
  const BackwardScratch& at_;
};

}  // namespace

std::size_t attention_backward_scratch(const AttentionShape& shape) {
  return BackwardScratch(shape, nullptr).size;
}

void attention_backward(Compute compute, float* dq, float* dk, float* dv, float* dbias, const float* dcontext,
                        const float* probs, const float* q, const float* k, const float* v,
                        const AttentionShape& shape, float* scratch) {
  const kernels::DenseKernels& kernels = compute.dense();
  const std::size_t tokens = shape.tokens, head_dim = shape.head_dim;
  const Reach reach = reach_of(shape);
  const BackwardScratch at(shape, scratch);
  for_each_group(shape, [&](std::size_t b, std::size_t first_head, std::size_t end_head) {
    const Head group(shape, b, first_head);
    kernels.pack({v + group.value, 1, group.value_stride, at.packed_v, head_dim, tokens});
    kernels.pack({k + group.key, group.key_stride, 1, at.packed_k, tokens, head_dim});
    if (shape.soft_cap != 0.0F)
      kernels.pack({k + group.key, 1, group.key_stride, at.packed_kt, head_dim, tokens});
    clear_head(dk + group.key, group.key_stride, tokens, head_dim);
    clear_head(dv + group.value, group.value_stride, tokens, head_dim);
    for (std::size_t h = first_head; h < end_head; ++h) {
      const Head head(shape, b, h);
      for (std::size_t first = 0; first < tokens; first += query_block) {
        const QueryBlock block = query_block_at(shape, reach, first);
        const BlockPass pass(compute, shape, head, block, dcontext, probs, at);
        pass.values(dv);
        pass.scores(dbias, q);
        pass.queries_and_keys(dq, dk, q);
      }
    }
  });
}

}  // namespace ropewalk::nn
