// Embind names a type that nobody bound by its address, and prints that with sprintf("%p"), for which alone the C
// library's whole formatting would be in the module: 4 KB. siprintf is what the compiler makes of such a call.

#include <cstdarg>
#include <cstdint>

extern "C" int siprintf(char* text, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  auto address = reinterpret_cast<std::uintptr_t>(va_arg(arguments, void*));
  va_end(arguments);
  for (int digit = 0; digit < 8; ++digit, address <<= 4) text[digit] = "0123456789abcdef"[address >> 28 & 15];
  text[8] = '\0';
  return 8;
}
