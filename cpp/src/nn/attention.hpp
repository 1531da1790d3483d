#pragma once

// Multi-head scaled dot-product attention (Vaswani et al. 2017, equation 1) of queries and keys that are
// already rotated.

#include <cstddef>
#include <cstdint>

namespace ropewalk::nn {

/// Elements from a sequence, a head and a query of a bias to the next; a query's keys are neighbours.
struct BiasStrides {
  std::ptrdiff_t batch = 0, head = 0, row = 0;
};

/// Layouts: q, k, v, context and their gradients are (B,T,H,D); probabilities (B,H,T,T), query before key.
struct AttentionShape {
  std::size_t batch, tokens, heads, head_dim;
  /// Factor of the scores, 1/sqrt(D) in most models.
  float scale;
  /// Elements from a token of q, k or v (and of dq, dk, dv) to the next; 0 means heads * head_dim. 3 * heads
  /// * head_dim where one product made all three. The context is always dense.
  std::size_t token_stride = 0;
  /// Whether `bias` is (B,H,T,T) instead of (H,T,T).
  bool bias_per_batch = false;
  /// Dropout of the probabilities: what is kept (1 means no dropout), and the seed of the mask.
  float keep = 1.0F;
  std::uint64_t seed = 0;
  /// Where bias and dbias are not dense (bias_per_batch is not looked at then). A bias of the distance alone,
  /// (H,2T-1) from key 0 and query T-1 on, is {0, 2T-1, -1} from its element T-1: rows may overlap.
  BiasStrides bias_strides = {};
};

/// What may be added to the scores; all of it optional.
struct AttentionTerms {
  /// (H,T,T), or (B,H,T,T) with bias_per_batch; added after the scaling.
  const float* bias = nullptr;
  /// (B,T) keys: 0 is padding. A query of a sequence whose keys are all masked attends to all of them alike,
  /// as with Hugging Face's finite minimum; otherwise masked keys get probability 0 exactly.
  const std::uint8_t* key_mask = nullptr;
  /// (T,T) or (B,T,T) with mask_per_batch, 0 hides a key from a query (causal, packed sequences). Rows that
  /// hide all keys are uniform as well.
  const std::uint8_t* pair_mask = nullptr;
  bool mask_per_batch = false;
  /// (B,H,T,T), out: scale q k^T + bias, before masks and the softmax.
  float* scores = nullptr;
};

/// Elements of scratch for attention_forward; `with_probs` says whether probs is given.
std::size_t attention_forward_scratch(const AttentionShape& shape, bool with_probs);

/// context (B,T,H,D) = softmax(scale q k^T + bias, masked) v. probs (B,H,T,T) receives the softmax before
/// dropout; when it is nullptr only a block of rows of one head exists at a time. `scratch` is 64-byte
/// aligned.
void attention_forward(float* context, float* probs, const float* q, const float* k, const float* v,
                       const AttentionShape& shape, const AttentionTerms& terms, float* scratch);

std::size_t attention_backward_scratch(const AttentionShape& shape);

/// dq, dk, dv (B,T,H,D) overwritten; dbias (shape of the bias) accumulated, or nullptr. dcontext (B,T,H,D),
/// probs (B,H,T,T) as the forward pass left them. `scratch` is 64-byte aligned.
void attention_backward(float* dq, float* dk, float* dv, float* dbias, const float* dcontext,
                        const float* probs, const float* q, const float* k, const float* v,
                        const AttentionShape& shape, float* scratch);

}  // namespace ropewalk::nn
