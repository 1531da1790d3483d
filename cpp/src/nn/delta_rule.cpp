#include "nn/delta_rule.hpp"

#include <algorithm>
#include <cmath>

#include "nn/head_norm.hpp"
#include "nn/threads.hpp"

namespace ropewalk::nn {
namespace {

/// x / sqrt(sum + eps) is the root-mean-square norm of x with eps / D, over sqrt(D).
void normalise(Compute compute, float* qkv, std::size_t width, const DeltaRuleShape& shape) {
  const std::size_t size = shape.key_dim, keys = shape.key_heads * size;
  const auto root = static_cast<float>(std::sqrt(static_cast<double>(size)));
  const HeadStrides strides{.token = width, .head = size};
  const Norm norm{
      .kind = NormKind::rms, .gamma = nullptr, .beta = nullptr, .eps = 1e-6F / static_cast<float>(size)};
  head_norm_forward(
      compute, qkv, nullptr, nullptr, qkv, norm,
      {.tokens = shape.tokens, .heads = 2 * shape.key_heads, .head_dim = size, .x = strides, .y = strides});
  const auto scale = compute.dense().scale;
  for (std::size_t t = 0; t < shape.tokens; ++t, qkv += width) {
    scale(1 / static_cast<float>(size), qkv, qkv, keys);
    scale(1 / root, qkv + keys, qkv + keys, keys);
  }
}

}  // namespace

void delta_rule(Compute compute, float* y, float* state, float* qkv, const float* decay, const float* beta,
                const DeltaRuleShape& shape) {
  const auto& dense = compute.dense();
  const std::size_t d = shape.key_dim, e = shape.value_dim, heads = shape.value_heads;
  const std::size_t keys = shape.key_heads * d, width = 2 * keys + heads * e;
  normalise(compute, qkv, width, shape);
  in_rows(compute, heads, std::uint64_t{4} * shape.tokens * d * e, [&](std::size_t first, std::size_t some) {
    for (std::size_t h = first; h < first + some; ++h) {
      float* const held = state + h * d * e;
      for (std::size_t t = 0; t < shape.tokens; ++t) {
        const float* const q = qkv + t * width + h * shape.key_heads / heads * d;
        const float *const k = q + keys, *const v = qkv + t * width + 2 * keys + h * e;
        // First the change of the value, then the output.
        float* const out = y + t * shape.y_token + h * e;
        dense.scale(decay[t * heads + h], held, held, d * e);
        std::copy_n(v, e, out);
        for (std::size_t i = 0; i < d; ++i) dense.axpy(-k[i], held + i * e, out, e);
        dense.scale(beta[t * heads + h], out, out, e);
        for (std::size_t i = 0; i < d; ++i) dense.axpy(k[i], out, held + i * e, e);
        std::fill_n(out, e, 0.0F);
        for (std::size_t i = 0; i < d; ++i) dense.axpy(q[i], held + i * e, out, e);
      }
    }
  });
}

}  // namespace ropewalk::nn
