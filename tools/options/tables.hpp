#pragma once

// All tables of options as JSON: names, types, ranges, defaults and sentences; and the numbers of the bindings.

#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <variant>
#include <vector>

#include "model/families/roformer_keys.hpp"
#include "numbers.hpp"
#include "options/rope.hpp"
#include "options/write.hpp"
#include "tasks/make.hpp"
#include "tasks/options.hpp"
#include "train/options.hpp"

namespace ropewalk::options {

/// The type of an option as the TypeScript side knows it.
template <class T>
std::string type_of() {
  if constexpr (std::is_same_v<T, bool>)
    return "boolean";
  else if constexpr (std::is_same_v<T, double>)
    return "number";
  else if constexpr (std::is_same_v<T, std::size_t> || std::is_same_v<T, std::uint64_t>)
    return "count";
  else if constexpr (std::is_same_v<T, std::string>)
    return "text";
  else if constexpr (std::is_same_v<T, std::vector<double>>)
    return "numbers";
  else if constexpr (std::is_same_v<T, std::vector<std::size_t>>)
    return "counts";
  else if constexpr (std::is_same_v<T, frequencies::PerHead>)
    return "number per head";
  else if constexpr (std::is_same_v<T, Axes::PairOrder>)
    return type_of<Axes::Order>() + " | counts";
  else if constexpr (std::is_same_v<T, Frequencies>)
    return "frequencies";
  else if constexpr (std::is_same_v<T, Axes>)
    return "axes";
  else if constexpr (std::is_same_v<T, XPos>)
    return "xpos";
  else if constexpr (std::is_same_v<T, QueryScale>)
    return "query_scale";
  else if constexpr (std::is_same_v<T, OptimizerOptions>)
    return "optimizer";
  else if constexpr (std::is_same_v<T, ContrastiveOptions>)
    return "contrastive";
  else {
    std::string words;
    for (const std::string_view word : words_of<T>)
      words += (words.empty() ? "" : " | ") + json::quoted(word);
    return words;
  }
}

template <class T>
struct Held {
  using Type = T;
};
template <class T>
struct Held<std::optional<T>> {
  using Type = T;
};

template <class Owner, class T>
std::string option_json(const Option<Owner, T>& option, const Owner& defaults) {
  using Value = typename Held<T>::Type;
  const Words& words = option.words;
  Writer writer;
  writer.add("name", json::quoted(option.name));
  writer.add("type", json::quoted(type_of<Value>()));
  writer.add("required", json_of(option.required));
  if constexpr (std::is_arithmetic_v<Value> || std::is_enum_v<Value>) {
    if (!option.required) add_value(writer, "default", defaults.*(option.member));
  } else if constexpr (std::is_same_v<Value, std::string>) {
    writer.add("default", json::quoted(std::string_view(defaults.*(option.member))));
  }
  if (std::isfinite(words.range.low))
    writer.add(words.range.above ? "above" : "least", json_of(words.range.low));
  if (std::isfinite(words.range.high))
    writer.add(words.range.below ? "below" : "most", json_of(words.range.high));
  if (!std::isnan(words.example)) writer.add("example", json_of(words.example));
  if (!words.label.empty()) writer.add("label", json::quoted(words.label));
  if (!words.otherwise.empty()) writer.add("otherwise", json::quoted(words.otherwise));
  writer.add("says", json::quoted(words.says));
  return std::move(writer).object();
}

template <class T>
std::string options_json() {
  const T defaults{};
  return std::apply([&](const auto&... option) { return list_json({option_json(option, defaults)...}); },
                    Describe<T>::fields);
}

template <class Rule>
std::string rule_json() {
  using D = Describe<Rule>;
  Writer writer;
  writer.add("type", json::quoted(D::type));
  writer.add("structure", json::quoted(D::structure));
  writer.add("label", json::quoted(D::label));
  if constexpr (requires { D::formula; }) writer.add("formula", json::quoted(D::formula));
  writer.add("says", json::quoted(D::says));
  if constexpr (requires { D::source; }) writer.add("source", json::quoted(D::source));
  writer.add("options", options_json<Rule>());
  return std::move(writer).object();
}

template <class... Rules>
std::string rules_json(const std::variant<Rules...>*) {
  return list_json({rule_json<Rules>()...});
}

/// The training tasks: what each asks, and its distance.
inline std::string tasks_json() {
  std::vector<std::string> tasks;
  for (const task::Entry& entry : task::all()) {
    Writer writer;
    writer.add("name", json::quoted(entry.name));
    writer.add("says", json::quoted(entry.make({entry.distance, Random(0)})->description()));
    if (entry.most != 0) {
      writer.add("distance", json_of(entry.distance));
      writer.add("least", json_of(entry.least));
      writer.add("most", json_of(entry.most));
    }
    tasks.push_back(std::move(writer).object());
  }
  return list_json(tasks);
}

inline std::string tables_to_json() {
  Writer writer;
  writer.add("frequencies", rules_json(static_cast<const Frequencies*>(nullptr)));
  writer.add("rope", options_json<RopeOptions>());
  writer.add("axes", options_json<Axes>());
  writer.add("xpos", options_json<XPos>());
  writer.add("query_scale", options_json<QueryScale>());
  writer.add("optimizerSays", json::quoted(Describe<OptimizerOptions>::says));
  writer.add("optimizer", options_json<OptimizerOptions>());
  writer.add("contrastiveSays", json::quoted(Describe<ContrastiveOptions>::says));
  writer.add("contrastive", options_json<ContrastiveOptions>());
  writer.add("trainer", options_json<TrainerOptions>());
  writer.add("task", options_json<TaskOptions>());
  writer.add("tasks", tasks_json());
  writer.add("position_encodings", names_json(model::position_encoding_names()));
  writer.add("numbers", numbers_to_json());
  return std::move(writer).object();
}

}  // namespace ropewalk::options
