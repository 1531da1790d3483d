#include "tasks/options_from_json.hpp"

#include <algorithm>
#include <cstdint>

#include "formats/json/known_names.hpp"
#include "formats/json/members.hpp"

namespace ropewalk {

Result<TaskOptions> task_options_from_json(std::string_view text, std::string& owner) {
  constexpr std::string_view function = "task", names[] = {"name", "distance", "seed"};
  const Result<json::Value> parsed = json::parse(text, function, "options");
  if (!parsed.ok()) return parsed.status();
  const json::Value& root = parsed.value();
  if (root.kind != json::Kind::object) {
    return Status::type("task: `options` is " + json::quoted(root) + "; allowed: an object");
  }
  const json::Members keys(root, function);
  if (Status status = json::check_names(root, names, function, ""); !status.ok()) return status;
  TaskOptions options;
  std::uint64_t distance = 0;
  if (Status status = keys.text("name", owner); !status.ok()) return status;
  if (Status status = keys.count("distance", distance); !status.ok()) return status;
  if (Status status = keys.count("seed", options.seed); !status.ok()) return status;
  if (keys.find("name") != nullptr) options.name = owner;
  // What no task allows stays so where sizes have 32 bits.
  options.distance = static_cast<std::size_t>(std::min<std::uint64_t>(distance, UINT32_MAX));
  return options;
}

}  // namespace ropewalk
