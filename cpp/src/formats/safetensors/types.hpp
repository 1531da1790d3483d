#pragma once

#include <optional>
#include <string_view>

#include "ropewalk/safetensors.hpp"

namespace ropewalk::safetensors {

std::optional<SafetensorsType> type_named(std::string_view name);

}  // namespace ropewalk::safetensors
