// Converts the bytes of a tensor to float32. Old writers did not pad the header, so data may start at any
// address; hence memcpy.

#include <cstring>

#include "base/half.hpp"
#include "formats/json/value.hpp"
#include "formats/safetensors/types.hpp"
#include "ropewalk/safetensors.hpp"

namespace ropewalk {
namespace {

template <float convert(std::uint16_t)>
void widen(const std::byte* data, std::span<float> out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    std::uint16_t bits;
    std::memcpy(&bits, data + 2 * i, 2);
    out[i] = convert(bits);
  }
}

}  // namespace

namespace safetensors {

bool widens(SafetensorsType type) {
  return type == SafetensorsType::F32 || type == SafetensorsType::F16 || type == SafetensorsType::BF16;
}

void widen(SafetensorsType type, const std::byte* data, std::span<float> out) {
  if (type == SafetensorsType::F16) {
    ropewalk::widen<from_float16>(data, out);
  } else if (type == SafetensorsType::BF16) {
    ropewalk::widen<from_bfloat16>(data, out);
  } else if (type == SafetensorsType::I8) {
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = static_cast<float>(static_cast<std::int8_t>(data[i]));
  } else if (!out.empty()) {
    std::memcpy(out.data(), data, out.size_bytes());
  }
}

}  // namespace safetensors

Status try_read_float32(const SafetensorsTensor& tensor, std::span<float> out) {
  if (out.size() != tensor.elements) {
    return Status::range("read_float32: `out` has " + std::to_string(out.size()) +
                         " elements; allowed: " + std::to_string(tensor.elements) + ", those of tensor " +
                         json::quoted(std::string_view(tensor.name)));
  }
  if (!safetensors::widens(tensor.type)) {
    return Status::type("read_float32: tensor " + json::quoted(std::string_view(tensor.name)) +
                        " has the type " + std::string(name_of(tensor.type)) + "; allowed: F32, F16 or BF16");
  }
  safetensors::widen(tensor.type, tensor.data.data(), out);
  return {};
}

}  // namespace ropewalk
