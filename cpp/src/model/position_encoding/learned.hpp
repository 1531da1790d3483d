#pragma once

#include "model/position_encoding/position_encoding.hpp"

namespace ropewalk::model::position_encoding {

/// BERT (arXiv 1810.04805): a learned vector per position, added to the embedding of the token there. There
/// are max_position_embeddings of them, so that longer sequences are refused.
Result<std::unique_ptr<PositionEncoding>> make_learned(const Spec& spec, const positions::Learned& options);

}  // namespace ropewalk::model::position_encoding
