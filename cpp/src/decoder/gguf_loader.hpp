#pragma once

// A decoder from a GGUF file that arrives in pieces of any size.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/buffer.hpp"
#include "decoder/gguf_model.hpp"
#include "formats/gguf.hpp"
#include "model/loader.hpp"

namespace ropewalk::decoder {

/// In this order: read_header; match; reserve; read what follows the header; finish.
class GgufLoader {
 public:
  explicit GgufLoader(Precision precision) : precision_(precision) {}

  /// The next bytes of the file, from its first on, until has_header. Returns how many of them belong to the header.
  Result<std::size_t> read_header(std::span<const std::byte> bytes, std::optional<std::uint64_t> size);
  bool has_header() const { return header_.has_value(); }
  Result<ModelSize> match();
  /// Metadata about the vocabulary as JSON, arrays included. Before reserve, which drops the header.
  Result<std::string> tokenizer() const;
  Status reserve(std::optional<std::uint64_t> limit);
  Status read(std::span<const std::byte> bytes);
  Result<model::Model> finish();

  /// Known after match.
  const GgufModel& model() const { return model_; }

 private:
  /// A tensor in the order of the file.
  struct Part {
    const gguf::TensorType* type;
    std::uint64_t begin, end;         // in the file
    const SafetensorsTensor* tensor;  // nullptr: the factors of the rope
  };
  void take(const Part& part, std::span<const std::byte> bytes);
  void take_blocks(const Part& part, std::span<const std::byte> blocks);

  Precision precision_;
  std::vector<std::byte> text_;  // the header, and while it is read what may follow it
  std::uint64_t needed_ = 0;     // bytes that the header has at least
  std::optional<std::uint64_t> size_;
  std::optional<gguf::Header> header_;  // views the text
  GgufModel model_;
  std::vector<Part> parts_;
  std::size_t part_ = 0;          // which of them is read
  std::uint64_t position_ = 0;    // in the file
  std::vector<std::byte> carry_;  // the beginning of a block that goes on with the next bytes
  Buffer<float> values_;          // of some blocks
  std::vector<float> factors_;
  model::Loader loader_;
};

}  // namespace ropewalk::decoder
