#include "rope/options_from_json.hpp"

#include "formats/json/value.hpp"
#include "options/read.hpp"
#include "options/rope.hpp"

namespace ropewalk {

Result<RopeOptions> rope_options_from_json(std::string_view text) {
  constexpr std::string_view function = "rope";
  Result<json::Value> parsed = json::parse(text, function, "options");
  if (!parsed.ok()) return parsed.status();
  RopeOptions read;
  if (Status status = options::read(parsed.value(), {function, ""}, read); !status.ok()) return status;
  return read;
}

}  // namespace ropewalk
