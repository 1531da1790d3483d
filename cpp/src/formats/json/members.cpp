#include "formats/json/members.hpp"

namespace ropewalk::json {

const Value* Members::find(std::string_view name) const {
  const Value* value = object_.find(name);
  return value == nullptr || value->kind == Kind::null ? nullptr : value;
}

Status Members::refuse(std::string_view name, const Value& value, std::string_view allowed,
                       bool right_type) const {
  return Status::refusal(right_type ? Status::Code::range : Status::Code::type,
                         {function_, name, quoted(value), allowed});
}

Status Members::whole(std::string_view name, std::int64_t low, std::int64_t high, std::int64_t& out) const {
  const Value* value = find(name);
  if (value == nullptr) return {};
  const bool right_type = value->kind == Kind::whole;
  if (right_type && value->magnitude <= static_cast<std::uint64_t>(INT64_MAX)) {
    const std::int64_t magnitude = static_cast<std::int64_t>(value->magnitude);
    const std::int64_t number = value->negative ? -magnitude : magnitude;
    if (number >= low && number <= high) {
      out = number;
      return {};
    }
  }
  return refuse(name, *value, "a whole number from " + std::to_string(low) + " to " + std::to_string(high),
                right_type);
}

Status Members::count(std::string_view name, std::uint64_t& out) const {
  constexpr std::int64_t most = (std::int64_t{1} << 53) - 1;
  const Value* value = find(name);
  if (value != nullptr && value->kind == Kind::real) {
    return refuse(name, *value, "a whole number from 0 to " + std::to_string(most), true);
  }
  auto number = static_cast<std::int64_t>(out);
  Status status = whole(name, 0, most, number);
  out = static_cast<std::uint64_t>(number);
  return status;
}

Status Members::real(std::string_view name, double low, bool low_allowed, double high,
                     std::string_view allowed, double& out) const {
  const Value* value = find(name);
  if (value == nullptr) return {};
  const bool right_type = value->kind == Kind::whole || value->kind == Kind::real;
  if (right_type && (value->real > low || (low_allowed && value->real == low)) && value->real <= high) {
    out = value->real;
    return {};
  }
  return refuse(name, *value, allowed, right_type);
}

Status Members::boolean(std::string_view name, bool& out) const {
  const Value* value = find(name);
  if (value == nullptr) return {};
  if (value->kind != Kind::boolean) return refuse(name, *value, "true or false", false);
  out = value->boolean;
  return {};
}

Status Members::text(std::string_view name, std::string& out) const {
  const Value* value = find(name);
  if (value == nullptr) return {};
  if (value->kind != Kind::text) return refuse(name, *value, "a text", false);
  out = value->text;
  return {};
}

}  // namespace ropewalk::json
