// printf into a string.
#pragma once

#include <cstdarg>
#include <cstdio>
#include <string>

namespace ropewalk::train {

__attribute__((format(printf, 1, 2))) inline std::string print(const char* format, ...) {
  char text[2048];
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return text;
}

}  // namespace ropewalk::train
