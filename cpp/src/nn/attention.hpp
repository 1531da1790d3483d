#pragma once

// Multi-head scaled dot-product attention (Vaswani et al. 2017, equation 1) of queries and keys that are
// already rotated, with key heads that groups of query heads share (Ainslie et al. 2023) and windows
// (Beltagy et al. 2020). Queries are taken in blocks, and only the keys that a block can reach are read.

#include <cstddef>
#include <cstdint>

#include "nn/compute.hpp"

namespace ropewalk::nn {

/// Elements from a sequence, a head and a query of a bias to the next; a query's keys are neighbours.
struct BiasStrides {
  std::ptrdiff_t batch = 0, head = 0, row = 0;
};

/// Elements from a token and from a head to the next. The D elements of a head are neighbours, and sequences
/// follow each other: element (b,t,h,d) is at (b * T + t) * token + h * head + d.
struct HeadStrides {
  std::size_t token = 0, head = 0;
};

/// No window: every query reaches every key (or every one before it).
inline constexpr std::size_t no_window = SIZE_MAX;

/// Layouts: q (B,T,H,D), k and v (B,T,K,D) and their gradients, with the strides below; context (B,T,H,D),
/// dense; probabilities (B,H,T,T), query before key.
struct AttentionShape {
  std::size_t batch, tokens, heads, head_dim;
  /// Factor of the scores, 1/sqrt(D) in most models.
  float scale;
  /// Elements from a token of q, k or v (and of dq, dk, dv) to the next; 0 means dense. 3 * heads * head_dim
  /// where one product made all three.
  std::size_t token_stride = 0;
  /// True if `bias` is (B,H,T,T) instead of (H,T,T).
  bool bias_per_batch = false;
  /// Dropout of the probabilities: what is kept (1 means no dropout), and the seed of the mask.
  float keep = 1.0F;
  std::uint64_t seed = 0;
  /// Strides of bias and dbias that are not dense; bias_per_batch is not read then. Rows may overlap: a bias of the
  /// distance alone, (H,2T-1) from key 0 and query T-1 on, has {0, 2T-1, -1} from its element T-1.
  BiasStrides bias_strides = {};

  /// K, heads of k and v; 0 means H. Query head h reads key head floor(h * K / H).
  std::size_t key_heads = 0;
  /// Strides that are not 0 count before token_stride and D. Heads that lie as q, k, v, q, k, v, ... have the
  /// head stride 3 * D.
  HeadStrides query = {}, key = {}, value = {};
  /// True if a query sees no key after it.
  bool causal = false;
  /// w: query i sees the keys j with |i - j| <= w; if causal those with 0 <= i - j < w, and w is at least 1.
  std::size_t window = no_window;
  /// c: scores become c * tanh(score / c) after the factor and before the bias (Gemma 2); 0 means no cap.
  float soft_cap = 0.0F;
};

/// Terms that may be added to the scores; all are optional.
struct AttentionTerms {
  /// (H,T,T), or (B,H,T,T) with bias_per_batch; added after the scaling.
  const float* bias = nullptr;
  /// (B,T) keys: 0 is padding. Masked keys get probability 0 exactly. A query whose keys are all masked
  /// attends to all T alike, as with Hugging Face's finite minimum; if the shape is causal or has a window,
  /// to none: its probabilities and its context are 0.
  const std::uint8_t* key_mask = nullptr;
  /// (T,T) or (B,T,T) with mask_per_batch, 0 hides a key from a query (packed sequences). Rows that hide all
  /// keys are treated alike.
  const std::uint8_t* pair_mask = nullptr;
  bool mask_per_batch = false;
  /// (B,H,T,T), out: scale q k^T (capped) + bias, before masks and the softmax; -infinity where the shape
  /// hides the key.
  float* scores = nullptr;
};

/// Elements of scratch for attention_forward; `with_probs` says whether probs is given.
std::size_t attention_forward_scratch(const AttentionShape& shape, bool with_probs);

/// context (B,T,H,D) = softmax(scale q k^T + bias, masked) v. probs (B,H,T,T) receives the softmax before
/// dropout; when it is nullptr only a block of rows of one head exists at a time. `scratch` is 64-byte
/// aligned. A window that hides nothing, and a mask that hides what the shape would, give the same bits.
void attention_forward(Compute compute, float* context, float* probs, const float* q, const float* k,
                       const float* v, const AttentionShape& shape, const AttentionTerms& terms,
                       float* scratch);

std::size_t attention_backward_scratch(const AttentionShape& shape);

/// dq (B,T,H,D), dk and dv (B,T,K,D) overwritten; dbias (shape of the bias) accumulated, or nullptr. dcontext
/// (B,T,H,D), probs (B,H,T,T) as the forward pass left them. `scratch` is 64-byte aligned.
void attention_backward(Compute compute, float* dq, float* dk, float* dv, float* dbias, const float* dcontext,
                        const float* probs, const float* q, const float* k, const float* v,
                        const AttentionShape& shape, float* scratch);

}  // namespace ropewalk::nn
