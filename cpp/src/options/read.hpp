#pragma once

// Options from JSON, strictly: unknown names, wrong types and missing required options are errors that say what is
// allowed. Ranges are for check.hpp.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "formats/json/value.hpp"
#include "options/option.hpp"
#include "ropewalk/frequencies.hpp"
#include "ropewalk/status.hpp"

namespace ropewalk::options {

/// The place of a value, for messages: who reads it, and its name with the names of the objects around it.
struct Place {
  std::string_view function;
  std::string name;
};

Status read(const json::Value& value, const Place& place, double& out);
Status read(const json::Value& value, const Place& place, bool& out);
Status read(const json::Value& value, const Place& place, std::string& out);
/// Up to 2^32 - 1.
Status read(const json::Value& value, const Place& place, std::size_t& out);
/// From 0 to `most`.
Status read_whole(const json::Value& value, const Place& place, std::uint64_t most, std::uint64_t& out);
Status read(const json::Value& value, const Place& place, std::vector<double>& out);
Status read(const json::Value& value, const Place& place, std::vector<std::size_t>& out);
Status read(const json::Value& value, const Place& place, frequencies::PerHead& out);
/// One of `words`; `out` is its place.
Status read_word(const json::Value& value, const Place& place, std::span<const std::string_view> words,
                 std::size_t& out);

/// One member of an object. A single loop over these serves all objects, a third of the code of one loop for each.
struct Slot {
  struct Kind {
    std::string_view name;
    bool required;
    Status (*read)(const json::Value& value, const Place& place, void* member);
  };
  const Kind* kind;
  void* member;
};

/// `owner` needs what is required: of a rule, whose first slot is the tag, its type. A slot without `read` is known and
/// skipped, as are the names `beside`.
Status read_slots(const json::Value& object, const Place& place, std::string_view owner,
                  std::span<const Slot> slots, std::span<const std::string_view> beside = {});
/// The tag `type` of an object that may be one of several.
Status read_tag(const json::Value& object, const Place& place, std::span<const std::string_view> types,
                std::size_t& out);

template <class Enumeration>
  requires std::is_enum_v<Enumeration>
Status read(const json::Value& value, const Place& place, Enumeration& out) {
  std::size_t index = static_cast<std::size_t>(out);
  Status status = read_word(value, place, words_of<Enumeration>, index);
  out = static_cast<Enumeration>(index);
  return status;
}

template <Described T>
Status read(const json::Value& value, const Place& place, T& out);
template <class... Alternatives>
Status read(const json::Value& value, const Place& place, std::variant<Alternatives...>& out);

template <class T>
Status read_member(const json::Value& value, const Place& place, void* member) {
  return read(value, place, *static_cast<T*>(member));
}
template <class T>
Status read_optional(const json::Value& value, const Place& place, void* member) {
  return read(value, place, static_cast<std::optional<T>*>(member)->emplace());
}
/// A whole number whose table gives the largest.
template <class T, std::uint64_t most>
Status read_count(const json::Value& value, const Place& place, void* member) {
  std::uint64_t read = 0;
  Status status = read_whole(value, place, most, read);
  if (status.ok()) *static_cast<T*>(member) = static_cast<T>(read);
  return status;
}

template <class At, class T>
Slot slot_of(T& member) {
  constexpr double high = At::limit.range.high;
  if constexpr (std::is_unsigned_v<T> && !std::is_same_v<T, bool> && high < 0x1p53) {
    static constexpr Slot::Kind kind{At::name, At::required,
                                     &read_count<T, static_cast<std::uint64_t>(high)>};
    return {&kind, &member};
  } else {
    static constexpr Slot::Kind kind{At::name, At::required, &read_member<T>};
    return {&kind, &member};
  }
}
template <class At, class T>
Slot slot_of(std::optional<T>& member) {
  static constexpr Slot::Kind kind{At::name, At::required, &read_optional<T>};
  return {&kind, &member};
}
inline constexpr Slot::Kind type_tag{"type", true, nullptr};

template <Described T>
Status read(const json::Value& value, const Place& place, T& out) {
  return with_options<T>([&]<class... At>(At...) {
    if constexpr (Tagged<T>) {
      const Slot slots[] = {{&type_tag, nullptr}, slot_of<At>(out.*At::member)...};
      return read_slots(value, place, Describe<T>::type, slots);
    } else {
      const Slot slots[] = {slot_of<At>(out.*At::member)...};
      std::span<const std::string_view> beside;
      if constexpr (requires { Describe<T>::beside; }) beside = Describe<T>::beside;
      return read_slots(value, place, Describe<T>::owner, slots, beside);
    }
  });
}

template <class Alternative, class Variant>
Status read_alternative(const json::Value& value, const Place& place, void* out) {
  Alternative made;
  Status status = read(value, place, made);
  if (status.ok()) *static_cast<Variant*>(out) = std::move(made);
  return status;
}

template <class... Alternatives>
Status read(const json::Value& value, const Place& place, std::variant<Alternatives...>& out) {
  constexpr std::string_view types[] = {Describe<Alternatives>::type...};
  using Read = Status (*)(const json::Value&, const Place&, void*);
  constexpr Read readers[] = {&read_alternative<Alternatives, std::variant<Alternatives...>>...};
  std::size_t index = 0;
  Status status = read_tag(value, place, types, index);
  return status.ok() ? readers[index](value, place, &out) : status;
}

}  // namespace ropewalk::options
