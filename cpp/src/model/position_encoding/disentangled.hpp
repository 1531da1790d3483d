#pragma once

#include "model/position_encoding/position_encoding.hpp"

namespace ropewalk::model::position_encoding {

/// The bucket of a distance: 0 at 0, of the sign of the distance, as positions::Disentangled has them.
std::ptrdiff_t distance_bucket(std::ptrdiff_t distance, const positions::Disentangled& options);

Result<std::unique_ptr<PositionEncoding>> make_disentangled(const Spec& spec,
                                                            const positions::Disentangled& options);

}  // namespace ropewalk::model::position_encoding
