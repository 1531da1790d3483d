#pragma once

// Where dropout acts, as Hugging Face's model has it: a mask per place and layer from the seed of the step.

#include <cstddef>
#include <cstdint>

#include "model/pass.hpp"
#include "nn/dropout.hpp"

namespace ropewalk::roformer {

enum class Site : std::uint64_t {
  embeddings,
  probabilities,
  attention_output,
  output,
  class_input,
  class_hidden
};

inline std::uint64_t site_seed(const Dropout& dropout, Site site, std::size_t layer = 0) {
  // splitmix64 of the place, so that masks of neighbouring steps, layers and sites have nothing in common.
  std::uint64_t z = dropout.seed * 0x9e3779b97f4a7c15u +
                    (layer * 8 + static_cast<std::uint64_t>(site) + 1) * 0xd1342543de82ef95u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// The share that survives at hidden states, 1 when dropout is off.
inline float kept_hidden(const RoFormerConfig& config, const Dropout& dropout) {
  return dropout.on ? static_cast<float>(1 - config.hidden_dropout_prob) : 1.0F;
}
inline float kept_probabilities(const RoFormerConfig& config, const Dropout& dropout) {
  return dropout.on ? static_cast<float>(1 - config.attention_probs_dropout_prob) : 1.0F;
}

/// y = x dropped; returns x itself where nothing is dropped.
inline const float* dropped(float* y, const float* x, std::size_t count, float keep, std::uint64_t seed) {
  if (keep == 1.0F) return x;
  nn::dropout(y, x, count, keep, seed);
  return y;
}

}  // namespace ropewalk::roformer
