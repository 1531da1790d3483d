// Any bytes as a safetensors file: tensors lie inside the file, and float32 tensors can be written and read again.

#include <vector>

#include "ropewalk/safetensors.hpp"
#include "target.hpp"

namespace {

using namespace ropewalk;

bool inside(std::span<const std::byte> part, std::span<const std::byte> whole) {
  return part.empty() ||
         (part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
}

void write_again(const Safetensors& file) {
  std::vector<std::vector<float>> values;
  std::vector<SafetensorsSource> sources;
  values.reserve(file.tensors().size());
  for (const SafetensorsTensor& tensor : file.tensors()) {
    if (tensor.type != SafetensorsType::F32) return;
    std::vector<float>& own = values.emplace_back(tensor.elements);
    fuzz::require(try_read_float32(tensor, own).ok(), "a float32 tensor can be read", tensor.name);
    sources.push_back({tensor.name, tensor.shape, own});
  }
  const Result<SafetensorsLayout> layout = SafetensorsLayout::make(sources);
  fuzz::require(layout.ok(), "what was read can be laid out", layout.status().message());
  std::vector<std::byte> bytes(layout.value().size());
  fuzz::require(layout.value().try_write(bytes).ok(), "what was laid out can be written");
  const Result<Safetensors> again = Safetensors::open(bytes);
  fuzz::require(again.ok(), "what was written can be read", again.status().message());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::Input input(data, size);
  const Result<Safetensors> opened = Safetensors::open(input.bytes());
  if (!opened.ok()) {
    fuzz::require_words(opened.status());
    return 0;
  }
  const Safetensors& file = opened.value();
  for (const SafetensorsTensor& tensor : file.tensors()) {
    fuzz::require(inside(tensor.data, input.bytes()), "a tensor lies inside the file", tensor.name);
    fuzz::require(file.find(tensor.name) == &tensor, "a tensor is found by its name", tensor.name);
    std::vector<float> values(tensor.data.empty() ? 0 : tensor.elements);
    if (const Status status = try_read_float32(tensor, values); !status.ok()) fuzz::require_words(status);
  }
  write_again(file);
  return 0;
}
