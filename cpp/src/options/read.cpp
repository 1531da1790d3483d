#include "options/read.hpp"

#include <cstdint>
#include <limits>

#include "base/text.hpp"
#include "formats/json/known_names.hpp"

namespace ropewalk::options {
namespace {

/// `right_type`: the value is of the right type and out of range.
Status refuse(const Place& place, const json::Value& value, std::string_view allowed,
              bool right_type = false) {
  return Status::refusal(right_type ? Status::Code::range : Status::Code::type,
                         {place.function, place.name, json::quoted(value), allowed});
}

Status missing(const Place& place, std::string_view name, std::string_view rest) {
  std::string message(place.function);
  message.append(": `").append(place.name).append(place.name.empty() ? "" : ".").append(name);
  return Status::type(message.append("` is missing").append(rest));
}

bool is_number(const json::Value& value) {
  return value.kind == json::Kind::whole || value.kind == json::Kind::real;
}

template <class T>
Status read_list(const json::Value& value, const Place& place, std::vector<T>& out) {
  if (value.kind != json::Kind::array) return refuse(place, value, "an array of numbers");
  out.resize(value.items.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Place item{place.function, place.name + "[" + std::to_string(i) + "]"};
    ROPEWALK_TRY(read(value.items[i], item, out[i]));
  }
  return {};
}

}  // namespace

Status read(const json::Value& value, const Place& place, double& out) {
  if (!is_number(value)) return refuse(place, value, "a number");
  out = value.real;
  return {};
}

Status read(const json::Value& value, const Place& place, bool& out) {
  if (value.kind != json::Kind::boolean) return refuse(place, value, "true or false");
  out = value.boolean;
  return {};
}

Status read(const json::Value& value, const Place& place, std::string& out) {
  if (value.kind != json::Kind::text) return refuse(place, value, "a text");
  out = value.text;
  return {};
}

Status read_whole(const json::Value& value, const Place& place, std::uint64_t most, std::uint64_t& out) {
  if (!is_number(value)) return refuse(place, value, "a whole number");
  if (value.kind == json::Kind::whole && (!value.negative || value.magnitude == 0) &&
      value.magnitude <= most) {
    out = value.magnitude;
    return {};
  }
  return refuse(place, value, "a whole number from 0 to " + std::to_string(most), true);
}

Status read(const json::Value& value, const Place& place, std::size_t& out) {
  std::uint64_t read = 0;
  Status status = read_whole(value, place, std::numeric_limits<std::uint32_t>::max(), read);
  if (status.ok()) out = static_cast<std::size_t>(read);
  return status;
}

Status read(const json::Value& value, const Place& place, std::vector<double>& out) {
  return read_list(value, place, out);
}

Status read(const json::Value& value, const Place& place, std::vector<std::size_t>& out) {
  return read_list(value, place, out);
}

Status read(const json::Value& value, const Place& place, frequencies::PerHead& out) {
  if (value.kind == json::Kind::array) return read(value, place, out.values);
  if (!is_number(value)) return refuse(place, value, "a number, or an array of one for each head");
  out.values.resize(1);
  return read(value, place, out.values[0]);
}

Status read_word(const json::Value& value, const Place& place, std::span<const std::string_view> words,
                 std::size_t& out) {
  std::string allowed;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (value.kind == json::Kind::text && value.text == words[i]) {
      out = i;
      return {};
    }
    allowed.append(i == 0 ? "" : i + 1 == words.size() ? " or " : ", ").append(json::quoted(words[i]));
  }
  return refuse(place, value, allowed, value.kind == json::Kind::text);
}

Status read_tag(const json::Value& object, const Place& place, std::span<const std::string_view> types,
                std::size_t& out) {
  if (object.kind != json::Kind::object) return refuse(place, object, "an object with `type`");
  const json::Value* type = object.find("type");
  if (type == nullptr || type->kind == json::Kind::null) return missing(place, "type", "");
  return read_word(*type, {place.function, place.name + ".type"}, types, out);
}

Status read_slots(const json::Value& object, const Place& place, std::string_view owner,
                  std::span<const Slot> slots, std::span<const std::string_view> beside) {
  if (object.kind != json::Kind::object) {
    return refuse(place.name.empty() ? Place{place.function, "options"} : place, object, "an object");
  }
  const std::string path = place.name.empty() ? "" : place.name + ".";
  std::vector<std::string_view> names(beside.begin(), beside.end());
  for (const Slot& slot : slots) names.push_back(slot.kind->name);
  ROPEWALK_TRY(json::check_names(object, names, place.function, path));
  for (const Slot& slot : slots) {
    const auto& [name, required, read] = *slot.kind;
    const json::Value* value = object.find(name);
    // null is how configurations spell a default.
    if (value != nullptr && value->kind != json::Kind::null) {
      if (read == nullptr) continue;
      const Place member{place.function, path + std::string(name)};
      ROPEWALK_TRY(read(*value, member, slot.member));
    } else if (required) {
      const bool rule = slots[0].kind == &type_tag;
      return missing(place, name,
                     "; " + (rule ? "the rule " + json::quoted(owner) : std::string(owner)) + " needs it");
    }
  }
  return {};
}

}  // namespace ropewalk::options
