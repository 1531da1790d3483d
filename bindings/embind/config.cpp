// Configurations of others to options of ours, both as JSON text.

#include "ropewalk/config.hpp"

#include <emscripten/emscripten.h>

#include <optional>
#include <string>

#include "answer.hpp"
#include "memory.hpp"
#include "rope/options_to_json.hpp"

extern "C" {

/// Answers with the options. A layer type of size 0 and a pairing of -1 are not given; otherwise `pairing` is the
/// value of ropewalk::Pairing.
EMSCRIPTEN_KEEPALIVE int ropewalk_options_from_config(const char* config, std::size_t size, bool has_length,
                                                      double sequence_length, const char* layer_type,
                                                      std::size_t layer_type_size, int pairing) {
  if (!ropewalk::embind::have_memory()) return ropewalk::embind::error_code();
  ropewalk::ConfigOptions options;
  if (has_length) options.sequence_length = sequence_length;
  if (layer_type_size != 0) options.layer_type = std::string(layer_type, layer_type_size);
  if (pairing >= 0) options.pairing = static_cast<ropewalk::Pairing>(pairing);
  const ropewalk::Result<ropewalk::RopeOptions> read =
      ropewalk::try_rope_options_from_config({config, size}, options);
  if (read.ok()) ropewalk::embind::answer(ropewalk::rope_options_to_json(read.value()));
  return ropewalk::embind::keep(read.status());
}
}
