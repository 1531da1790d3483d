#pragma once

// The facts that llama.cpp decides by GGUF's `general.architecture`, whatever keys a file has.

#include <cstdint>
#include <span>
#include <string_view>

#include "ropewalk/pairing.hpp"

namespace ropewalk::rope_config {

/// True if positions have several axes (`rope.dimension_sections`).
enum class Sections : std::uint8_t { none, if_given, chunked, interleaved };

/// Layers with a window: their keys (`..._swa`) say how they differ, or they are not scaled and have the base of the others
/// or 10000 where no key says another.
enum class Sliding : std::uint8_t { by_keys, plain, plain_of_10000 };

struct Architecture {
  std::string_view name;
  Pairing pairing;
  Sections sections = Sections::none;
  Sliding sliding = Sliding::by_keys;
};

/// Those that rotate, as llama.cpp's llama_model_rope_type lists them: NORM is interleaved, NEOX is half,
/// MROPE and IMROPE are half with several axes. It lists `bert` and `starcoder` as well, whose graphs do not rotate.
std::span<const Architecture> architectures_that_rotate();
/// Those whose positions are not rotary.
std::span<const std::string_view> architectures_that_do_not_rotate();

}  // namespace ropewalk::rope_config
