#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "ropewalk/status.hpp"

namespace ropewalk::model::position_encoding {

/// `rows` random directions of `width` numbers, (rows,width): each as long as a vector of standard normal
/// numbers, and orthogonal to the others of its block of `width` rows (Choromanski et al., "Rethinking
/// Attention with Performers", arXiv 2009.14794, section 2.4). The same for a seed everywhere.
Status fill_orthogonal_features(std::span<float> features, std::size_t rows, std::size_t width,
                                std::uint64_t seed);

}  // namespace ropewalk::model::position_encoding
