// Reads headers. Every number is checked against the size of the file before it is used, and no allocation
// depends on a count that the file merely states.

#include "formats/gguf.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/buffer.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "formats/json/order.hpp"
#include "formats/json/value.hpp"

namespace ropewalk::gguf {
namespace {

static_assert(std::endian::native == std::endian::little,
              "the format is little-endian, and so is every target");

constexpr std::uint64_t longest_name = 64, deepest_array = 4;
// Sizes of the shortest key (one character) with a bool, and of the shortest entry of a tensor.
constexpr std::uint64_t smallest_entry = 8 + 1 + 4 + 1, smallest_tensor = 8 + 1 + 4 + 8 + 4 + 8;

Status malformed(const std::string& problem) { return Status::malformed("gguf: " + problem); }

std::string text(std::uint64_t number) { return std::to_string(number); }

/// Shortens names and keys for messages.
std::string quoted(std::string_view name) { return json::quoted(name.substr(0, 100)); }

std::uint64_t size_of(ValueType type) {
  switch (type) {
    case ValueType::u8:
    case ValueType::i8:
    case ValueType::boolean:
      return 1;
    case ValueType::u16:
    case ValueType::i16:
      return 2;
    case ValueType::u32:
    case ValueType::i32:
    case ValueType::f32:
      return 4;
    case ValueType::u64:
    case ValueType::i64:
    case ValueType::f64:
      return 8;
    default:
      return 0;
  }
}

/// Reads the header from its beginning. Each step returns false if it cannot continue: either the file is
/// rejected (`status`), or `bytes` end before the header does (`needed`).
class Scanner {
 public:
  Scanner(std::span<const std::byte> bytes, std::uint64_t file_size)
      : bytes_(bytes.first(static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), file_size)))),
        file_size_(file_size) {}

  bool scan();

  Status status;
  /// Bytes of the file that the next step needs.
  std::uint64_t needed = 0;
  /// Bytes read so far.
  std::uint64_t at = 0;
  std::uint32_t version = 0;
  std::vector<Header::Entry> metadata;
  std::vector<Tensor> tensors;

 private:
  bool fail(Status problem) {
    status = std::move(problem);
    return false;
  }

  /// The next `size` bytes. `what` names this part of the file in messages.
  bool take(std::uint64_t size, std::string_view what, std::span<const std::byte>& out) {
    if (size > file_size_ - at) {
      return fail(malformed("the file has " + text(file_size_) + " bytes and ends inside " +
                            std::string(what) + ", which takes " + text(size) + " from byte " + text(at) +
                            " on"));
    }
    if (size > max_header || at + size > max_header) {
      return fail(malformed("the header is longer than " + text(max_header) + " bytes, which are allowed"));
    }
    needed = at + size;
    if (needed > bytes_.size()) return false;
    out = bytes_.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(size));
    at += size;
    return true;
  }

  template <class T>
  bool number(std::string_view what, T& out) {
    std::span<const std::byte> bytes;
    if (!take(sizeof(T), what, bytes)) return false;
    std::memcpy(&out, bytes.data(), sizeof(T));
    return true;
  }

  bool string(std::string_view what, std::string_view& out) {
    std::uint64_t size = 0;
    std::span<const std::byte> bytes;
    if (!number(what, size) || !take(size, what, bytes)) return false;
    out = {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    return true;
  }

  bool counts(std::uint64_t& tensor_count, std::uint64_t& key_count);
  bool count(std::string_view what, std::uint64_t value, std::uint64_t smallest, std::uint64_t most);
  bool entry(std::uint64_t index, Header::Entry& out);
  bool value(ValueType type, std::string_view what, Value& out);
  bool scalar(ValueType type, std::string_view what);
  bool items(ValueType type, std::uint64_t count, std::string_view what, std::uint64_t depth);
  bool tensor(std::uint64_t index, Tensor& out);
  bool shape(Tensor& out);

  std::span<const std::byte> bytes_;
  std::uint64_t file_size_;
};

bool Scanner::scan() {
  std::uint64_t tensor_count = 0, key_count = 0;
  if (!counts(tensor_count, key_count)) return false;
  // Counted twice, because Header::open sorts the tensors, each with an index.
  const std::size_t room = static_cast<std::size_t>(tensor_count) * (2 * sizeof(Tensor) + 4) +
                           static_cast<std::size_t>(key_count) * (sizeof(Header::Entry) + 4);
  if (Status memory = check_memory(room, "gguf"); !memory.ok()) return fail(memory);
  metadata.reserve(static_cast<std::size_t>(key_count));
  for (std::uint64_t i = 0; i < key_count; ++i) {
    if (!entry(i, metadata.emplace_back())) return false;
  }
  tensors.reserve(static_cast<std::size_t>(tensor_count));
  for (std::uint64_t i = 0; i < tensor_count; ++i) {
    if (!tensor(i, tensors.emplace_back())) return false;
  }
  return true;
}

bool Scanner::counts(std::uint64_t& tensor_count, std::uint64_t& key_count) {
  std::span<const std::byte> magic;
  if (!take(4, "its first four bytes", magic)) return false;
  if (std::memcmp(magic.data(), "GGUF", 4) != 0) {
    return fail(malformed("the file does not begin with \"GGUF\"; allowed: a GGUF file"));
  }
  if (!number("its version", version)) return false;
  if (version != 2 && version != 3) {
    const bool reversed = __builtin_bswap32(version) <= 3 && version != 0;
    return fail(malformed((reversed ? "the file is big-endian" : "the version is " + text(version)) +
                          "; allowed: version 2 or 3, little-endian"));
  }
  return number("its number of tensors", tensor_count) && number("its number of keys", key_count) &&
         count("tensors", tensor_count, smallest_tensor, max_tensors) &&
         count("keys", key_count, smallest_entry, max_keys);
}

bool Scanner::count(std::string_view what, std::uint64_t value, std::uint64_t smallest, std::uint64_t most) {
  const bool fits = value <= (file_size_ - at) / smallest;
  if (fits && value <= most) return true;
  return fail(malformed("the header says " + text(value) + " " + std::string(what) +
                        (fits ? "; allowed: up to " + text(most)
                              : ", for which the file is too short: it has " + text(file_size_) + " bytes")));
}

bool Scanner::entry(std::uint64_t index, Header::Entry& out) {
  if (!string("key " + text(index), out.key)) return false;
  if (out.key.empty() || !is_utf8(out.key)) {
    return fail(malformed("key " + text(index) + (out.key.empty() ? " is empty" : " is not UTF-8") +
                          "; allowed: a name in UTF-8"));
  }
  ValueType type{};
  const std::string what = "the value of " + quoted(out.key);
  return number(what, type) && value(type, what, out.value);
}

bool Scanner::value(ValueType type, std::string_view what, Value& out) {
  if (type == ValueType::text) {
    std::string_view characters;
    if (!string(what, characters)) return false;
    out = Value(type, std::as_bytes(std::span(characters)));
    return true;
  }
  const std::uint64_t begin = at;
  const auto since = [&](std::uint64_t from) {
    return bytes_.subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(at - from));
  };
  if (type != ValueType::array) {
    if (!scalar(type, what)) return false;
    out = Value(type, since(begin));
    return true;
  }
  ValueType item_type{};
  std::uint64_t size = 0;
  if (!number(what, item_type) || !number(what, size) || !items(item_type, size, what, 1)) return false;
  out = Value(item_type, size, since(begin + 12));
  return true;
}

bool Scanner::scalar(ValueType type, std::string_view what) {
  const std::uint64_t size = size_of(type);
  if (size == 0) {
    return fail(malformed(std::string(what) + " has the type " + text(static_cast<std::uint32_t>(type)) +
                          "; allowed: 0 to 12"));
  }
  std::span<const std::byte> bytes;
  if (!take(size, what, bytes)) return false;
  if (type == ValueType::boolean && bytes[0] > std::byte{1}) {
    return fail(malformed(std::string(what) + " is a bool of " + text(static_cast<std::uint64_t>(bytes[0])) +
                          "; allowed: 0 or 1"));
  }
  return true;
}

bool Scanner::items(ValueType type, std::uint64_t count, std::string_view what, std::uint64_t depth) {
  if (depth > deepest_array) {
    return fail(malformed(std::string(what) + " has arrays inside arrays; allowed: up to " +
                          text(deepest_array) + " levels"));
  }
  const std::uint64_t fixed = size_of(type);
  const std::uint64_t smallest = type == ValueType::text ? 8 : type == ValueType::array ? 12 : fixed;
  if (smallest == 0) {
    return fail(malformed(std::string(what) + " is an array of the type " +
                          text(static_cast<std::uint32_t>(type)) + "; allowed: 0 to 12"));
  }
  if (count > (file_size_ - at) / smallest) {
    return fail(malformed(std::string(what) + " is an array of " + text(count) +
                          " items, for which the file is too short: it has " + text(file_size_) + " bytes"));
  }
  std::span<const std::byte> bytes;
  if (fixed != 0 && type != ValueType::boolean) return take(count * fixed, what, bytes);
  for (; count != 0; --count) {
    // The remaining items take at least this many bytes, so a caller need not read on one item at a time.
    const std::uint64_t least = at + count * smallest;
    std::string_view characters;
    ValueType inner{};
    std::uint64_t inner_count = 0;
    const bool taken = type == ValueType::text    ? string(what, characters)
                       : type == ValueType::array ? number(what, inner) && number(what, inner_count) &&
                                                        items(inner, inner_count, what, depth + 1)
                                                  : scalar(type, what);
    if (!taken) {
      needed = std::max(needed, std::min(least, max_header));
      return false;
    }
  }
  return true;
}

bool Scanner::tensor(std::uint64_t index, Tensor& out) {
  const std::string what = "the entry of tensor " + text(index);
  if (!string(what, out.name)) return false;
  if (out.name.empty() || out.name.size() > longest_name || !is_utf8(out.name)) {
    return fail(malformed("the name of tensor " + text(index) +
                          (out.name.empty()                 ? " is empty"
                           : out.name.size() > longest_name ? " has " + text(out.name.size()) + " bytes"
                                                            : " is not UTF-8") +
                          "; allowed: 1 to " + text(longest_name) + " bytes of UTF-8"));
  }
  if (!number(what, out.dimensions)) return false;
  if (out.dimensions < 1 || out.dimensions > out.sizes.size()) {
    return fail(malformed("tensor " + quoted(out.name) + " has " + text(out.dimensions) +
                          " dimensions; allowed: 1 to " + text(out.sizes.size())));
  }
  for (std::uint32_t i = 0; i < out.dimensions; ++i) {
    if (!number(what, out.sizes[i])) return false;
  }
  std::uint32_t type = 0;
  if (!number(what, type) || !number(what, out.offset)) return false;
  out.type = tensor_type(type);
  if (out.type == nullptr) {
    return fail(malformed("tensor " + quoted(out.name) + " has the type " + text(type) +
                          "; allowed: a type of ggml that is in use, such as 0 (F32) or 8 (Q8_0)"));
  }
  return shape(out);
}

bool Scanner::shape(Tensor& out) {
  const auto refuse = [&](const std::string& problem) {
    std::string sizes;
    for (const std::uint64_t size : out.shape()) sizes += (sizes.empty() ? "" : ", ") + text(size);
    return fail(malformed("tensor " + quoted(out.name) + " has the shape [" + sizes + "]" + problem));
  };
  out.elements = 1;
  for (const std::uint64_t size : out.shape()) {
    if (size == 0) return refuse("; allowed: sizes of at least 1");
    if (__builtin_mul_overflow(out.elements, size, &out.elements)) {
      return refuse(", whose product exceeds 64 bits");
    }
  }
  const TensorType& type = *out.type;
  if (out.sizes[0] % type.elements != 0) {
    return refuse("; allowed with the type " + std::string(type.name) +
                  ": a first size that is a multiple of " + text(type.elements));
  }
  if (__builtin_mul_overflow(out.elements / type.elements, std::uint64_t{type.bytes}, &out.bytes)) {
    return refuse(", whose bytes exceed 64 bits");
  }
  return true;
}

Status read_alignment(const Header& header, std::uint64_t& alignment) {
  const Value* value = header.find("general.alignment");
  if (value == nullptr) return {};
  const auto whole = value->whole();
  if (!whole || !std::has_single_bit(*whole)) {
    return malformed("`general.alignment` is " +
                     (whole ? text(*whole) : std::string("no whole number of at least 0")) +
                     "; allowed: a power of two");
  }
  alignment = *whole;
  return {};
}

/// From offsets behind the header to offsets in the file.
Status place(Tensor& tensor, std::uint64_t data, std::uint64_t alignment, std::uint64_t file_size) {
  const std::string what = "tensor " + quoted(tensor.name);
  if (tensor.offset % alignment != 0) {
    return malformed(what + " has the offset " + text(tensor.offset) +
                     "; allowed: a multiple of the alignment " + text(alignment));
  }
  std::uint64_t end = 0;
  if (__builtin_add_overflow(tensor.offset, data, &tensor.offset) ||
      __builtin_add_overflow(tensor.offset, tensor.bytes, &end)) {
    return malformed(what + " ends beyond 2^64 bytes");
  }
  if (end > file_size) {
    return malformed(what + " takes bytes " + text(tensor.offset) + " to " + text(end) +
                     ", but the file has " + text(file_size) + ": it is cut short, or the offset is wrong");
  }
  return {};
}

}  // namespace

Result<std::uint64_t> header_bytes(std::span<const std::byte> beginning, std::uint64_t file_size) {
  Scanner scanner(beginning, file_size);
  if (scanner.scan()) return scanner.at;
  if (!scanner.status.ok()) return scanner.status;
  return scanner.needed;
}

Result<Header> Header::open(std::span<const std::byte> beginning, std::uint64_t file_size) {
  Scanner scanner(beginning, file_size);
  if (!scanner.scan()) {
    if (!scanner.status.ok()) return scanner.status;
    return malformed("the header takes at least " + text(scanner.needed) + " bytes; " +
                     text(beginning.size()) + " were given");
  }
  Header header;
  header.version_ = scanner.version;
  header.metadata_ = std::move(scanner.metadata);
  const std::vector<Entry>& entries = header.metadata_;
  header.keys_by_name_ = json::sorted(
      entries.size(), [&](std::uint32_t a, std::uint32_t b) { return entries[a].key < entries[b].key; });
  for (std::size_t i = 1; i < entries.size(); ++i) {
    const std::string_view key = entries[header.keys_by_name_[i]].key;
    if (key == entries[header.keys_by_name_[i - 1]].key) {
      return malformed("the key " + quoted(key) + " is there twice; allowed: each key once");
    }
  }
  ROPEWALK_TRY(read_alignment(header, header.alignment_));

  std::vector<Tensor>& found = scanner.tensors;
  const std::uint64_t mask = header.alignment_ - 1, data = (scanner.at + mask) & ~mask;
  for (Tensor& tensor : found) {
    ROPEWALK_TRY(place(tensor, data, header.alignment_, file_size));
  }
  const std::vector<std::uint32_t> by_offset = json::sorted(
      found.size(), [&](std::uint32_t a, std::uint32_t b) { return found[a].offset < found[b].offset; });
  header.tensors_.reserve(found.size());
  for (const std::uint32_t i : by_offset) {
    if (!header.tensors_.empty()) {
      const Tensor& before = header.tensors_.back();
      if (found[i].offset - before.offset < before.bytes) {
        return malformed("tensors " + quoted(before.name) + " and " + quoted(found[i].name) +
                         " share bytes; allowed: one place for each");
      }
    }
    header.tensors_.push_back(found[i]);
  }
  const std::vector<Tensor>& tensors = header.tensors_;
  header.tensors_by_name_ = json::sorted(
      tensors.size(), [&](std::uint32_t a, std::uint32_t b) { return tensors[a].name < tensors[b].name; });
  for (std::size_t i = 1; i < tensors.size(); ++i) {
    const std::string_view name = tensors[header.tensors_by_name_[i]].name;
    if (name == tensors[header.tensors_by_name_[i - 1]].name) {
      return malformed("the tensor " + quoted(name) + " is there twice; allowed: each name once");
    }
  }
  return header;
}

const Value* Header::find(std::string_view key) const {
  const auto at =
      std::lower_bound(keys_by_name_.begin(), keys_by_name_.end(), key,
                       [&](std::uint32_t i, std::string_view wanted) { return metadata_[i].key < wanted; });
  return at == keys_by_name_.end() || metadata_[*at].key != key ? nullptr : &metadata_[*at].value;
}

const Tensor* Header::tensor(std::string_view name) const {
  const auto at =
      std::lower_bound(tensors_by_name_.begin(), tensors_by_name_.end(), name,
                       [&](std::uint32_t i, std::string_view wanted) { return tensors_[i].name < wanted; });
  return at == tensors_by_name_.end() || tensors_[*at].name != name ? nullptr : &tensors_[*at];
}

}  // namespace ropewalk::gguf
