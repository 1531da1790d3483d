#pragma once

// Attention over cached keys in plain loops: the specification of nn/cached_attention.hpp.

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "nn/cached_attention.hpp"
#include "reference/attention.hpp"

namespace ropewalk::reference {

/// The end of a run, and the queries (T,H,D) for its keys.
template <class Real>
struct CacheRun {
  std::size_t end;
  const Real* q;
};

/// context (T,H,D); k and v (tokens,K,D), all that the cache holds.
template <class Real>
void cached_attention(Real* context, const std::vector<CacheRun<Real>>& runs, const Real* k, const Real* v,
                      const nn::CachedAttentionShape& shape) {
  const std::size_t heads = shape.heads, groups = shape.cache.key_heads, dim = shape.cache.head_dim;
  const auto cap = static_cast<Real>(shape.soft_cap);
  for (std::size_t t = 0; t < shape.queries; ++t) {
    const std::size_t at = shape.tokens - shape.queries + t;
    for (std::size_t h = 0; h < heads; ++h) {
      const std::size_t key_head = h * groups / heads;
      std::vector<Real> weights(shape.tokens, -std::numeric_limits<Real>::infinity());
      std::size_t run = 0;
      for (std::size_t j = 0; j <= at; ++j) {
        while (j >= runs[run].end) ++run;
        if (shape.window != nn::no_window && at - j >= shape.window) continue;
        Real score = 0;
        for (std::size_t d = 0; d < dim; ++d)
          score += runs[run].q[(t * heads + h) * dim + d] * k[(j * groups + key_head) * dim + d];
        score *= static_cast<Real>(shape.scale);
        weights[j] = cap == 0 ? score : cap * std::tanh(score / cap);
      }
      softmax(weights.data(), weights.size());
      for (std::size_t d = 0; d < dim; ++d) {
        Real sum = 0;
        for (std::size_t j = 0; j <= at; ++j) sum += weights[j] * v[(j * groups + key_head) * dim + d];
        context[(t * heads + h) * dim + d] = sum;
      }
    }
  }
}

}  // namespace ropewalk::reference
