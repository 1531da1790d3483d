#include "model/families/edit_config.hpp"

#include <cstdint>
#include <string>
#include <utility>

#include "base/text.hpp"

namespace ropewalk::model {

void set_member(json::Value& object, std::string_view name, json::Value value) {
  for (json::Member& member : object.members) {
    if (member.name != name) continue;
    member.value = std::move(value);
    return;
  }
  object.members.push_back({std::string(name), std::move(value)});
}

json::Value number(double value) {
  json::Value result;
  const bool whole =
      value >= 0 && value < 0x1p53 && value == static_cast<double>(static_cast<std::uint64_t>(value));
  result.kind = whole ? json::Kind::whole : json::Kind::real;
  result.real = value;
  if (whole) {
    result.magnitude = static_cast<std::uint64_t>(value);
  } else {
    result.text = text_of(value);
  }
  return result;
}

}  // namespace ropewalk::model
