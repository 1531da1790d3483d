#include <cstring>

#include "base/half.hpp"
#include "base/utf8.hpp"
#include "formats/json/order.hpp"
#include "formats/json/value.hpp"
#include "ropewalk/safetensors.hpp"

namespace ropewalk {

Result<SafetensorsLayout> SafetensorsLayout::make(std::span<const SafetensorsSource> sources,
                                                  SafetensorsType type) {
  const std::string function = "write_safetensors: ";
  if (type != SafetensorsType::F32 && type != SafetensorsType::F16) {
    return Status::range(function + "`type` is " + std::string(name_of(type)) + "; allowed: F32 or F16");
  }
  SafetensorsLayout layout;
  layout.type_ = type;
  // All tensors have one element type, so the official order, by type and then by name, is the order of the
  // names.
  const std::vector<std::uint32_t> by_name = json::sorted(
      sources.size(), [&](std::uint32_t a, std::uint32_t b) { return sources[a].name < sources[b].name; });
  for (const std::uint32_t i : by_name) layout.sources_.push_back(sources[i]);

  std::string& header = layout.header_;
  header = "{\"__metadata__\":{\"format\":\"pt\"}";
  std::uint64_t offset = 0;
  for (std::size_t i = 0; i < layout.sources_.size(); ++i) {
    const SafetensorsSource& source = layout.sources_[i];
    const std::string name = json::quoted(source.name);
    if (source.name == "__metadata__" || (i > 0 && source.name == layout.sources_[i - 1].name)) {
      return Status::range(function + "the name " + name + " is " + (i > 0 ? "given twice" : "reserved") +
                           "; allowed: each name once");
    }
    if (!is_utf8(source.name)) {
      return Status::range(function + "the name of tensor " + std::to_string(by_name[i]) +
                           " is not UTF-8; allowed: names in UTF-8");
    }
    std::uint64_t elements = 1;
    bool fits = true;
    std::string shape;
    for (const std::uint64_t size : source.shape) {
      fits = fits && !__builtin_mul_overflow(elements, size, &elements);
      shape += (shape.empty() ? "" : ",") + std::to_string(size);
    }
    if (!fits) {
      return Status::range(function + "tensor " + name + " has shape [" + shape +
                           "]; allowed: a shape whose product fits 64 bits");
    }
    if (elements != source.data.size()) {
      return Status::range(function + "tensor " + name + " of shape [" + shape + "] has " +
                           std::to_string(source.data.size()) +
                           " elements; allowed: " + std::to_string(elements));
    }
    const std::uint64_t end = offset + elements * bits_of(type) / 8;
    header += "," + name + ":{\"dtype\":\"" + std::string(name_of(type)) + "\",\"shape\":[" + shape +
              "],\"data_offsets\":[" + std::to_string(offset) + "," + std::to_string(end) + "]}";
    offset = end;
  }
  header += '}';
  header.append((8 - header.size() % 8) % 8, ' ');
  if (offset > SIZE_MAX - 8 - header.size())
    return Status::out_of_memory(function + "the file exceeds memory");
  layout.size_ = 8 + header.size() + static_cast<std::size_t>(offset);
  return Result<SafetensorsLayout>(std::move(layout));
}

Status SafetensorsLayout::try_write(std::span<std::byte> out) const {
  if (out.size() != size_) {
    return Status::range("write_safetensors: `out` has " + std::to_string(out.size()) +
                         " bytes; allowed: " + std::to_string(size_));
  }
  const std::uint64_t length = header_.size();
  std::memcpy(out.data(), &length, 8);
  std::memcpy(out.data() + 8, header_.data(), header_.size());
  std::byte* at = out.data() + 8 + header_.size();
  for (const SafetensorsSource& source : sources_) {
    if (type_ == SafetensorsType::F32) {
      if (!source.data.empty()) std::memcpy(at, source.data.data(), source.data.size_bytes());
      at += source.data.size_bytes();
    } else {
      for (const float value : source.data) {
        const std::uint16_t bits = to_float16(value);
        std::memcpy(at, &bits, 2);
        at += 2;
      }
    }
  }
  return {};
}

}  // namespace ropewalk
