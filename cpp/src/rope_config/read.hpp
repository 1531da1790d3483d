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

}  // namespace ropewalk::rope_config
