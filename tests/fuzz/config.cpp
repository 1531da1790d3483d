// Any text as a config.json of Hugging Face or as GGUF metadata.

#include "ropewalk/config.hpp"

#include "ropewalk/analysis.hpp"
#include "use_rope.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ropewalk;
  const fuzz::Input input(data, size);
  // Asked as a loader, as one who wants the long form, and as one who names a layer.
  ConfigOptions plain, longer, layer;
  plain.pairing = Pairing::half;
  longer.sequence_length = 9000;
  layer.layer_type = "full_attention";
  for (const ConfigOptions& options : {plain, longer, layer}) {
    const Result<ConfigReading> reading = try_read_rope_config(input.text(), options);
    const Result<RopeOptions> rope = try_rope_options_from_config(input.text(), options);
    fuzz::require(reading.ok() == rope.ok(), "both readers accept the same");
    if (!rope.ok()) {
      fuzz::require_words(rope.status());
      continue;
    }
    fuzz::use_rope(rope.value());
    if (const auto explained = try_explain(rope.value(), 4096.0); !explained.ok())
      fuzz::require_words(explained.status());
  }
  return 0;
}
