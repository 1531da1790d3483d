#include "rope/options_to_json.hpp"

#include <cstddef>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <variant>
#include <vector>

#include "formats/json/value.hpp"
#include "rope/option_words.hpp"
#include "rope/rule_fields.hpp"
#include "base/text.hpp"

namespace ropewalk {
namespace {

/// Members of one object, in the order in which they are added.
class Writer {
 public:
  std::string object() && { return std::move(text_) + "}"; }

  void add(std::string_view name, std::string_view json) {
    text_.append(text_.size() == 1 ? "" : ",").append(json::quoted(name)).append(":").append(json);
  }

  template <class T>
  void add_value(std::string_view name, const T& value) {
    add(name, json_of(value));
  }
  template <class T>
  void add_value(std::string_view name, const std::optional<T>& value) {
    if (value) add_value(name, *value);
  }

 private:
  static std::string json_of(bool value) { return value ? "true" : "false"; }
  static std::string json_of(double value) { return text_of(value); }
  static std::string json_of(std::size_t value) { return text_of(value); }
  static std::string json_of(const frequencies::PerHead& value) {
    return value.values.size() == 1 ? text_of(value.values[0]) : json_of(value.values);
  }
  template <class T>
  static std::string json_of(const std::vector<T>& values) {
    std::string text = "[";
    for (const T value : values) text.append(text.size() == 1 ? "" : ",").append(text_of(value));
    return text + "]";
  }
  template <class Enumeration>
  requires std::is_enum_v<Enumeration>
  static std::string json_of(Enumeration value) {
    return json::quoted(words_of<Enumeration>[static_cast<std::size_t>(value)]);
  }

  std::string text_ = "{";
};

template <class Rule>
std::string rule_json(const Rule& rule) {
  Writer writer;
  writer.add("type", json::quoted(RuleFields<Rule>::type));
  std::apply([&](const auto&... field) { (writer.add_value(field.name, rule.*(field.member)), ...); },
             RuleFields<Rule>::fields);
  return std::move(writer).object();
}

std::string axes_json(const Axes& axes) {
  Writer writer;
  writer.add_value("sections", axes.sections);
  writer.add_value("order", axes.order);
  if (axes.restart_frequencies) writer.add_value("restart_frequencies", true);
  return std::move(writer).object();
}

std::string xpos_json(const XPos& xpos) {
  Writer writer;
  writer.add_value("scale_base", xpos.scale_base);
  writer.add_value("centre", xpos.centre);
  return std::move(writer).object();
}

}  // namespace

std::string rope_options_to_json(const RopeOptions& options) {
  Writer writer;
  writer.add_value("head_dim", options.head_dim);
  writer.add_value("rotary_dim", options.rotary_dim);
  if (options.rotary_offset != 0) writer.add_value("rotary_offset", options.rotary_offset);
  writer.add_value("pairing", options.pairing);
  writer.add("frequencies",
             std::visit([](const auto& rule) { return rule_json(rule); }, options.frequencies));
  if (options.axes) writer.add("axes", axes_json(*options.axes));
  if (options.xpos) writer.add("xpos", xpos_json(*options.xpos));
  if (options.angles != Angles::exact) writer.add_value("angles", options.angles);
  return std::move(writer).object();
}

}  // namespace ropewalk
