#pragma once

// Softmax and attention in plain loops: the specification of nn/attention.hpp.

#include <cmath>
#include <cstddef>
#include <limits>

#include "nn/attention.hpp"
#include "nn/dropout.hpp"

namespace ropewalk::reference {

/// In place over `n` elements.
template <class Real>
void softmax(Real* x, std::size_t n) {
  Real largest = -std::numeric_limits<Real>::infinity(), sum = 0;
  for (std::size_t i = 0; i < n; ++i) largest = x[i] > largest ? x[i] : largest;
  for (std::size_t i = 0; i < n; ++i) sum += x[i] = std::exp(x[i] - largest);
  for (std::size_t i = 0; i < n; ++i) x[i] /= sum;
}

/// Element (b,t,h,0) of a tensor of `heads` heads.
inline std::size_t head_at(const nn::AttentionShape& shape, const nn::HeadStrides& strides, std::size_t heads,
                           std::size_t b, std::size_t t, std::size_t h) {
  const std::size_t dense = shape.token_stride == 0 ? heads * shape.head_dim : shape.token_stride;
  const std::size_t token = strides.token == 0 ? dense : strides.token;
  return (b * shape.tokens + t) * token + h * (strides.head == 0 ? shape.head_dim : strides.head);
}

/// Offsets of one query, key or value vector, and what the shape lets a query see.
struct AttentionPlace {
  const nn::AttentionShape& shape;

  std::size_t key_heads() const { return shape.key_heads == 0 ? shape.heads : shape.key_heads; }
  std::size_t query(std::size_t b, std::size_t t, std::size_t h) const {
    return head_at(shape, shape.query, shape.heads, b, t, h);
  }
  std::size_t key(std::size_t b, std::size_t t, std::size_t h) const {
    return head_at(shape, shape.key, key_heads(), b, t, h * key_heads() / shape.heads);
  }
  std::size_t value(std::size_t b, std::size_t t, std::size_t h) const {
    return head_at(shape, shape.value, key_heads(), b, t, h * key_heads() / shape.heads);
  }
  bool reaches(std::size_t i, std::size_t j) const {
    if (shape.causal) return j <= i && (shape.window == nn::no_window || i - j < shape.window);
    const std::size_t distance = i < j ? j - i : i - j;
    return shape.window == nn::no_window || distance <= shape.window;
  }
  /// True if every query reaches every key.
  bool reaches_all() const { return reaches(0, shape.tokens - 1) && reaches(shape.tokens - 1, 0); }
};

/// As Hugging Face has it: masked keys add the lowest float32 to a score that is then rounded to float32, so
/// that a query without keys sees equal scores. Where the shape is causal or has a window such a query sees
/// nothing. `bias` (H,T,T) or (B,H,T,T), or nullptr; q, k, v with the strides of the shape.
template <class Real>
void attention_forward(Real* context, Real* probs, const Real* q, const Real* k, const Real* v,
                       const nn::AttentionShape& shape, const Real* bias, const nn::AttentionTerms& terms) {
  const std::size_t tokens = shape.tokens, heads = shape.heads, head_dim = shape.head_dim;
  const AttentionPlace at{shape};
  const auto cap = static_cast<Real>(shape.soft_cap);
  for (std::size_t b = 0; b < shape.batch; ++b) {
    for (std::size_t h = 0; h < heads; ++h) {
      for (std::size_t i = 0; i < tokens; ++i) {
        const std::size_t row = ((b * heads + h) * tokens + i) * tokens;
        bool any = false;
        for (std::size_t j = 0; j < tokens; ++j) {
          Real score = 0;
          for (std::size_t d = 0; d < head_dim; ++d)
            score += q[at.query(b, i, h) + d] * k[at.key(b, j, h) + d];
          score *= static_cast<Real>(shape.scale);
          if (cap != 0) score = cap * std::tanh(score / cap);
          if (bias != nullptr) {
            score += bias[(((shape.bias_per_batch ? b * heads : 0) + h) * tokens + i) * tokens + j];
          }
          const bool seen =
              at.reaches(i, j) && (terms.key_mask == nullptr || terms.key_mask[b * tokens + j] != 0) &&
              (terms.pair_mask == nullptr ||
               terms.pair_mask[((terms.mask_per_batch ? b * tokens : 0) + i) * tokens + j] != 0);
          any = any || seen;
          probs[row + j] = seen ? score : -std::numeric_limits<Real>::infinity();
        }
        for (std::size_t j = 0; !any && j < tokens; ++j) probs[row + j] = 0;
        if (any || at.reaches_all()) softmax(probs + row, tokens);
        for (std::size_t d = 0; d < head_dim; ++d) {
          Real sum = 0;
          for (std::size_t j = 0; j < tokens; ++j) {
            if (!nn::dropout_keeps(shape.seed, row + j, shape.keep)) continue;
            sum += probs[row + j] / static_cast<Real>(shape.keep) * v[at.value(b, j, h) + d];
          }
          context[((b * tokens + i) * heads + h) * head_dim + d] = sum;
        }
      }
    }
  }
}

/// dq, dk, dv accumulated (the caller zeroes), dbias accumulated or nullptr.
template <class Real>
void attention_backward(Real* dq, Real* dk, Real* dv, Real* dbias, const Real* dcontext, const Real* probs,
                        const Real* q, const Real* k, const Real* v, const nn::AttentionShape& shape) {
  const std::size_t tokens = shape.tokens, heads = shape.heads, head_dim = shape.head_dim;
  const AttentionPlace at{shape};
  const auto cap = static_cast<Real>(shape.soft_cap);
  for (std::size_t b = 0; b < shape.batch; ++b) {
    for (std::size_t h = 0; h < heads; ++h) {
      for (std::size_t i = 0; i < tokens; ++i) {
        const std::size_t row = ((b * heads + h) * tokens + i) * tokens;
        const std::size_t query = at.query(b, i, h);
        const Real* dout = dcontext + ((b * tokens + i) * heads + h) * head_dim;
        const auto dprob = [&](std::size_t j) {
          if (!nn::dropout_keeps(shape.seed, row + j, shape.keep)) return Real(0);
          Real sum = 0;
          for (std::size_t d = 0; d < head_dim; ++d) sum += dout[d] * v[at.value(b, j, h) + d];
          return sum / static_cast<Real>(shape.keep);
        };
        Real dot = 0;
        for (std::size_t j = 0; j < tokens; ++j) dot += probs[row + j] * dprob(j);
        for (std::size_t j = 0; j < tokens; ++j) {
          const std::size_t key = at.key(b, j, h), value = at.value(b, j, h);
          Real dscore = probs[row + j] * (dprob(j) - dot);
          if (dbias != nullptr) {
            dbias[(((shape.bias_per_batch ? b * heads : 0) + h) * tokens + i) * tokens + j] += dscore;
          }
          if (cap != 0) {
            Real product = 0;
            for (std::size_t d = 0; d < head_dim; ++d) product += q[query + d] * k[key + d];
            const Real t = std::tanh(static_cast<Real>(shape.scale) * product / cap);
            dscore *= 1 - t * t;
          }
          const bool kept = nn::dropout_keeps(shape.seed, row + j, shape.keep);
          for (std::size_t d = 0; d < head_dim; ++d) {
            dq[query + d] += static_cast<Real>(shape.scale) * dscore * k[key + d];
            dk[key + d] += static_cast<Real>(shape.scale) * dscore * q[query + d];
            if (kept) dv[value + d] += probs[row + j] / static_cast<Real>(shape.keep) * dout[d];
          }
        }
      }
    }
  }
}

}  // namespace ropewalk::reference
