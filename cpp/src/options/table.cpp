#include "options/table.hpp"

#include <cmath>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <variant>
#include <vector>

#include "options/rope.hpp"
#include "options/write.hpp"

namespace ropewalk::options {
namespace {

/// The type of an option as the TypeScript side knows it.
template <class T>
std::string type_of() {
  if constexpr (std::is_same_v<T, bool>) return "boolean";
  else if constexpr (std::is_same_v<T, double>) return "number";
  else if constexpr (std::is_same_v<T, std::size_t>) return "count";
  else if constexpr (std::is_same_v<T, std::vector<double>>) return "numbers";
  else if constexpr (std::is_same_v<T, std::vector<std::size_t>>) return "counts";
  else if constexpr (std::is_same_v<T, frequencies::PerHead>) return "number per head";
  else if constexpr (std::is_same_v<T, Frequencies>) return "frequencies";
  else if constexpr (std::is_same_v<T, Axes>) return "axes";
  else if constexpr (std::is_same_v<T, XPos>) return "xpos";
  else return json::quoted(words_of<T>[0]) + " | " + json::quoted(words_of<T>[1]);
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
  }
  if (std::isfinite(words.range.low)) writer.add(words.range.above ? "above" : "least", json_of(words.range.low));
  if (std::isfinite(words.range.high)) writer.add("most", json_of(words.range.high));
  if (!std::isnan(words.example)) writer.add("example", json_of(words.example));
  if (!words.label.empty()) writer.add("label", json::quoted(words.label));
  if (!words.otherwise.empty()) writer.add("otherwise", json::quoted(words.otherwise));
  writer.add("says", json::quoted(words.says));
  return std::move(writer).object();
}

template <class T>
std::string options_json() {
  const T defaults{};
  std::string text = "[";
  std::apply(
      [&](const auto&... option) {
        ((text.append(text.size() == 1 ? "" : ",").append(option_json(option, defaults))), ...);
      },
      Describe<T>::fields);
  return text + "]";
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
  std::string text = "[";
  ((text.append(text.size() == 1 ? "" : ",").append(rule_json<Rules>())), ...);
  return text + "]";
}

}  // namespace

std::string tables_to_json() {
  Writer writer;
  writer.add("frequencies", rules_json(static_cast<const Frequencies*>(nullptr)));
  writer.add("rope", options_json<RopeOptions>());
  writer.add("axes", options_json<Axes>());
  writer.add("xpos", options_json<XPos>());
  return std::move(writer).object();
}

}  // namespace ropewalk::options
