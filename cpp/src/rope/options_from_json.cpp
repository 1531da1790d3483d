#include "rope/options_from_json.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "json/known_names.hpp"
#include "json/value.hpp"
#include "rope/rule_fields.hpp"

namespace ropewalk {
namespace {

constexpr std::string_view function = "rope";

Status refuse(const std::string& name, const json::Value& value, std::string_view allowed, bool right_type = false) {
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

Status read(const json::Value& value, const std::string& name, std::vector<double>& out) {
  if (value.kind != json::Kind::array) return refuse(name, value, "an array of numbers");
  out.resize(value.items.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const json::Value& item = value.items[i];
    if (!is_number(item)) return refuse(name + "[" + std::to_string(i) + "]", item, "a number");
    out[i] = item.real;
  }
  return {};
}

Status read(const json::Value& value, const std::string& name, frequencies::PerHead& out) {
  if (!is_number(value) && value.kind != json::Kind::array) {
    return refuse(name, value, "a number, or an array of one for each head");
  }
  return is_number(value) ? (out.values.resize(1), read(value, name, out.values[0])) : read(value, name, out.values);
}

template <class T>
Status read(const json::Value& value, const std::string& name, std::optional<T>& out) {
  out.emplace();
  return read(value, name, *out);
}

/// One of `words`, whose place is the value of the enumeration.
template <class Enumeration, std::size_t count>
Status read(const json::Value& value, const std::string& name, const std::array<std::string_view, count>& words,
            Enumeration& out) {
  std::string allowed;
  for (std::size_t i = 0; i < count; ++i) {
    if (value.kind == json::Kind::text && value.text == words[i]) {
      out = static_cast<Enumeration>(i);
      return {};
    }
    allowed.append(i == 0 ? "" : i + 1 == count ? " or " : ", ").append(json::quoted(words[i]));
  }
  return refuse(name, value, allowed, value.kind == json::Kind::text);
}

/// The member, unless it is absent or null.
const json::Value* given(const json::Value& object, std::string_view name) {
  const json::Value* value = object.find(name);
  return value == nullptr || value->kind == json::Kind::null ? nullptr : value;
}

/// A member of some rule, without its type: one loop for all rules is a third of one for each.
struct Slot {
  std::string_view name;
  bool required;
  void* member;
  Status (*read)(const json::Value& value, const std::string& name, void* member);
};

template <class T>
Status read_member(const json::Value& value, const std::string& name, void* member) {
  return read(value, name, *static_cast<T*>(member));
}

/// The rest of the object, once its type is known.
Status read_slots(const json::Value& object, std::string_view type, std::span<const Slot> slots) {
  std::vector<std::string_view> names = {"type"};
  for (const Slot& slot : slots) names.push_back(slot.name);
  if (Status status = json::check_names(object, names, function, "frequencies."); !status.ok()) return status;
  for (const Slot& slot : slots) {
    const std::string name = "frequencies." + std::string(slot.name);
    if (const json::Value* value = given(object, slot.name)) {
      if (Status status = slot.read(*value, name, slot.member); !status.ok()) return status;
    } else if (slot.required) {
      std::string message(function);
      message.append(": `").append(name).append("` is missing; the rule \"").append(type).append("\" needs it");
      return Status::type(std::move(message));
    }
  }
  return {};
}

template <class Rule>
Status read_rule(const json::Value& object, Frequencies& out) {
  Rule rule;
  Status status = std::apply(
      [&]<class... T>(const Field<Rule, T>&... field) {
        const Slot slots[] = {{field.name, field.required, &(rule.*(field.member)), &read_member<T>}...};
        return read_slots(object, RuleFields<Rule>::type, slots);
      },
      RuleFields<Rule>::fields);
  if (status.ok()) out = std::move(rule);
  return status;
}

template <class... Rules>
Status read_frequencies(const json::Value& value, std::variant<Rules...>& out) {
  if (value.kind != json::Kind::object) return refuse("frequencies", value, "an object with `type`");
  const json::Value* type = given(value, "type");
  if (type == nullptr) return Status::type(std::string(function) + ": `frequencies.type` is missing");
  constexpr std::array<std::string_view, sizeof...(Rules)> types = {RuleFields<Rules>::type...};
  std::size_t index = 0;
  if (Status status = read(*type, "frequencies.type", types, index); !status.ok()) return status;
  using Read = Status (*)(const json::Value&, Frequencies&);
  constexpr Read readers[] = {&read_rule<Rules>...};
  return readers[index](value, out);
}

}  // namespace

Result<RopeOptions> rope_options_from_json(std::string_view text) {
  Result<json::Value> parsed = json::parse(text, function, "options");
  if (!parsed.ok()) return parsed.status();
  const json::Value& object = parsed.value();
  if (object.kind != json::Kind::object) return refuse("options", object, "an object");
  constexpr std::array<std::string_view, 6> names = {"head_dim", "rotary_dim",  "rotary_offset",
                                                     "pairing",  "frequencies", "angles"};
  if (Status status = json::check_names(object, names, function, ""); !status.ok()) return status;

  RopeOptions options;
  constexpr std::array<std::string_view, 2> pairings = {"interleaved", "half"}, angles = {"exact", "float32"};
  if (given(object, "head_dim") == nullptr) return Status::type("rope: `head_dim` is missing; every rope needs it");
  for (const json::Member& member : object.members) {
    const json::Value& value = member.value;
    if (value.kind == json::Kind::null) continue;
    Status status;
    if (member.name == "head_dim") status = read(value, member.name, options.head_dim);
    if (member.name == "rotary_dim") status = read(value, member.name, options.rotary_dim);
    if (member.name == "rotary_offset") status = read(value, member.name, options.rotary_offset);
    if (member.name == "pairing") status = read(value, member.name, pairings, options.pairing);
    if (member.name == "angles") status = read(value, member.name, angles, options.angles);
    if (member.name == "frequencies") status = read_frequencies(value, options.frequencies);
    if (!status.ok()) return status;
  }
  return options;
}

}  // namespace ropewalk
