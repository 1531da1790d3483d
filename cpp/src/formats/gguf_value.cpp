// Values of the metadata, and both parts of a header as JSON.

#include <cmath>
#include <cstring>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "formats/gguf.hpp"
#include "formats/json/value.hpp"

namespace ropewalk::gguf {
namespace {

template <class T>
T read(std::span<const std::byte> bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

/// Calls `use` with the number, whatever its type. Returns false if the value is not a number.
template <class Use>
bool with_number(ValueType type, std::span<const std::byte> bytes, const Use& use) {
  switch (type) {
    case ValueType::u8:
      return use(read<std::uint8_t>(bytes)), true;
    case ValueType::i8:
      return use(read<std::int8_t>(bytes)), true;
    case ValueType::u16:
      return use(read<std::uint16_t>(bytes)), true;
    case ValueType::i16:
      return use(read<std::int16_t>(bytes)), true;
    case ValueType::u32:
      return use(read<std::uint32_t>(bytes)), true;
    case ValueType::i32:
      return use(read<std::int32_t>(bytes)), true;
    case ValueType::u64:
      return use(read<std::uint64_t>(bytes)), true;
    case ValueType::i64:
      return use(read<std::int64_t>(bytes)), true;
    case ValueType::f32:
      return use(read<float>(bytes)), true;
    case ValueType::f64:
      return use(read<double>(bytes)), true;
    default:
      return false;
  }
}

/// Size in bytes of the array item at the beginning of `bytes`, which a header has checked.
std::size_t item_bytes(ValueType type, std::span<const std::byte> bytes);

std::size_t array_bytes(std::span<const std::byte> bytes) {
  const auto type = read<ValueType>(bytes);
  auto rest = bytes.subspan(12);
  for (auto left = read<std::uint64_t>(bytes.subspan(4)); left != 0; --left) {
    rest = rest.subspan(item_bytes(type, rest));
  }
  return bytes.size() - rest.size();
}

std::size_t item_bytes(ValueType type, std::span<const std::byte> bytes) {
  if (type == ValueType::text) return 8 + static_cast<std::size_t>(read<std::uint64_t>(bytes));
  if (type == ValueType::array) return array_bytes(bytes);
  std::size_t size = 1;  // a bool
  with_number(type, bytes, [&](auto number) { size = sizeof(number); });
  return size;
}

std::string valid(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) {
      out += "\xef\xbf\xbd";
    } else {
      out.append(text.substr(0, length));
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

std::string number_text(double value) {
  return std::isfinite(value) ? text_of(value) : json::quoted(text_of(value));
}

std::string value_to_json(const Value& value, std::uint64_t longest_array) {
  if (const auto text = value.text()) return json::quoted(valid(*text));
  if (const auto boolean = value.boolean()) return *boolean ? "true" : "false";
  if (value.type() != ValueType::array) {
    if (const auto whole = value.whole()) return std::to_string(*whole);
    if (value.type() == ValueType::i64) return std::to_string(read<std::int64_t>(value.items()));
    return number_text(*value.real());
  }
  std::string out = "[";
  Value item;
  for (Items items(value); items.next(item);) {
    if (item.type() == ValueType::array && item.size() > longest_array) continue;
    out.append(out.size() == 1 ? "" : ",").append(value_to_json(item, longest_array));
  }
  return out += ']';
}

}  // namespace

std::optional<std::uint64_t> Value::whole() const {
  std::optional<std::uint64_t> result;
  if (type_ == ValueType::f32 || type_ == ValueType::f64) return result;
  with_number(type_, bytes_, [&](auto number) {
    if (number >= 0) result = static_cast<std::uint64_t>(number);
  });
  return result;
}

std::optional<double> Value::real() const {
  std::optional<double> result;
  with_number(type_, bytes_, [&](auto number) { result = static_cast<double>(number); });
  return result;
}

std::optional<bool> Value::boolean() const {
  if (type_ != ValueType::boolean) return std::nullopt;
  return bytes_[0] != std::byte{0};
}

std::optional<std::string_view> Value::text() const {
  if (type_ != ValueType::text) return std::nullopt;
  return std::string_view(reinterpret_cast<const char*>(bytes_.data()), bytes_.size());
}

Items::Items(const Value& array) : type_(array.item_type()), left_(array.size()), bytes_(array.items()) {}

bool Items::next(Value& item) {
  if (left_ == 0) return false;
  --left_;
  const std::size_t size = item_bytes(type_, bytes_);
  const auto own = bytes_.first(size);
  if (type_ == ValueType::array) {
    item = Value(read<ValueType>(own), read<std::uint64_t>(own.subspan(4)), own.subspan(12));
  } else {
    item = Value(type_, type_ == ValueType::text ? own.subspan(8) : own);
  }
  bytes_ = bytes_.subspan(size);
  return true;
}

std::string metadata_to_json(const Header& header, std::uint64_t longest_array, std::string_view prefix) {
  std::string out = "{";
  for (const Header::Entry& entry : header.metadata()) {
    if (entry.value.size() > longest_array || !entry.key.starts_with(prefix)) continue;
    out.append(out.size() == 1 ? "" : ",").append(json::quoted(entry.key)).append(":");
    out.append(value_to_json(entry.value, longest_array));
  }
  return out += '}';
}

std::string tensors_to_json(const Header& header) {
  std::string out = "[";
  for (const Tensor& tensor : header.tensors()) {
    out.append(out.size() == 1 ? "" : ",").append("{\"name\":").append(json::quoted(tensor.name));
    out.append(",\"type\":").append(json::quoted(tensor.type->name)).append(",\"shape\":[");
    for (std::size_t i = 0; i < tensor.dimensions; ++i) {
      out.append(i == 0 ? "" : ",").append(std::to_string(tensor.sizes[i]));
    }
    out.append("],\"offset\":").append(std::to_string(tensor.offset));
    out.append(",\"bytes\":").append(std::to_string(tensor.bytes)).append("}");
  }
  return out += ']';
}

}  // namespace ropewalk::gguf
