#pragma once

#include "model/position_encoding/position_encoding.hpp"

namespace ropewalk::model::position_encoding {

/// ALiBi (arXiv 2108.12409), the symmetric form for encoders: -slope |i - j| is added to the scores, after
/// the division by sqrt(D); the slope of head h, counted from 0, is 2^(-8(h+1)/H). Nothing is learned. It
/// cannot tell left from right, unless it is asymmetric: then keys after the query are penalised half as
/// steeply as those before it.
Result<std::unique_ptr<PositionEncoding>> make_alibi(const Spec& spec, const positions::Alibi& options);

}  // namespace ropewalk::model::position_encoding
