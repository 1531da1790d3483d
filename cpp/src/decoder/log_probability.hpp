#pragma once

#include <cstdint>
#include <span>

namespace ropewalk {

/// The natural logarithm of a token's probability under the model, over all tokens.
double log_probability(std::span<const float> logits, std::int32_t id);

}  // namespace ropewalk
