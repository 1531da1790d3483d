#pragma once

/// RoFormer is an encoder like any other (ropewalk/encoder.hpp); these are its names of before.

#include "ropewalk/encoder.hpp"

namespace ropewalk {

using RoFormer = Encoder;
using RoFormerInput = EncoderInput;
using RoFormerWants = EncoderWants;
using RoFormerOutput = EncoderOutput;

}  // namespace ropewalk
