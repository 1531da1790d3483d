#include "formats/json/value.hpp"

#include <algorithm>

namespace ropewalk::json {

const Value* Value::find(std::string_view name) const {
  for (const Member& member : members) {
    if (member.name != name) continue;
    member.found = true;
    return &member.value;
  }
  return nullptr;
}

bool Member::is_number(std::size_t number) const {
  const std::string digits = std::to_string(number);
  const std::size_t zeros = name.size() - std::min(name.size(), digits.size());
  return name.ends_with(digits) && name.find_first_not_of('0') >= zeros;
}

std::string quoted(std::string_view text) {
  constexpr char digits[] = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += "\\u00";
      out += digits[c >> 4];
      out += digits[c & 15];
    } else {
      out += c;
    }
  }
  return out += '"';
}

std::string quoted(const Value& value) {
  switch (value.kind) {
    case Kind::null:
      return "null";
    case Kind::boolean:
      return value.boolean ? "true" : "false";
    case Kind::whole:
      return (value.negative ? "-" : "") + std::to_string(value.magnitude);
    case Kind::real:
      return value.text;
    case Kind::text:
      return value.text.size() <= 60 ? quoted(std::string_view(value.text))
                                     : "a text of " + std::to_string(value.text.size()) + " bytes";
    case Kind::array:
      return "an array of " + std::to_string(value.items.size());
    case Kind::object:
      return "an object of " + std::to_string(value.members.size()) + " keys";
  }
  return {};
}

}  // namespace ropewalk::json
