#pragma once

// Options as JSON, by their tables.

#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/text.hpp"
#include "formats/json/value.hpp"
#include "options/option.hpp"
#include "ropewalk/frequencies.hpp"

namespace ropewalk::options {

/// Members of one object, in the order in which they are added.
class Writer {
 public:
  std::string object() && { return std::move(text_) + "}"; }

  void add(std::string_view name, std::string_view json) {
    text_.append(text_.size() == 1 ? "" : ",").append(json::quoted(name)).append(":").append(json);
  }

 private:
  std::string text_ = "{";
};

inline std::string json_of(bool value) { return value ? "true" : "false"; }
inline std::string json_of(double value) { return text_of(value); }
inline std::string json_of(std::size_t value) { return text_of(value); }
/// std::uint64_t is another type than std::size_t where addresses have 32 bits.
template <std::unsigned_integral T>
  requires(!std::same_as<T, bool> && !std::same_as<T, std::size_t>)
std::string json_of(T value) {
  return std::to_string(value);
}
template <class T>
std::string json_of(const std::vector<T>& values) {
  std::string text = "[";
  for (const T value : values) text.append(text.size() == 1 ? "" : ",").append(text_of(value));
  return text + "]";
}
inline std::string json_of(const frequencies::PerHead& value) {
  return value.values.size() == 1 ? text_of(value.values[0]) : json_of(value.values);
}
template <class Enumeration>
  requires std::is_enum_v<Enumeration>
std::string json_of(Enumeration value) {
  return json::quoted(words_of<Enumeration>[static_cast<std::size_t>(value)]);
}
template <Described T>
std::string json_of(const T& options);
template <class... Alternatives>
std::string json_of(const std::variant<Alternatives...>& value) {
  return std::visit([](const auto& each) { return json_of(each); }, value);
}

template <class T>
void add_value(Writer& writer, std::string_view name, const T& value) {
  writer.add(name, json_of(value));
}
template <class T>
void add_value(Writer& writer, std::string_view name, const std::optional<T>& value) {
  if (value) writer.add(name, json_of(*value));
}

/// Every option that has a value, defaults included.
template <Described T>
std::string json_of(const T& options) {
  Writer writer;
  if constexpr (Tagged<T>) writer.add("type", json::quoted(Describe<T>::type));
  with_options<T>([&]<class... At>(At...) { (add_value(writer, At::name, options.*At::member), ...); });
  return std::move(writer).object();
}

}  // namespace ropewalk::options
