#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "ropewalk/safetensors.hpp"

namespace ropewalk::safetensors {

std::optional<SafetensorsType> type_named(std::string_view name);

/// True if its values are numbers of their own: F32, F16 or BF16.
bool widens(SafetensorsType type);
/// Elements of such a type or I8, not aligned, as float32.
void widen(SafetensorsType type, const std::byte* data, std::span<float> out);

}  // namespace ropewalk::safetensors
