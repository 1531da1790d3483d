#include "rope_config/reading_to_json.hpp"

#include "base/text.hpp"
#include "formats/json/value.hpp"
#include "rope/options_to_json.hpp"

namespace ropewalk {

std::string config_reading_to_json(const ConfigReading& reading) {
  std::string text =
      "{\"options\":" + rope_options_to_json(reading.options) + ",\"layers_without_rotation\":[";
  for (std::size_t i = 0; i < reading.layers_without_rotation.size(); ++i) {
    text.append(i == 0 ? "" : ",").append(text_of(reading.layers_without_rotation[i]));
  }
  text += "],\"softmax_scale\":" + text_of(reading.softmax_scale) + ",\"notes\":[";
  for (std::size_t i = 0; i < reading.notes.size(); ++i) {
    text.append(i == 0 ? "" : ",").append(json::quoted(std::string_view(reading.notes[i])));
  }
  return text + "]}";
}

}  // namespace ropewalk
