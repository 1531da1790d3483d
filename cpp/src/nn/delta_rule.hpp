#pragma once

// The gated delta rule (Yang et al. 2024, arXiv 2412.06464, equation 10): linear attention whose state forgets, and
// replaces what it held for a key by the value that comes with it.

#include <cstddef>

#include "nn/compute.hpp"

namespace ropewalk::nn {

/// H value heads of E numbers and K key heads of D numbers, K a divisor of H: value head h uses key head floor(h K / H).
struct DeltaRuleShape {
  std::size_t tokens, key_heads, value_heads, key_dim, value_dim;
  /// Elements from a token of y to the next.
  std::size_t y_token;
};

/// For each token t and value head, with a = decay and b = beta, both (T,H):
///   S = a S;  S = S + k (b (v - S^T k))^T;  y = S^T q
/// state (H,D,E) is S before the first token, and becomes S behind the last one. y (T,H,E). qkv (T, 2KD + HE) has all
/// queries of a token, all keys, all values. Its queries become q / (sqrt(D) |q|) and its keys k / |k|, with
/// |x| = sqrt(sum of squares + 1e-6).
void delta_rule(Compute compute, float* y, float* state, float* qkv, const float* decay, const float* beta,
                const DeltaRuleShape& shape);

}  // namespace ropewalk::nn
