#pragma once

#include <cstddef>
#include <string_view>

namespace ropewalk {

/// Bytes of the first character of `text`: 1 to 4, or 0 where it is not UTF-8 (RFC 3629: the shortest form,
/// no surrogate) or `text` is empty.
std::size_t utf8_length(std::string_view text);

/// True if all of `text` is UTF-8.
bool is_utf8(std::string_view text);

}  // namespace ropewalk
