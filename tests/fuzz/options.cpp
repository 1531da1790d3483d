// Any text as the options of a rope, as the package's callers write them.

#include "use_rope.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ropewalk;
  const fuzz::Input input(data, size);
  const Result<RopeOptions> options = rope_options_from_json(input.text());
  if (options.ok()) {
    fuzz::use_rope(options.value());
  } else {
    fuzz::require_words(options.status());
  }
  return 0;
}
