// Files of a model, written into its folder.
#pragma once

#include <filesystem>
#include <string_view>

namespace ropewalk::train {

// Throws when that is not possible.
void write_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace ropewalk::train
