#include "rope/options_from_json.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "formats/json/known_names.hpp"
#include "formats/json/value.hpp"
#include "rope/option_words.hpp"
#include "rope/rule_fields.hpp"

namespace ropewalk {
namespace {

constexpr std::string_view function = "rope";

Status refuse(const std::string& name, const json::Value& value, std::string_view allowed,
              bool right_type = false) {
  std::string message(function);
  message.append(": `").append(name).append("` is ").append(json::quoted(value));
  message.append("; allowed: ").append(allowed);
  return right_type ? Status::range(std::move(message)) : Status::type(std::move(message));
}

bool is_number(const json::Value& value) {
  return value.kind == json::Kind::whole || value.kind == json::Kind::real;
}

Status read(const json::Value& value, const std::string& name, double& out) {
  if (!is_number(value)) return refuse(name, value, "a number");
  out = value.real;
  return {};
}

Status read(const json::Value& value, const std::string& name, bool& out) {
  if (value.kind != json::Kind::boolean) return refuse(name, value, "true or false");
  out = value.boolean;
  return {};
}

Status read(const json::Value& value, const std::string& name, std::size_t& out) {
  if (!is_number(value)) return refuse(name, value, "a whole number");
  if (value.kind == json::Kind::whole && (!value.negative || value.magnitude == 0) &&
      value.magnitude <= std::numeric_limits<std::uint32_t>::max()) {
    out = static_cast<std::size_t>(value.magnitude);
    return {};
  }
  return refuse(name, value, "a whole number from 0 to 4294967295", true);
}

template <class T>
Status read(const json::Value& value, const std::string& name, std::vector<T>& out) {
  if (value.kind != json::Kind::array) return refuse(name, value, "an array of numbers");
  out.resize(value.items.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (Status status = read(value.items[i], name + "[" + std::to_string(i) + "]", out[i]); !status.ok())
      return status;
  }
  return {};
}

Status read(const json::Value& value, const std::string& name, frequencies::PerHead& out) {
  if (!is_number(value) && value.kind != json::Kind::array) {
    return refuse(name, value, "a number, or an array of one for each head");
  }
  return is_number(value) ? (out.values.resize(1), read(value, name, out.values[0]))
                          : read(value, name, out.values);
}

/// One of `words`, whose place is the value of the enumeration.
Status read_word(const json::Value& value, const std::string& name, std::span<const std::string_view> words,
                 std::size_t& out) {
  std::string allowed;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (value.kind == json::Kind::text && value.text == words[i]) {
      out = i;
      return {};
    }
    allowed.append(i == 0 ? "" : i + 1 == words.size() ? " or " : ", ").append(json::quoted(words[i]));
  }
  return refuse(name, value, allowed, value.kind == json::Kind::text);
}

template <class Enumeration>
requires std::is_enum_v<Enumeration> Status read(const json::Value& value, const std::string& name,
                                                 Enumeration& out) {
  std::size_t place = static_cast<std::size_t>(out);
  Status status = read_word(value, name, words_of<Enumeration>, place);
  out = static_cast<Enumeration>(place);
  return status;
}

/// A member of an object: one loop for all objects is a third of one for each.
struct Slot {
  std::string_view name;
  bool required;
  void* member;
  Status (*read)(const json::Value& value, const std::string& name, void* member);
};

/// `path` goes before each name in messages: "axes." or nothing. `owner` needs what is required.
Status read_slots(const json::Value& object, const std::string& path, const std::string& owner,
                  std::span<const Slot> slots) {
  if (object.kind != json::Kind::object) {
    return refuse(path.empty() ? "options" : path.substr(0, path.size() - 1), object, "an object");
  }
  std::vector<std::string_view> names;
  for (const Slot& slot : slots) names.push_back(slot.name);
  if (Status status = json::check_names(object, names, function, path); !status.ok()) return status;
  for (const Slot& slot : slots) {
    const std::string name = path + std::string(slot.name);
    const json::Value* value = object.find(slot.name);
    // null is how configurations spell a default.
    if (value != nullptr && value->kind != json::Kind::null) {
      if (slot.read == nullptr) continue;
      if (Status status = slot.read(*value, name, slot.member); !status.ok()) return status;
    } else if (slot.required) {
      std::string message(function);
      message.append(": `").append(name).append("` is missing; ").append(owner).append(" needs it");
      return Status::type(std::move(message));
    }
  }
  return {};
}

// Objects, defined below.
Status read(const json::Value& value, const std::string& name, Axes& out);
Status read(const json::Value& value, const std::string& name, XPos& out);
Status read(const json::Value& value, const std::string& name, Frequencies& out);

template <class T>
Status read_member(const json::Value& value, const std::string& name, void* member) {
  return read(value, name, *static_cast<T*>(member));
}

template <class T>
Status read_optional(const json::Value& value, const std::string& name, void* member) {
  return read(value, name, static_cast<std::optional<T>*>(member)->emplace());
}

template <class T>
Slot slot_of(std::string_view name, T& member, bool required = false) {
  return {name, required, &member, &read_member<T>};
}
template <class T>
Slot slot_of(std::string_view name, std::optional<T>& member, bool = false) {
  return {name, false, &member, &read_optional<T>};
}

Status read(const json::Value& value, const std::string& name, Axes& out) {
  const Slot slots[] = {slot_of("sections", out.sections, true), slot_of("order", out.order),
                        slot_of("restart_frequencies", out.restart_frequencies)};
  return read_slots(value, name + ".", "`axes`", slots);
}

Status read(const json::Value& value, const std::string& name, XPos& out) {
  const Slot slots[] = {slot_of("scale_base", out.scale_base), slot_of("centre", out.centre)};
  return read_slots(value, name + ".", "`xpos`", slots);
}

template <class Rule>
Status read_rule(const json::Value& object, Frequencies& out) {
  Rule rule;
  Status status = std::apply(
      [&]<class... T>(const Field<Rule, T>&... field) {
        const Slot slots[] = {{"type", true, nullptr, nullptr},
                              slot_of(field.name, rule.*(field.member), field.required)...};
        return read_slots(object, "frequencies.", "the rule " + json::quoted(RuleFields<Rule>::type), slots);
      },
      RuleFields<Rule>::fields);
  if (status.ok()) out = std::move(rule);
  return status;
}

template <class... Rules>
Status read_frequencies(const json::Value& value, std::variant<Rules...>& out) {
  if (value.kind != json::Kind::object) return refuse("frequencies", value, "an object with `type`");
  const json::Value* type = value.find("type");
  if (type == nullptr || type->kind == json::Kind::null) {
    return Status::type(std::string(function) + ": `frequencies.type` is missing");
  }
  constexpr std::string_view types[] = {RuleFields<Rules>::type...};
  std::size_t index = 0;
  if (Status status = read_word(*type, "frequencies.type", types, index); !status.ok()) return status;
  using Read = Status (*)(const json::Value&, Frequencies&);
  constexpr Read readers[] = {&read_rule<Rules>...};
  return readers[index](value, out);
}

Status read(const json::Value& value, const std::string&, Frequencies& out) {
  return read_frequencies(value, out);
}

}  // namespace

Result<RopeOptions> rope_options_from_json(std::string_view text) {
  Result<json::Value> parsed = json::parse(text, function, "options");
  if (!parsed.ok()) return parsed.status();
  RopeOptions options;
  const Slot slots[] = {slot_of("head_dim", options.head_dim, true),
                        slot_of("rotary_dim", options.rotary_dim),
                        slot_of("rotary_offset", options.rotary_offset),
                        slot_of("pairing", options.pairing),
                        slot_of("frequencies", options.frequencies),
                        slot_of("axes", options.axes),
                        slot_of("xpos", options.xpos),
                        slot_of("angles", options.angles)};
  if (Status status = read_slots(parsed.value(), "", "every rope", slots); !status.ok()) return status;
  return options;
}

}  // namespace ropewalk
