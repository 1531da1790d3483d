#pragma once

#include "model/position_encoding/position_encoding.hpp"

namespace ropewalk::model::position_encoding {

/// Vaswani et al. 2017 (arXiv 1706.03762), section 3.5: sin(p / 10000^(2i/E)) is added to channel 2i of the
/// embedding of the token at p, the cosine to channel 2i + 1.
Result<std::unique_ptr<PositionEncoding>> make_sinusoidal(const Spec& spec,
                                                          const positions::Sinusoidal& options);

/// Rows of interleaved sines and cosines, (rows,width), of the positions first, first + step, ...
Status fill_sinusoids(std::span<float> table, double first, double step, std::size_t rows, std::size_t width);

}  // namespace ropewalk::model::position_encoding
