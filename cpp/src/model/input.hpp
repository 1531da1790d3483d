#pragma once

#include "ropewalk/encoder.hpp"

namespace ropewalk::model {

/// Lengths, then ids, types and mask: the first that is out of range is named with its index. `function`
/// begins the message.
Status check_input(const Spec& spec, const EncoderInput& input, const char* function);

}  // namespace ropewalk::model
