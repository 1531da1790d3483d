#include "rope_config/read.hpp"

#include <cmath>

#include "rope/frequencies/derive.hpp"
#include "rope_config/keys.hpp"
#include "base/text.hpp"

namespace ropewalk {

Result<RopeOptions> try_rope_options_from_config(std::string_view json, const ConfigOptions& options) {
  Result<json::Value> parsed = json::parse(json, rope_config::function, "config");
  if (!parsed.ok()) return parsed.status();
  const json::Value& config = parsed.value();
  if (config.kind != json::Kind::object) {
    return wrong_type(rope_config::function, "config", json::quoted(config), "an object");
  }
  if (const auto length = options.sequence_length; length && !(std::isfinite(*length) && *length >= 1)) {
    return out_of_range(rope_config::function, "sequence_length", *length, "a finite number of at least 1");
  }
  const bool gguf = config.find("general.architecture") != nullptr;
  Result<RopeOptions> read =
      gguf ? rope_config::read_gguf(config, options) : rope_config::read_huggingface(config, options);
  if (!read.ok()) return read;
  // What holds between keys is the rule's own knowledge: it checks last.
  const std::size_t head_dim = read.value().head_dim;
  Result<DerivedFrequencies> derived =
      derive(read.value().frequencies, {head_dim, read.value().rotary_dim.value_or(head_dim)});
  if (!derived.ok()) return derived.status();
  return read;
}

}  // namespace ropewalk
