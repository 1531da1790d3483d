// Configurations of others to options of ours, both as JSON text.

#include "ropewalk/config.hpp"

#include <emscripten/bind.h>

#include <optional>
#include <string>

#include "last_error.hpp"
#include "rope/options_to_json.hpp"

namespace {

/// Empty when the configuration is refused. An empty `layer_type` is one that is not given.
std::string options_from_config(const std::string& config, bool has_length, double sequence_length,
                                const std::string& layer_type) {
  ropewalk::ConfigOptions options;
  if (has_length) options.sequence_length = sequence_length;
  if (!layer_type.empty()) options.layer_type = layer_type;
  ropewalk::Result<ropewalk::RopeOptions> read = ropewalk::try_rope_options_from_config(config, options);
  if (!read.ok()) return ropewalk::embind::keep(read.status()), std::string();
  return ropewalk::rope_options_to_json(read.value());
}

}  // namespace

EMSCRIPTEN_BINDINGS(ropewalk_config) { emscripten::function("optionsFromConfig", &options_from_config); }
