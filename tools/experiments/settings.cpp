#include "settings.hpp"

#include <stdexcept>

#include "formats/json/value.hpp"

namespace ropewalk::experiments {
namespace {

// A member that must be there.
const json::Value& get(const json::Value& object, const char* name, json::Kind kind) {
  const json::Value* value = object.find(name);
  const bool number = value != nullptr && kind == json::Kind::real && value->kind == json::Kind::whole;
  if (value == nullptr || (value->kind != kind && !number)) {
    throw std::invalid_argument(std::string("plan: `") + name + "` is missing or of the wrong type");
  }
  return *value;
}

std::size_t whole(const json::Value& object, const char* name) {
  return static_cast<std::size_t>(get(object, name, json::Kind::whole).magnitude);
}
double real(const json::Value& object, const char* name) { return get(object, name, json::Kind::real).real; }
std::string text(const json::Value& object, const char* name) {
  return get(object, name, json::Kind::text).text;
}

}  // namespace

Settings read_settings(std::string_view line) {
  const json::Value run = raise(json::parse(line, "plan", "line"));
  Settings settings{.key = text(run, "key"),
                    .task = text(run, "task"),
                    .distance = whole(run, "distance"),
                    .seed = whole(run, "seed"),
                    .config = text(run, "config"),
                    .starts = {},
                    .learning_rate = real(run, "learning_rate"),
                    .weight_decay = real(run, "weight_decay"),
                    .beta2 = real(run, "beta2"),
                    .steps = whole(run, "steps"),
                    .warmup_steps = whole(run, "warmup_steps"),
                    .batch = whole(run, "batch"),
                    .length = whole(run, "length"),
                    .evaluate_every = whole(run, "evaluate_every"),
                    .evaluation_rows = whole(run, "evaluation_rows"),
                    .stop_share = real(run, "stop_share"),
                    .stop_after = whole(run, "stop_after"),
                    .cooldown_steps = whole(run, "cooldown_steps"),
                    .test_rows = whole(run, "test_rows"),
                    .tests = {},
                    .from = text(run, "from"),
                    .keeps_weights = get(run, "keeps_weights", json::Kind::boolean).boolean,
                    .watch = {}};
  for (const json::Value& start : get(run, "starts", json::Kind::array).items) {
    settings.starts.push_back({text(start, "tensor"), real(start, "value")});
  }
  for (const json::Value& test : get(run, "tests", json::Kind::array).items) {
    settings.tests.push_back(
        {text(test, "name"), whole(test, "length"), whole(test, "distance"), text(test, "config")});
  }
  for (const json::Value& name : get(run, "watch", json::Kind::array).items) {
    settings.watch.push_back(name.text);
  }
  return settings;
}

}  // namespace ropewalk::experiments
