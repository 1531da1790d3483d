#pragma once

#include "ropewalk/spec.hpp"
#include "ropewalk/status.hpp"

namespace ropewalk::model::position_encoding {

/// Clipped RoPE (arXiv 2602.05258): gives `options` the frequencies that its rule makes, of which the last `clip` pairs
/// fade. Pair d/2 - clip + i has its frequency times (1 + cos t) / 2 with t = pi i / (clip - 1), so that the first of them
/// is as it was and the last stands still. It changes whatever frequencies another rule gave, hence they become explicit
/// ones and it is no rule of its own. Unset `clip`: the pairs that complete no turn within `max_positions`. Errors: more
/// pairs than there are; frequencies by sequence length.
Status clip_rope(std::string_view family, RopeOptions& options, std::optional<std::size_t> clip,
                 std::size_t max_positions);

}  // namespace ropewalk::model::position_encoding
