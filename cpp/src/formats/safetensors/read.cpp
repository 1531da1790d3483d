// Converts the bytes of a tensor to float32. Old writers did not pad the header, so data may start at any
// address; hence memcpy.

#include <cstring>

#include "formats/json/value.hpp"
#include "ropewalk/safetensors.hpp"
#include "base/half.hpp"

namespace ropewalk {
namespace {

template <float convert(std::uint16_t)>
void widen(std::span<const std::byte> data, std::span<float> out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    std::uint16_t bits;
    std::memcpy(&bits, data.data() + 2 * i, 2);
    out[i] = convert(bits);
  }
}

}  // namespace

Status try_read_float32(const SafetensorsTensor& tensor, std::span<float> out) {
  if (out.size() != tensor.elements) {
    return Status::range("read_float32: `out` has " + std::to_string(out.size()) +
                         " elements; allowed: " + std::to_string(tensor.elements) + ", those of tensor " +
                         json::quoted(std::string_view(tensor.name)));
  }
  switch (tensor.type) {
    case SafetensorsType::F32:
      if (!out.empty()) std::memcpy(out.data(), tensor.data.data(), tensor.data.size());
      return {};
    case SafetensorsType::F16:
      widen<from_float16>(tensor.data, out);
      return {};
    case SafetensorsType::BF16:
      widen<from_bfloat16>(tensor.data, out);
      return {};
    default:
      return Status::type("read_float32: tensor " + json::quoted(std::string_view(tensor.name)) +
                          " has the type " + std::string(name_of(tensor.type)) +
                          "; allowed: F32, F16 or BF16");
  }
}

}  // namespace ropewalk
