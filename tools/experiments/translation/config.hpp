#pragma once

// config.json of a translator: Marian's keys (Junczys-Dowmunt et al., arXiv 1804.00344), with `position_encoding`.

#include <cstdint>
#include <string_view>

#include "model/names.hpp"
#include "ropewalk/spec.hpp"

namespace ropewalk::translation {

struct Config {
  Spec encoder, decoder;
  std::int32_t start = 0, end = 0;  // ids that begin and end what the decoder writes
};

/// Errors as those of spec_from_config.
Result<Config> read_config(std::string_view json);

/// Names of the parameters of either side, as Marian's checkpoints have them. Both hold the table of words.
extern const model::Names encoder_names, decoder_names;

}  // namespace ropewalk::translation
