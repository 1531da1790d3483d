#pragma once

/// The safetensors format, read and written: 8 bytes N (little-endian), N bytes of JSON that name each
/// tensor's type, shape and place, then the packed little-endian data. Source:
/// https://github.com/huggingface/safetensors, whose names of errors the messages carry.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ropewalk/status.hpp"

namespace ropewalk {

/// Every element type of the format, in its order. Ropewalk lists all of them and reads F16, BF16 and F32.
enum class SafetensorsType : std::uint8_t {
  BOOL,
  F4,
  F6_E2M3,
  F6_E3M2,
  U8,
  I8,
  F8_E5M2,
  F8_E4M3,
  F8_E8M0,
  F8_E4M3FNUZ,
  F8_E5M2FNUZ,
  I16,
  U16,
  F16,
  BF16,
  I32,
  U32,
  F32,
  C64,
  F64,
  I64,
  U64
};
/// The name of the type as the format spells it.
std::string_view name_of(SafetensorsType type);
/// Size of one element in bits.
std::uint64_t bits_of(SafetensorsType type);

/// One tensor of a file.
struct SafetensorsTensor {
  /// Its key in the header.
  std::string name;
  /// Element type.
  SafetensorsType type;
  /// Row-major; empty for a scalar.
  std::vector<std::uint64_t> shape;
  /// Product of the shape.
  std::uint64_t elements;
  /// Place of its first byte, counted from the beginning of the file.
  std::uint64_t begin;
  /// Points into the bytes that were opened; not aligned. Empty where the header alone was opened.
  std::span<const std::byte> data;

  /// Size in the file.
  std::uint64_t bytes() const { return elements * bits_of(type) / 8; }
};

/// A checked view of a safetensors file. Does not own the bytes: they must outlive it.
class Safetensors {
 public:
  /// The largest header accepted, in bytes.
  static constexpr std::uint64_t max_header = 16u << 20;

  /// Checks the whole file before anything is returned: type error for a header that is not what the format
  /// says, range error for a header of more than 2^24 bytes or 2^20 values, and for sizes and offsets that do
  /// not fit. Holes, overlaps and bytes after the last tensor are errors, since a file that hides bytes is not
  /// what it seems.
  static Result<Safetensors> open(std::span<const std::byte> file);

  /// Bytes before the first tensor, from at least the first 8 of a file. Errors as those of open.
  static Result<std::uint64_t> header_size(std::span<const std::byte> start);

  /// As open, of the first header_size() bytes of a file, for tensors that arrive later. The size of the file is checked
  /// where it is known.
  static Result<Safetensors> open_header(std::span<const std::byte> header,
                                         std::optional<std::uint64_t> file_size);

  /// Sorted by name.
  std::span<const SafetensorsTensor> tensors() const { return tensors_; }
  /// The tensor of that name, or nullptr.
  const SafetensorsTensor* find(std::string_view name) const;
  /// Key and value of `__metadata__`, in the order of the file.
  std::span<const std::pair<std::string, std::string>> metadata() const { return metadata_; }
  /// Size of the file in bytes: the end of the last tensor.
  std::uint64_t size() const { return size_; }

 private:
  std::vector<SafetensorsTensor> tensors_;
  std::uint64_t size_ = 0;
  std::vector<std::pair<std::string, std::string>> metadata_;
};

/// Converts the elements of an F32, F16 or BF16 tensor to float32, exactly. `out` has tensor.elements
/// elements. type error, naming the tensor, for any other element type; nothing is written then.
[[nodiscard]] Status try_read_float32(const SafetensorsTensor& tensor, std::span<float> out);

/// One float32 tensor to be written.
struct SafetensorsSource {
  /// UTF-8, unique in the file.
  std::string_view name;
  /// Row-major; empty for a scalar.
  std::span<const std::uint64_t> shape;
  /// Product of the shape elements, row-major.
  std::span<const float> data;
};

/// Lays a file out as the official writer does: tensors by name, header padded with spaces to a multiple
/// of 8. The file says {"format": "pt"}, which Hugging Face transformers asks for. Sources must outlive the
/// layout.
class SafetensorsLayout {
 public:
  /// `type` is F32, or F16: rounded to nearest, ties to even.
  /// range error for a name that is not UTF-8 or occurs twice, or a shape that does not fit the data.
  static Result<SafetensorsLayout> make(std::span<const SafetensorsSource> sources,
                                        SafetensorsType type = SafetensorsType::F32);

  /// Size of the file in bytes.
  std::size_t size() const { return size_; }
  /// range error unless `out` has size() bytes.
  [[nodiscard]] Status try_write(std::span<std::byte> out) const;

 private:
  std::vector<SafetensorsSource> sources_;
  std::string header_;
  SafetensorsType type_ = SafetensorsType::F32;
  std::size_t size_ = 0;
};

#if defined(__cpp_exceptions)
/// As Safetensors::open, but throws the error.
inline Safetensors open_safetensors(std::span<const std::byte> file) {
  return raise(Safetensors::open(file));
}
/// As try_read_float32, but throws the error.
inline void read_float32(const SafetensorsTensor& tensor, std::span<float> out) {
  raise(try_read_float32(tensor, out));
}
#endif

}  // namespace ropewalk
