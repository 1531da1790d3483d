// Files of a model, written into its folder.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

namespace ropewalk::train {

// Throws when that is not possible.
void write_file(const std::filesystem::path& path, std::string_view bytes);
void write_file(const std::filesystem::path& path, std::span<const std::byte> bytes);

}  // namespace ropewalk::train
