// Configurations of others to options of ours, both as JSON text, and the headers of GGUF files.

#include "ropewalk/config.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "answer.hpp"
#include "export.hpp"
#include "formats/gguf.hpp"
#include "memory.hpp"
#include "rope_config/facts.hpp"
#include "rope_config/reading_to_json.hpp"

extern "C" {

/// Answers with the reading (rope_config/reading_to_json.hpp). A layer type of size 0 and a pairing of -1 are not given;
/// otherwise `pairing` is the value of ropewalk::Pairing.
ROPEWALK_EXPORT(int, ropewalk_read_config, const char* config, std::size_t size, bool has_length,
                double sequence_length, const char* layer_type, std::size_t layer_type_size, int pairing) {
  if (!ropewalk::embind::have_memory()) return ropewalk::embind::error_code();
  ropewalk::ConfigOptions options;
  if (has_length) options.sequence_length = sequence_length;
  if (layer_type_size != 0) options.layer_type = std::string(layer_type, layer_type_size);
  if (pairing >= 0) options.pairing = static_cast<ropewalk::Pairing>(pairing);
  const ropewalk::Result<ropewalk::ConfigReading> read =
      ropewalk::try_read_rope_config({config, size}, options);
  if (read.ok()) ropewalk::embind::answer(ropewalk::config_reading_to_json(read.value()));
  return ropewalk::embind::keep(read.status());
}

/// Answers with the sheet of facts (rope_config/facts.hpp).
ROPEWALK_EXPORT(void, ropewalk_facts) { ropewalk::embind::show(ropewalk::rope_config::sheet_of_facts()); }

/// The header of a GGUF file from its beginning. A `file_size` below 0 is not known. Answers with {"needed": bytes} while
/// the header takes more of the file than `size` bytes, else with {"metadata": {...}, "tensors": [...]}
/// (formats/gguf.hpp).
ROPEWALK_EXPORT(int, ropewalk_gguf_header, const std::byte* beginning, std::size_t size, double file_size,
                std::size_t longest_array) {
  namespace gguf = ropewalk::gguf;
  // Both texts, and the lists that they are written from.
  if (!ropewalk::embind::have_memory(2 * size)) return ropewalk::embind::error_code();
  const std::span bytes(beginning, size);
  const std::uint64_t whole = file_size < 0 ? gguf::unknown_size : static_cast<std::uint64_t>(file_size);
  const ropewalk::Result<std::uint64_t> needed = gguf::header_bytes(bytes, whole);
  if (!needed.ok()) return ropewalk::embind::keep(needed.status());
  if (needed.value() > size) {
    ropewalk::embind::answer("{\"needed\":" + std::to_string(needed.value()) + "}");
    return ropewalk::embind::keep({});
  }
  const ropewalk::Result<gguf::Header> header = gguf::Header::open(bytes, whole);
  if (header.ok()) {
    ropewalk::embind::answer("{\"metadata\":" + gguf::metadata_to_json(header.value(), longest_array) +
                             ",\"tensors\":" + gguf::tensors_to_json(header.value()) + "}");
  }
  return ropewalk::embind::keep(header.status());
}
}
