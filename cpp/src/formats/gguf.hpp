#pragma once

/// The header of a GGUF file: metadata, and the directory of its tensors. Source:
/// https://github.com/ggml-org/ggml/blob/master/docs/gguf.md, versions 2 and 3, little-endian.
///
/// The header of a model takes some megabytes, because the vocabulary is part of it. The file is a thousand
/// times as long. So the header is read from as much of the file's beginning as it takes:
///
///     std::uint64_t needed = 1 << 16;
///     while (needed > beginning.size()) {
///       // Make `beginning` at least `needed` bytes long.
///       needed = header_bytes(beginning, file_size).value();
///     }
///     Header header = Header::open(beginning, file_size).value();

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ropewalk/status.hpp"

namespace ropewalk::gguf {

/// The largest header that is read, in bytes. The vocabularies of published models take up to 2^24.
constexpr std::uint64_t max_header = std::uint64_t{1} << 26;
/// The most keys and tensors that are read.
constexpr std::uint64_t max_keys = 1 << 16, max_tensors = 1 << 17;
/// For a file of unknown size. A tensor beyond the end of the file then goes unnoticed.
constexpr std::uint64_t unknown_size = UINT64_MAX;

/// The format's own numbers.
enum class ValueType : std::uint32_t {
  u8 = 0,
  i8 = 1,
  u16 = 2,
  i16 = 3,
  u32 = 4,
  i32 = 5,
  f32 = 6,
  boolean = 7,
  text = 8,
  array = 9,
  u64 = 10,
  i64 = 11,
  f64 = 12
};

/// One value of the metadata: a view of the header's bytes.
class Value {
 public:
  Value() = default;
  Value(ValueType type, std::span<const std::byte> bytes) : type_(type), bytes_(bytes) {}
  Value(ValueType item_type, std::uint64_t size, std::span<const std::byte> items)
      : type_(ValueType::array), item_type_(item_type), size_(size), bytes_(items) {}

  ValueType type() const { return type_; }
  /// A number of any whole type, if it is not negative.
  std::optional<std::uint64_t> whole() const;
  /// A number of any type. Whole numbers beyond 2^53 are rounded.
  std::optional<double> real() const;
  std::optional<bool> boolean() const;
  /// It may not be UTF-8: the format asks for it, and no reader checks.
  std::optional<std::string_view> text() const;

  /// Number of items of an array; 0 for other types.
  std::uint64_t size() const { return size_; }
  ValueType item_type() const { return item_type_; }
  /// The items of an array as they stand in the file. Numbers are packed, little-endian and not aligned; a
  /// text is its length in eight bytes, then its characters.
  std::span<const std::byte> items() const { return bytes_; }

 private:
  ValueType type_ = ValueType::array, item_type_ = ValueType::u8;
  std::uint64_t size_ = 0;
  std::span<const std::byte> bytes_;
};

/// Iterates over the items of an array: `for (Items items(value); items.next(item);)`. Other types have no
/// items.
class Items {
 public:
  explicit Items(const Value& array);
  bool next(Value& item);

 private:
  ValueType type_;
  std::uint64_t left_;
  std::span<const std::byte> bytes_;
};

/// A tensor is stored in blocks of `elements` values and `bytes` bytes. A plain type has one element per
/// block.
struct TensorType {
  /// The format's own number.
  std::uint32_t number;
  /// The name in ggml: "F32", "Q4_K".
  std::string_view name;
  std::uint32_t elements, bytes;
};

/// The type with this number or name, or nullptr if it is unknown or removed from the format.
const TensorType* tensor_type(std::uint32_t number);
const TensorType* tensor_type(std::string_view name);

struct Tensor {
  /// At most 64 bytes of UTF-8.
  std::string_view name;
  const TensorType* type;
  /// Sizes of 1 to 4 dimensions in the order of the file, the fastest first: a matrix that multiplies a
  /// vector of n_in values is [n_in, n_out].
  std::span<const std::uint64_t> shape() const { return {sizes.data(), dimensions}; }
  std::array<std::uint64_t, 4> sizes;
  std::uint32_t dimensions;
  std::uint64_t elements;
  /// First byte of its data, counted from the beginning of the file, and size of its data in bytes.
  std::uint64_t offset, bytes;
};

/// How many bytes of the file's beginning Header::open needs, as far as `beginning` shows. If the answer
/// exceeds the size of `beginning`, it is a lower bound: read on and call again. Fails if `beginning` already
/// shows that the file is malformed.
Result<std::uint64_t> header_bytes(std::span<const std::byte> beginning, std::uint64_t file_size);

/// A checked view of a header. Does not own the bytes: they must outlive it.
class Header {
 public:
  /// Refused: another format, version or byte order; a file that ends too early; counts, sizes and offsets
  /// that do not fit; unknown types; a key or name that is empty, too long, not UTF-8 or there twice; a bool
  /// that is neither 0 nor 1; arrays more than four deep; tensors that overlap, are not aligned or have no
  /// element; more than max_header bytes, max_keys keys or max_tensors tensors. Allocates at most 32 MiB,
  /// whatever the file says.
  static Result<Header> open(std::span<const std::byte> beginning, std::uint64_t file_size);

  struct Entry {
    std::string_view key;
    Value value;
  };
  /// In the order of the file.
  std::span<const Entry> metadata() const { return metadata_; }
  /// The value of the key, or nullptr.
  const Value* find(std::string_view key) const;
  /// In the order of their data, in which a stream delivers them.
  std::span<const Tensor> tensors() const { return tensors_; }
  /// The tensor with that name, or nullptr.
  const Tensor* tensor(std::string_view name) const;

  std::uint32_t version() const { return version_; }
  std::uint64_t alignment() const { return alignment_; }

 private:
  std::uint32_t version_ = 0;
  std::uint64_t alignment_ = 32;
  std::vector<Entry> metadata_;
  std::vector<Tensor> tensors_;
  std::vector<std::uint32_t> keys_by_name_, tensors_by_name_;
};

/// The metadata as one JSON object. Arrays of more than `longest_array` items are left out, so that no
/// vocabulary is copied; numbers that JSON does not have are the texts "NaN", "Infinity" and "-Infinity";
/// what is not UTF-8 in a text becomes U+FFFD. Only keys that begin with `prefix`.
std::string metadata_to_json(const Header& header, std::uint64_t longest_array, std::string_view prefix = {});

/// The directory of tensors as a JSON array of {name, type, shape, offset, bytes}.
std::string tensors_to_json(const Header& header);

}  // namespace ropewalk::gguf
