#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ropewalk/sentence.hpp"

namespace ropewalk::sentence_modules {

/// Begins every message.
inline constexpr std::string_view function = "sentence";

/// nullptr where there is no file of that name.
const ModelFile* find_file(std::span<const ModelFile> files, std::string_view name);
/// type error for a file that is missing.
Status missing_file(std::string_view name);

/// The name of a file in the folder of a module.
std::string in_folder(std::string_view path, std::string_view name);

/// Reads modules.json and the files that it names. `notes` gets a sentence for each assumption and each unused key.
Result<SentenceSpec> read_spec(std::span<const ModelFile> files, std::size_t hidden,
                               std::vector<std::string>& notes);

}  // namespace ropewalk::sentence_modules
