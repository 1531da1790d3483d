#pragma once

#include <string>

namespace ropewalk::options {

/// All tables as JSON, for tools/options: names, types, ranges, defaults and sentences.
std::string tables_to_json();

}  // namespace ropewalk::options
