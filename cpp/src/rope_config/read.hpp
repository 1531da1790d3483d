#pragma once

// The two kinds of configurations. Their errors name the configuration's own keys.

#include "formats/json/value.hpp"
#include "ropewalk/config.hpp"

namespace ropewalk::rope_config {

Result<ConfigReading> reading_of_huggingface(const json::Value& config, const ConfigOptions& options);
Result<ConfigReading> reading_of_gguf(const json::Value& metadata, const ConfigOptions& options);

/// The options of the same readings, for models, whose specs hold the rest.
Result<RopeOptions> read_huggingface(const json::Value& config, const ConfigOptions& options);
Result<RopeOptions> read_gguf(const json::Value& metadata, const ConfigOptions& options);

/// True if GGUF metadata have other frequencies for layers with a window, by keys or by the architecture.
bool sliding_layers_differ(const json::Value& metadata);

}  // namespace ropewalk::rope_config
