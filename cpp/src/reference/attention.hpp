#pragma once

// Softmax and attention in plain loops: the specification of nn/attention.hpp.

#include <cmath>
#include <cstddef>
#include <cstdint>
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

/// As Hugging Face has it: masked keys add the lowest float32 to a score that is then rounded to float32, so
/// that a query without keys sees equal scores. `bias` (H,T,T) or (B,H,T,T), or nullptr; q, k, v with the
/// stride of the shape.
template <class Real>
void attention_forward(Real* context, Real* probs, const Real* q, const Real* k, const Real* v,
                       const nn::AttentionShape& shape, const Real* bias, const nn::AttentionTerms& terms) {
  const std::size_t tokens = shape.tokens, heads = shape.heads, head_dim = shape.head_dim;
  const std::size_t stride = shape.token_stride == 0 ? heads * head_dim : shape.token_stride;
  for (std::size_t b = 0; b < shape.batch; ++b) {
    for (std::size_t h = 0; h < heads; ++h) {
      for (std::size_t i = 0; i < tokens; ++i) {
        const std::size_t row = ((b * heads + h) * tokens + i) * tokens;
        bool any = false;
        for (std::size_t j = 0; j < tokens; ++j) {
          Real score = 0;
          for (std::size_t d = 0; d < head_dim; ++d) {
            score += q[(b * tokens + i) * stride + h * head_dim + d] *
                     k[(b * tokens + j) * stride + h * head_dim + d];
          }
          score *= static_cast<Real>(shape.scale);
          if (bias != nullptr) {
            score += bias[(((shape.bias_per_batch ? b * heads : 0) + h) * tokens + i) * tokens + j];
          }
          const bool seen =
              (terms.key_mask == nullptr || terms.key_mask[b * tokens + j] != 0) &&
              (terms.pair_mask == nullptr ||
               terms.pair_mask[((terms.mask_per_batch ? b * tokens : 0) + i) * tokens + j] != 0);
          any = any || seen;
          probs[row + j] = seen ? score : -std::numeric_limits<Real>::infinity();
        }
        for (std::size_t j = 0; !any && j < tokens; ++j) probs[row + j] = 0;
        softmax(probs + row, tokens);
        for (std::size_t d = 0; d < head_dim; ++d) {
          Real sum = 0;
          for (std::size_t j = 0; j < tokens; ++j) {
            if (!nn::dropout_keeps(shape.seed, row + j, shape.keep)) continue;
            sum += probs[row + j] / static_cast<Real>(shape.keep) *
                   v[(b * tokens + j) * stride + h * head_dim + d];
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
  const std::size_t stride = shape.token_stride == 0 ? heads * head_dim : shape.token_stride;
  for (std::size_t b = 0; b < shape.batch; ++b) {
    for (std::size_t h = 0; h < heads; ++h) {
      for (std::size_t i = 0; i < tokens; ++i) {
        const std::size_t row = ((b * heads + h) * tokens + i) * tokens;
        const std::size_t query = (b * tokens + i) * stride + h * head_dim;
        const Real* dout = dcontext + ((b * tokens + i) * heads + h) * head_dim;
        const auto dprob = [&](std::size_t j) {
          if (!nn::dropout_keeps(shape.seed, row + j, shape.keep)) return Real(0);
          Real sum = 0;
          for (std::size_t d = 0; d < head_dim; ++d)
            sum += dout[d] * v[(b * tokens + j) * stride + h * head_dim + d];
          return sum / static_cast<Real>(shape.keep);
        };
        Real dot = 0;
        for (std::size_t j = 0; j < tokens; ++j) dot += probs[row + j] * dprob(j);
        for (std::size_t j = 0; j < tokens; ++j) {
          const std::size_t key = (b * tokens + j) * stride + h * head_dim;
          const Real dscore = probs[row + j] * (dprob(j) - dot);
          if (dbias != nullptr) {
            dbias[(((shape.bias_per_batch ? b * heads : 0) + h) * tokens + i) * tokens + j] += dscore;
          }
          const bool kept = nn::dropout_keeps(shape.seed, row + j, shape.keep);
          for (std::size_t d = 0; d < head_dim; ++d) {
            dq[query + d] += static_cast<Real>(shape.scale) * dscore * k[key + d];
            dk[key + d] += static_cast<Real>(shape.scale) * dscore * q[query + d];
            if (kept) dv[key + d] += probs[row + j] / static_cast<Real>(shape.keep) * dout[d];
          }
        }
      }
    }
  }
}

}  // namespace ropewalk::reference
