#pragma once

/// RoFormer is an encoder like any other (ropewalk/encoder.hpp); these are its names of before.

#include "ropewalk/encoder.hpp"

namespace ropewalk {

/// An encoder of any family.
using RoFormer = Encoder;
/// Its input.
using RoFormerInput = EncoderInput;
/// Names of the outputs that a caller asks for.
using RoFormerWants = EncoderWants;
/// Its output.
using RoFormerOutput = EncoderOutput;

}  // namespace ropewalk
