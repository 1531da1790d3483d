#include "rope_config/read.hpp"

#include <cmath>

#include "base/text.hpp"
#include "rope/frequencies/derive.hpp"
#include "rope_config/keys.hpp"

namespace ropewalk {
namespace {

Result<RopeOptions> options_of(Result<ConfigReading> read) {
  if (!read.ok()) return read.status();
  return std::move(read).value().options;
}

}  // namespace

Result<RopeOptions> rope_config::read_gguf(const json::Value& metadata, const ConfigOptions& options) {
  return options_of(reading_of_gguf(metadata, options));
}

Result<RopeOptions> try_rope_options_from_config(std::string_view json, const ConfigOptions& options) {
  return options_of(try_read_rope_config(json, options));
}

Result<ConfigReading> try_read_rope_config(std::string_view json, const ConfigOptions& options) {
  ROPEWALK_LET(config, json::parse(json, rope_config::function, "config"));
  if (config.kind != json::Kind::object) {
    return wrong_type(rope_config::function, "config", json::quoted(config), "an object");
  }
  if (const auto length = options.sequence_length; length && !(std::isfinite(*length) && *length >= 1)) {
    return out_of_range(rope_config::function, "sequence_length", *length, "a finite number of at least 1");
  }
  const bool gguf = config.find("general.architecture") != nullptr;
  ROPEWALK_LET(read, gguf ? rope_config::reading_of_gguf(config, options)
                          : rope_config::reading_of_huggingface(config, options));
  // Conditions between several keys are part of the rule, which checks them last.
  const RopeOptions& rope = read.options;
  ROPEWALK_TRY(derive(rope.frequencies, {rope.head_dim, rope.rotary_dim.value_or(rope.head_dim)}).status());
  return std::move(read);
}

}  // namespace ropewalk
