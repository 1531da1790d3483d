#pragma once

// What sets the versions of the architecture apart, as data: the layout of the parameters follows it, and a
// parameter that is absent there is skipped by whatever would use it.

#include "ropewalk/roformer.hpp"

namespace ropewalk::roformer {

struct Traits {
  bool norm_parameters;      // LayerNorm with gamma and beta, or the root mean square without parameters
  bool projection_biases;    // of queries, keys, values, attention output and feed-forward
  bool full_masked_lm_head;  // dense, norm, decoder and its bias, or the decoder alone
};

inline Traits traits_of(const RoFormerConfig& config) {
  const bool layer_norm = config.norm_type == "layer_norm";
  return {
      .norm_parameters = layer_norm, .projection_biases = config.use_bias, .full_masked_lm_head = layer_norm};
}

}  // namespace ropewalk::roformer
