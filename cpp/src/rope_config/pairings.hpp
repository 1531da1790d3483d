#pragma once

// The pairing of a published model's queries and keys. Only the model's name determines it.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "ropewalk/pairing.hpp"

namespace ropewalk::rope_config {

/// By Hugging Face's `model_type`; nothing for a name that is not in the tables.
std::optional<Pairing> pairing_of_model_type(std::string_view model_type);

/// True if positions have several axes (`rope.dimension_sections`).
enum class Sections : std::uint8_t { none, if_given, chunked, interleaved };

/// By GGUF's `general.architecture`.
struct Architecture {
  std::string_view name;
  Pairing pairing;
  Sections sections = Sections::none;
};

/// Those that rotate, as llama.cpp's llama_model_rope_type lists them: NORM is interleaved, NEOX is half,
/// MROPE and IMROPE are half with several axes.
std::span<const Architecture> architectures_that_rotate();
/// Those whose positions are not rotary.
std::span<const std::string_view> architectures_that_do_not_rotate();

}  // namespace ropewalk::rope_config
