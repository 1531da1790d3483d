#pragma once

// The objects behind the handles of ropewalk.h, and how failures reach the caller.

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

#include "ropewalk.h"
#include "ropewalk/rope.hpp"
#include "ropewalk/status.hpp"

struct ropewalk_rope {
  // A Rope does not keep what it was made from, which explain() and options() need.
  ropewalk::RopeOptions options;
  ropewalk::Rope rope;
};

namespace ropewalk::c {

/// Keeps a failure for ropewalk_last_error(), and returns its code.
ropewalk_status keep(const Status& status);

/// "rotate: `rope` is NULL; allowed: a rope"
Status null_pointer(std::string_view function, std::string_view argument, std::string_view allowed);

/// A copy that ropewalk_free() frees.
ropewalk_status give_text(std::string_view function, const std::string& text, char** out);

/// One of the numbers 0 ... count - 1.
Status check_choice(std::string_view function, std::string_view argument, std::int32_t value,
                    std::int32_t count);

Status wrong_struct_size(std::string_view function, std::string_view argument, std::size_t size,
                         std::size_t known);

/// Copies a struct that begins with `struct_size`. One of a newer header is taken if all that this library does not
/// know is 0.
template <class Struct>
Status read_struct(std::string_view function, std::string_view argument, const Struct* given, Struct& out) {
  if (given == nullptr) return null_pointer(function, argument, "a struct");
  const std::size_t size = given->struct_size;
  if (size < sizeof(Struct) || size > 4096)
    return wrong_struct_size(function, argument, size, sizeof(Struct));
  const char* bytes = reinterpret_cast<const char*>(given);
  for (std::size_t i = sizeof(Struct); i < size; ++i) {
    if (bytes[i] != 0) return wrong_struct_size(function, argument, size, sizeof(Struct));
  }
  std::memcpy(&out, bytes, sizeof(Struct));
  return {};
}

}  // namespace ropewalk::c
