#pragma once

// The words that options have for enumerations, each at the place of its value.

#include <string_view>

#include "ropewalk/rope.hpp"

namespace ropewalk {

template <class Enumeration>
inline constexpr std::string_view words_of[2] = {};
template <>
inline constexpr std::string_view words_of<Pairing>[2] = {"interleaved", "half"};
template <>
inline constexpr std::string_view words_of<Angles>[2] = {"exact", "float32"};
template <>
inline constexpr std::string_view words_of<Axes::Order>[2] = {"chunked", "interleaved"};

}  // namespace ropewalk
