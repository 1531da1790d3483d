#include "tasks/options_from_json.hpp"

#include "base/text.hpp"
#include "formats/json/value.hpp"
#include "options/read.hpp"
#include "tasks/options.hpp"

namespace ropewalk {

Result<TaskOptions> task_options_from_json(std::string_view text) {
  constexpr std::string_view function = "task";
  ROPEWALK_LET(parsed, json::parse(text, function, "options"));
  TaskOptions read;
  ROPEWALK_TRY(options::read(parsed, {function, ""}, read));
  return read;
}

}  // namespace ropewalk
