#pragma once

#include "base/buffer.hpp"
#include "model/packing.hpp"
#include "ropewalk/safetensors.hpp"

namespace ropewalk::model {

/// The table of word vectors (V,E) of a model that does not learn, as it was loaded: in the type of the file, in 8 bits
/// with scales, or in the weight of a decoder that is tied to it.
class Words {
 public:
  /// Memory for a table in that type: F32, F16 or BF16.
  Status reserve(std::size_t count, std::size_t width, SafetensorsType type);
  /// The same in 8 bits.
  Status reserve_int8(nn::Compute compute, std::size_t count, std::size_t width, nn::WeightForm form) {
    return bytes_.reserve(compute, count, width, form);
  }
  /// No table of its own: `decoder` outlives this.
  void share(const nn::PackedWeight& decoder) { shared_ = &decoder; }

  /// Elements [first, first + count) of the table, as reserve takes them: bytes of its type, not aligned.
  void set(std::uint64_t first, std::uint64_t count, const std::byte* elements);
  /// Rows of a table in 8 bits.
  nn::PackedWeight& bytes() { return bytes_; }

  bool empty() const { return table_.size() == 0 && bytes_.n() == 0 && shared_ == nullptr; }
  /// The vector of a word, (E).
  void look_up(std::size_t word, float* out) const;

 private:
  SafetensorsType type_ = SafetensorsType::F32;
  std::size_t width_ = 0;
  Buffer<std::byte> table_;
  nn::PackedWeight bytes_;
  const nn::PackedWeight* shared_ = nullptr;
};

}  // namespace ropewalk::model
