#pragma once

#include "formats/json/value.hpp"
#include "ropewalk/spec.hpp"

namespace ropewalk::model {

/// spec_from_config of a text that is parsed: an object.
Result<Spec> spec_from_json(const json::Value& config);

}  // namespace ropewalk::model
