#include "model/blocks/words.hpp"

#include <cstring>

#include "formats/safetensors/types.hpp"

namespace ropewalk::model {

Status Words::reserve(std::size_t count, std::size_t width, SafetensorsType type) {
  type_ = type;
  width_ = width;
  return table_.allocate(count * width * bits_of(type) / 8, "embedding");
}

void Words::set(std::uint64_t first, std::uint64_t count, const std::byte* elements) {
  const std::uint64_t size = bits_of(type_) / 8;
  std::memcpy(table_.data() + first * size, elements, static_cast<std::size_t>(count * size));
}

void Words::look_up(std::size_t word, float* out) const {
  if (shared_ != nullptr) return shared_->row(word, out);
  if (bytes_.n() != 0) return bytes_.row(word, out);
  safetensors::widen(type_, table_.data() + word * width_ * (bits_of(type_) / 8), {out, width_});
}

}  // namespace ropewalk::model
