// Opens a file. All checks use the header and the length of the file; no tensor is read.

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

#include "base/text.hpp"
#include "formats/json/order.hpp"
#include "formats/json/value.hpp"
#include "formats/safetensors/types.hpp"
#include "ropewalk/safetensors.hpp"

namespace ropewalk {
namespace {

static_assert(std::endian::native == std::endian::little,
              "the format is little-endian, and so is every target");

using json::Kind;
using json::Value;

constexpr std::string_view function = "safetensors";

Status header_error(std::string_view what, const std::string& problem) {
  return Status::malformed(sentence({function, ": ", what, " ", problem, " (InvalidHeader)"}));
}

// Names can have any length, so messages shorten them.
std::string named(std::string_view tensor) { return "tensor " + json::quoted(tensor.substr(0, 200)); }

// The format's own limit of bytes. 2^20 values are more than 100,000 tensors.
constexpr json::Limits header_limits{Safetensors::max_header, std::size_t{1} << 20};

Status range_error(std::string_view tensor, const std::string& problem, std::string_view error) {
  return Status::malformed(sentence({function, ": ", named(tensor), " ", problem, " (", error, ")"}));
}

std::optional<std::uint64_t> product(std::uint64_t a, std::uint64_t b) {
  if (b != 0 && a > UINT64_MAX / b) return std::nullopt;
  return a * b;
}

bool whole_numbers(const Value& array, std::vector<std::uint64_t>& out) {
  if (array.kind != Kind::array) return false;
  for (const Value& item : array.items) {
    if (item.kind != Kind::whole || item.negative) return false;
    out.push_back(item.magnitude);
  }
  return true;
}

struct Entry {
  SafetensorsTensor tensor;
  std::uint64_t begin, end;  // from the end of the header
};

Status file_error(const std::string& problem) {
  return Status::malformed(sentence({function, ": ", problem}));
}

Status length_error(std::uint64_t length, std::uint64_t file_size) {
  return file_error("the header says " + std::to_string(length) + " bytes, but the file has " +
                    std::to_string(file_size) + " (InvalidHeaderLength)");
}

Status read_entry(const json::Member& member, Entry& entry) {
  const std::string what = named(member.name);
  if (member.value.kind != Kind::object)
    return header_error(what, "is " + json::quoted(member.value) + "; allowed: an object");
  const Value* type = member.value.find("dtype");
  const Value* shape = member.value.find("shape");
  const Value* offsets = member.value.find("data_offsets");
  const auto missing = [&](const char* key) {
    return header_error(what, std::string("has no `") + key + "`");
  };
  if (type == nullptr) return missing("dtype");
  if (shape == nullptr) return missing("shape");
  if (offsets == nullptr) return missing("data_offsets");

  const auto known = type->kind == Kind::text ? safetensors::type_named(type->text) : std::nullopt;
  if (!known) {
    return header_error(what,
                        "has `dtype` " + json::quoted(*type) +
                            "; allowed: a type name of the format, such as \"F32\", \"F16\" or \"BF16\"");
  }
  entry.tensor.name = member.name;
  entry.tensor.type = *known;
  if (!whole_numbers(*shape, entry.tensor.shape)) {
    return header_error(
        what, "has `shape` " + json::quoted(*shape) + "; allowed: an array of whole numbers of at least 0");
  }
  std::vector<std::uint64_t> range;
  if (!whole_numbers(*offsets, range) || range.size() != 2) {
    return header_error(what, "has `data_offsets` " + json::quoted(*offsets) +
                                  "; allowed: [begin, end], whole numbers of at least 0");
  }
  entry.begin = range[0];
  entry.end = range[1];
  return {};
}

Status check_extent(Entry& entry, std::uint64_t previous_end) {
  SafetensorsTensor& tensor = entry.tensor;
  const std::string offsets = "[" + std::to_string(entry.begin) + ", " + std::to_string(entry.end) + "]";
  if (entry.begin != previous_end || entry.end < entry.begin) {
    return range_error(tensor.name,
                       "has `data_offsets` " + offsets + "; allowed: to begin at " +
                           std::to_string(previous_end) +
                           ", where the tensor before it ends, and not to end before that",
                       "InvalidOffset");
  }
  std::optional<std::uint64_t> elements = 1;
  for (const std::uint64_t size : tensor.shape) {
    if (elements) elements = product(*elements, size);
  }
  const std::optional<std::uint64_t> bits =
      elements ? product(*elements, bits_of(tensor.type)) : std::nullopt;
  if (!bits)
    return range_error(tensor.name, "has a `shape` whose product exceeds 64 bits", "ValidationOverflow");
  if (*bits % 8 != 0) {
    return range_error(tensor.name,
                       "of type " + std::string(name_of(tensor.type)) + " does not fill whole bytes",
                       "MisalignedSlice");
  }
  if (entry.end - entry.begin != *bits / 8) {
    return range_error(tensor.name,
                       "has `data_offsets` " + offsets + ", " + std::to_string(entry.end - entry.begin) +
                           " bytes; its type and shape take " + std::to_string(*bits / 8),
                       "TensorInvalidInfo");
  }
  tensor.elements = *elements;
  return {};
}

}  // namespace

Result<std::uint64_t> Safetensors::header_size(std::span<const std::byte> file) {
  if (file.size() < 8) {
    return file_error("the file has " + std::to_string(file.size()) +
                      " bytes; allowed: at least 8 (HeaderTooSmall)");
  }
  std::uint64_t length = 0;
  std::memcpy(&length, file.data(), 8);
  // Downloads without an extension may also be pickled PyTorch files. The message says what to do instead of
  // "too large".
  if (file[0] == std::byte{0x80} || (file[0] == std::byte{'P'} && file[1] == std::byte{'K'})) {
    if (length > max_header) {
      return Status::unsupported(
          std::string(function) +
          ": this is a pickled PyTorch file (.bin, .pt), which can run code; allowed: safetensors. "
          "Convert it in Python: safetensors.torch.save_file(torch.load(path, weights_only=True), "
          "\"model.safetensors\")");
    }
  }
  if (length > max_header) {
    return file_error("the header says " + std::to_string(length) + " bytes; allowed: up to " +
                      std::to_string(max_header) + " (HeaderTooLarge)");
  }
  return 8 + length;
}

Result<Safetensors> Safetensors::open_header(std::span<const std::byte> file,
                                             std::optional<std::uint64_t> file_size) {
  ROPEWALK_LET(header_bytes, header_size(file));
  const std::uint64_t begin = header_bytes;
  if (const std::uint64_t there = file_size.value_or(file.size());
      begin > std::min<std::uint64_t>(there, file.size()))
    return length_error(begin - 8, there);
  const std::string_view text(reinterpret_cast<const char*>(file.data()) + 8,
                              static_cast<std::size_t>(begin - 8));
  Result<Value> parsed = json::parse(text, function, "header", header_limits);
  if (!parsed.ok() && parsed.status().code() != Status::Code::malformed) return parsed.status();
  if (!parsed.ok()) return Status::malformed(parsed.status().message() + " (InvalidHeaderDeserialization)");
  const Value& header = parsed.value();
  if (header.kind != Kind::object)
    return header_error("the header", "is " + json::quoted(header) + "; allowed: an object");

  Safetensors result;
  std::vector<Entry> entries;
  for (const json::Member& member : header.members) {
    if (member.name == "__metadata__") {
      if (member.value.kind != Kind::object && member.value.kind != Kind::null) {
        return header_error("`__metadata__`",
                            "is " + json::quoted(member.value) + "; allowed: an object of texts");
      }
      for (const json::Member& item : member.value.members) {
        if (item.value.kind != Kind::text) {
          return header_error("`__metadata__`", "has " + json::quoted(std::string_view(item.name)) + ": " +
                                                    json::quoted(item.value) + "; allowed: texts");
        }
        result.metadata_.emplace_back(item.name, item.value.text);
      }
      continue;
    }
    ROPEWALK_TRY(read_entry(member, entries.emplace_back()));
  }

  const std::vector<std::uint32_t> by_offset =
      json::sorted(entries.size(), [&](std::uint32_t i, std::uint32_t j) {
        const Entry &a = entries[i], &b = entries[j];
        return a.begin != b.begin ? a.begin < b.begin
               : a.end != b.end   ? a.end < b.end
                                  : a.tensor.name < b.tensor.name;
      });
  std::uint64_t end = 0;
  for (const std::uint32_t i : by_offset) {
    ROPEWALK_TRY(check_extent(entries[i], end));
    end = entries[i].end;
  }
  if (file_size && end != *file_size - begin) {
    return file_error("the tensors take " + std::to_string(end) + " bytes, but the file has " +
                      std::to_string(*file_size - begin) +
                      " after its header: it is cut short or something follows "
                      "(MetadataIncompleteBuffer)");
  }
  result.size_ = begin + end;
  const std::vector<std::uint32_t> by_name = json::sorted(
      entries.size(),
      [&](std::uint32_t i, std::uint32_t j) { return entries[i].tensor.name < entries[j].tensor.name; });
  for (const std::uint32_t i : by_name) {
    Entry& entry = entries[i];
    entry.tensor.begin = begin + entry.begin;
    result.tensors_.push_back(std::move(entry.tensor));
  }
  return Result<Safetensors>(std::move(result));
}

Result<Safetensors> Safetensors::open(std::span<const std::byte> file) {
  ROPEWALK_LET(opened, open_header(file, file.size()));
  for (SafetensorsTensor& tensor : opened.tensors_) {
    tensor.data =
        file.subspan(static_cast<std::size_t>(tensor.begin), static_cast<std::size_t>(tensor.bytes()));
  }
  return std::move(opened);
}

const SafetensorsTensor* Safetensors::find(std::string_view name) const {
  const auto at = std::lower_bound(
      tensors_.begin(), tensors_.end(), name,
      [](const SafetensorsTensor& tensor, std::string_view key) { return tensor.name < key; });
  return at == tensors_.end() || at->name != name ? nullptr : &*at;
}

}  // namespace ropewalk
