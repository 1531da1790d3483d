#pragma once

#include <cstdint>

namespace ropewalk {

/// layer: (x - mean) / sqrt(variance + eps) * g + b, with the biased variance.
/// rms: x / sqrt(mean(x^2) + eps) * g + b.
/// rms_plus_one: as rms with 1 + g in place of g, the 1 added in float32 (Gemma).
enum class NormKind : std::uint8_t { layer, rms, rms_plus_one };

}  // namespace ropewalk
