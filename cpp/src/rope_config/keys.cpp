#include "rope_config/keys.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace ropewalk::rope_config {
namespace {

/// Above this a double cannot represent every whole number.
constexpr std::uint64_t largest_whole = std::uint64_t{1} << 53;

bool is_number(const json::Value& value) {
  return value.kind == json::Kind::whole || value.kind == json::Kind::real;
}

bool is_whole(const json::Value& value, std::uint64_t low) {
  return value.kind == json::Kind::whole && !value.negative && value.magnitude >= low &&
         value.magnitude <= largest_whole;
}

}  // namespace

const json::Value* Keys::find(std::string_view key) const {
  const json::Value* value = object_.find(key);
  return value == nullptr || value->kind == json::Kind::null ? nullptr : value;
}

void Keys::wrong(const std::string& name, const json::Value& value, std::string_view allowed,
                 bool right_type) const {
  keep_first(status_, right_type ? out_of_range(function, name, json::quoted(value), allowed)
                                 : wrong_type(function, name, json::quoted(value), allowed));
}

void Keys::refuse(std::string_view key, std::string_view allowed) const {
  const json::Value* value = find(key);
  wrong(path_ + std::string(key), value == nullptr ? json::Value() : *value, allowed, true);
}

void Keys::refuse(std::string_view key, std::string_view value, std::string_view allowed) const {
  keep_first(status_, out_of_range(function, path_ + std::string(key), value, allowed));
}

void Keys::missing(std::string_view key, std::string_view reader) const {
  std::string message(function);
  message.append(": `").append(path_).append(key).append("` is missing; ").append(reader).append(" needs it");
  keep_first(status_, Status::type(std::move(message)));
}

bool equal(const json::Value& a, const json::Value& b) {
  if (a.kind != b.kind || a.boolean != b.boolean || a.real != b.real || a.items.size() != b.items.size() ||
      a.members.size() != b.members.size() || (a.kind == json::Kind::text && a.text != b.text)) {
    return false;
  }
  for (std::size_t i = 0; i < a.items.size(); ++i) {
    if (!equal(a.items[i], b.items[i])) return false;
  }
  return std::all_of(a.members.begin(), a.members.end(), [&](const json::Member& member) {
    const json::Value* other = b.find(member.name);
    return other != nullptr && equal(member.value, *other);
  });
}

std::optional<double> Keys::real(std::string_view key, double low, bool open) const {
  const json::Value* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (is_number(*value) && (open ? value->real > low : value->real >= low)) return value->real;
  wrong(path_ + std::string(key), *value,
        "a number " + std::string(open ? "above " : "of at least ") + text_of(low), is_number(*value));
  return std::nullopt;
}

std::optional<std::size_t> Keys::whole(std::string_view key) const {
  const json::Value* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (is_whole(*value, 1) && value->magnitude <= SIZE_MAX) return static_cast<std::size_t>(value->magnitude);
  wrong(path_ + std::string(key), *value, "a whole number of at least 1", is_number(*value));
  return std::nullopt;
}

std::optional<bool> Keys::boolean(std::string_view key) const {
  const json::Value* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (value->kind == json::Kind::boolean) return value->boolean;
  wrong(path_ + std::string(key), *value, "true or false", false);
  return std::nullopt;
}

std::optional<std::string_view> Keys::text(std::string_view key) const {
  const json::Value* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (value->kind == json::Kind::text) return value->text;
  wrong(path_ + std::string(key), *value, "a text", false);
  return std::nullopt;
}

std::optional<std::vector<double>> Keys::reals(std::string_view key) const {
  const json::Value* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (value->kind != json::Kind::array) {
    wrong(path_ + std::string(key), *value, "an array of numbers", false);
    return std::nullopt;
  }
  std::vector<double> numbers;
  for (const json::Value& item : value->items) {
    if (is_number(item) && item.real > 0) {
      numbers.push_back(item.real);
      continue;
    }
    wrong(path_ + std::string(key) + "[" + std::to_string(numbers.size()) + "]", item, "a number above 0",
          is_number(item));
    return std::nullopt;
  }
  return numbers;
}

std::optional<std::vector<std::size_t>> Keys::wholes(std::string_view key) const {
  const json::Value* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (value->kind != json::Kind::array) {
    wrong(path_ + std::string(key), *value, "an array of whole numbers", false);
    return std::nullopt;
  }
  std::vector<std::size_t> numbers;
  for (const json::Value& item : value->items) {
    if (is_whole(item, 0) && item.magnitude <= UINT32_MAX) {
      numbers.push_back(static_cast<std::size_t>(item.magnitude));
      continue;
    }
    wrong(path_ + std::string(key) + "[" + std::to_string(numbers.size()) + "]", item,
          "a whole number from 0 to 4294967295", is_number(item));
    return std::nullopt;
  }
  return numbers;
}

double Keys::needed(std::string_view key, double low, bool open, std::string_view reader) const {
  if (!has(key)) missing(key, reader);
  return real(key, low, open).value_or(1);
}

std::vector<double> Keys::needed_reals(std::string_view key, std::string_view reader) const {
  if (!has(key)) missing(key, reader);
  return reals(key).value_or(std::vector<double>());
}

}  // namespace ropewalk::rope_config
