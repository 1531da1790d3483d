// Creation and properties of a rope.

#include <cstdint>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "handle.hpp"
#include "rope/options_from_json.hpp"
#include "rope/options_to_json.hpp"
#include "ropewalk/analysis.hpp"
#include "ropewalk/architecture.hpp"
#include "ropewalk/config.hpp"

using ropewalk::Result;
using ropewalk::Rope;
using ropewalk::RopeOptions;
using ropewalk::Status;
using ropewalk::c::keep;
using ropewalk::c::null_pointer;

namespace {

static_assert(static_cast<int>(ropewalk::Pairing::interleaved) == ROPEWALK_INTERLEAVED);
static_assert(static_cast<int>(ropewalk::Pairing::half) == ROPEWALK_HALF);

Status make(std::string_view function, Result<RopeOptions> options, ropewalk_rope** out) {
  if (!options.ok()) return options.status();
  Result<Rope> rope = Rope::make(options.value());
  if (!rope.ok()) return rope.status();
  *out = new (std::nothrow) ropewalk_rope{std::move(options).value(), std::move(rope).value()};
  return *out == nullptr ? Status::out_of_memory(std::string(function) + ": no memory for a rope") : Status();
}

}  // namespace

ropewalk_status ropewalk_rope_create(const char* options, size_t options_size, ropewalk_rope** rope) {
  constexpr std::string_view function = "rope_create";
  if (rope == nullptr) return keep(null_pointer(function, "rope", "where the rope goes"));
  if (options == nullptr) return keep(null_pointer(function, "options", "JSON text"));
  return keep(make(function, ropewalk::rope_options_from_json({options, options_size}), rope));
}

ropewalk_status ropewalk_rope_create_from_config(const char* config, size_t config_size,
                                                 const ropewalk_config_options* options,
                                                 ropewalk_rope** rope) {
  constexpr std::string_view function = "rope_create_from_config";
  if (rope == nullptr) return keep(null_pointer(function, "rope", "where the rope goes"));
  if (config == nullptr) return keep(null_pointer(function, "config", "JSON text"));
  ropewalk::ConfigOptions wanted;
  if (options != nullptr) {
    ropewalk_config_options given;
    if (Status s = ropewalk::c::read_struct(function, "options", options, given); !s.ok()) return keep(s);
    if (given.sequence_length != 0) wanted.sequence_length = given.sequence_length;
    if (given.layer_type != nullptr) wanted.layer_type = given.layer_type;
    if (given.pairing != nullptr) {
      const std::string_view pairing = given.pairing;
      if (pairing != "interleaved" && pairing != "half") {
        return keep(ropewalk::out_of_range(function, "options.pairing", "\"" + std::string(pairing) + "\"",
                                           "\"interleaved\" or \"half\""));
      }
      wanted.pairing = pairing == "half" ? ropewalk::Pairing::half : ropewalk::Pairing::interleaved;
    }
  }
  return keep(make(function, ropewalk::try_rope_options_from_config({config, config_size}, wanted), rope));
}

void ropewalk_rope_destroy(ropewalk_rope* rope) { delete rope; }

ropewalk_status ropewalk_rope_options(const ropewalk_rope* rope, char** json) {
  constexpr std::string_view function = "rope_options";
  if (rope == nullptr) return keep(null_pointer(function, "rope", "a rope"));
  if (json == nullptr) return keep(null_pointer(function, "json", "where the text goes"));
  return ropewalk::c::give_text(function, ropewalk::rope_options_to_json(rope->options), json);
}

ropewalk_status ropewalk_rope_explain(const ropewalk_rope* rope, double context, char** text) {
  constexpr std::string_view function = "explain";
  if (rope == nullptr) return keep(null_pointer(function, "rope", "a rope"));
  if (text == nullptr) return keep(null_pointer(function, "text", "where the text goes"));
  std::optional<double> length;
  if (context != 0) length = context;
  const Result<ropewalk::Explanation> explained = ropewalk::try_explain(rope->options, length);
  if (!explained.ok()) return keep(explained.status());
  return ropewalk::c::give_text(function, explained.value().text, text);
}

size_t ropewalk_rope_head_dim(const ropewalk_rope* rope) {
  return rope == nullptr ? 0 : rope->rope.head_dim();
}
size_t ropewalk_rope_rotary_dim(const ropewalk_rope* rope) {
  return rope == nullptr ? 0 : rope->rope.rotary_dim();
}
size_t ropewalk_rope_rotary_offset(const ropewalk_rope* rope) {
  return rope == nullptr ? 0 : rope->rope.rotary_offset();
}
int32_t ropewalk_rope_pairing(const ropewalk_rope* rope) {
  return rope == nullptr ? -1 : static_cast<int32_t>(rope->rope.pairing());
}
size_t ropewalk_rope_axes(const ropewalk_rope* rope) { return rope == nullptr ? 0 : rope->rope.axes(); }
size_t ropewalk_rope_width(const ropewalk_rope* rope) { return rope == nullptr ? 0 : rope->rope.width(); }
double ropewalk_rope_magnitude(const ropewalk_rope* rope) {
  return rope == nullptr ? 0 : rope->rope.magnitude();
}

const double* ropewalk_rope_frequencies(const ropewalk_rope* rope, size_t* count) {
  std::span<const double> frequencies;
  if (rope != nullptr) frequencies = rope->rope.frequencies();
  if (count != nullptr) *count = frequencies.size();
  return frequencies.data();
}

// The names are literals, which end with a zero.
const char* ropewalk_architecture() { return ropewalk::architecture().data(); }

ropewalk_status ropewalk_use_architecture(const char* name) {
  if (name == nullptr) return keep(null_pointer("use_architecture", "name", "a text"));
  return keep(ropewalk::try_use_architecture(name));
}
