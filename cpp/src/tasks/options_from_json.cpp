#include "tasks/options_from_json.hpp"

#include "formats/json/value.hpp"
#include "options/read.hpp"
#include "tasks/options.hpp"

namespace ropewalk {

Result<TaskOptions> task_options_from_json(std::string_view text) {
  constexpr std::string_view function = "task";
  const Result<json::Value> parsed = json::parse(text, function, "options");
  if (!parsed.ok()) return parsed.status();
  TaskOptions read;
  if (Status status = options::read(parsed.value(), {function, ""}, read); !status.ok()) return status;
  return read;
}

}  // namespace ropewalk
