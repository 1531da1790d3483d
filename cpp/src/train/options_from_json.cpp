#include "train/options_from_json.hpp"

#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "formats/json/known_names.hpp"
#include "formats/json/members.hpp"
#include "train/objectives.hpp"
#include "train/optimizer.hpp"

namespace ropewalk {
namespace {

constexpr std::string_view function = "trainer";

struct RealMember {
  std::string_view name;
  double OptimizerOptions::*member;
};
constexpr RealMember real_members[] = {{"learning_rate", &OptimizerOptions::learning_rate},
                                       {"beta1", &OptimizerOptions::beta1},
                                       {"beta2", &OptimizerOptions::beta2},
                                       {"epsilon", &OptimizerOptions::epsilon},
                                       {"weight_decay", &OptimizerOptions::weight_decay},
                                       {"clip_norm", &OptimizerOptions::clip_norm}};

struct StepsMember {
  std::string_view name;
  std::uint64_t OptimizerOptions::*member;
};
constexpr StepsMember steps_members[] = {{"warmup_steps", &OptimizerOptions::warmup_steps},
                                         {"total_steps", &OptimizerOptions::total_steps}};

Status read_objective(const json::Members& keys, Objective& out) {
  const json::Value* value = keys.find("objective");
  if (value == nullptr) return {};
  const bool is_text = value->kind == json::Kind::text;
  std::string names;
  for (const trainer::ObjectiveKind& kind : trainer::objectives) {
    if (is_text && value->text == kind.name) {
      out = kind.objective;
      return {};
    }
    const bool last = &kind == std::end(trainer::objectives) - 1;
    names += (names.empty() ? "" : last ? " or " : ", ") + json::quoted(kind.name);
  }
  return keys.refuse("objective", *value, names, is_text);
}

Status read_optimizer(const json::Members& root, OptimizerOptions& out) {
  const json::Value* value = root.find("optimizer");
  if (value == nullptr) return {};
  if (value->kind != json::Kind::object) return root.refuse("optimizer", *value, "an object", false);
  std::vector<std::string_view> names;
  for (const RealMember& each : real_members) names.push_back(each.name);
  for (const StepsMember& each : steps_members) names.push_back(each.name);
  if (Status status = json::check_names(*value, names, function, "optimizer."); !status.ok()) return status;
  const json::Members keys(*value, function);
  constexpr double largest = std::numeric_limits<double>::max();
  for (const RealMember& each : real_members) {
    // Which numbers make sense is for check_optimizer.
    Status status = keys.real(each.name, -largest, true, largest, "a number", out.*each.member);
    if (!status.ok()) return status;
  }
  for (const StepsMember& each : steps_members) {
    if (Status status = keys.count(each.name, out.*each.member); !status.ok()) return status;
  }
  return trainer::check_optimizer(out);
}

}  // namespace

Result<TrainerOptions> trainer_options_from_json(std::string_view text) {
  Result<json::Value> parsed = json::parse(text, function, "options");
  if (!parsed.ok()) return parsed.status();
  const json::Value& root = parsed.value();
  const json::Members keys(root, function);
  if (root.kind != json::Kind::object) {
    return Status::type("trainer: `options` is " + json::quoted(root) + "; allowed: an object");
  }
  // `config` and `weights` are not in the text, but are names that may have been meant.
  constexpr std::string_view names[] = {"config", "weights", "seed", "objective", "optimizer"};
  if (Status status = json::check_names(root, names, function, ""); !status.ok()) return status;
  TrainerOptions options;
  if (Status status = keys.count("seed", options.seed); !status.ok()) return status;
  if (Status status = read_objective(keys, options.objective); !status.ok()) return status;
  if (Status status = read_optimizer(keys, options.optimizer); !status.ok()) return status;
  return options;
}

}  // namespace ropewalk
