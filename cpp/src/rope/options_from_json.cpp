#include "rope/options_from_json.hpp"

#include "base/text.hpp"
#include "formats/json/value.hpp"
#include "options/read.hpp"
#include "options/rope.hpp"

namespace ropewalk {

Result<RopeOptions> rope_options_from_json(std::string_view text) {
  constexpr std::string_view function = "rope";
  ROPEWALK_LET(parsed, json::parse(text, function, "options"));
  RopeOptions read;
  ROPEWALK_TRY(options::read(parsed, {function, ""}, read));
  return read;
}

}  // namespace ropewalk
