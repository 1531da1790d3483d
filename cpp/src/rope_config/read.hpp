#pragma once

// The two kinds of configurations. Both leave Status errors in the terms of the configuration's own keys.

#include "formats/json/value.hpp"
#include "ropewalk/config.hpp"

namespace ropewalk::rope_config {

Result<RopeOptions> read_huggingface(const json::Value& config, const ConfigOptions& options);
Result<RopeOptions> read_gguf(const json::Value& metadata, const ConfigOptions& options);

}  // namespace ropewalk::rope_config
