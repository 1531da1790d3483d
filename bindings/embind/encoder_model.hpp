#pragma once

#include <optional>

#include "ropewalk/encoder.hpp"
#include "ropewalk/sentence.hpp"

namespace ropewalk::embind {

/// A model, the modules behind it, and the views of its last forward.
struct EncoderModel {
  Encoder encoder;
  std::optional<SentenceModules> sentence = {};
  EncoderOutput output = {};
};

}  // namespace ropewalk::embind
