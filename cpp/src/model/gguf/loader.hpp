#pragma once

// A model from a GGUF file that arrives in pieces of any size.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/buffer.hpp"
#include "base/text.hpp"
#include "formats/gguf.hpp"
#include "model/gguf/model.hpp"
#include "model/loading/loader.hpp"

namespace ropewalk::model {

/// In this order: read_header; match; reserve; read what follows the header; finish.
class GgufLoader {
 public:
  explicit GgufLoader(const Loader::Options& options) : options_(options) {}

  /// The next bytes of the file, from its first on, until has_header. Returns how many of them belong to the header.
  Result<std::size_t> read_header(std::span<const std::byte> bytes, std::optional<std::uint64_t> size);
  bool has_header() const { return header_.has_value(); }
  /// `predicts`: with the head of a model that predicts words; an encoder of one gives hidden states alone.
  Result<ModelSize> match(bool predicts = true);
  /// Metadata about the vocabulary as JSON, arrays included. Before reserve, which drops the header.
  Result<std::string> tokenizer() const;
  /// As tokenizer, of all metadata.
  Result<std::string> metadata() const;
  std::vector<std::string> quantised_by_rows() const { return loader_.quantised_by_rows(); }
  Status reserve(std::optional<std::uint64_t> limit);
  Status read(std::span<const std::byte> bytes);
  Result<Model> finish();

  /// Known after match.
  const GgufModel& model() const { return model_; }

 private:
  /// A tensor in the order of the file.
  struct Part {
    const gguf::TensorType* type;
    std::uint64_t begin, end;         // in the file
    const SafetensorsTensor* tensor;  // nullptr: factors of the rope
    RopeFactors* factors;
  };
  void take(const Part& part, std::span<const std::byte> bytes);
  void take_blocks(const Part& part, std::span<const std::byte> blocks);

  Result<std::string> metadata_of(std::string_view prefix) const;

  Loader::Options options_;
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
  Loader loader_;
};

/// All calls of a public loader with a GGUF file that is in memory.
template <class FromGguf>
auto load_gguf(FromGguf& loader, std::span<const std::byte> file) -> decltype(loader.try_finish()) {
  constexpr std::size_t piece = 1 << 20;
  std::size_t at = 0;
  while (!loader.has_header(0) && at < file.size()) {
    ROPEWALK_LET(taken,
                 loader.try_read_header(0, file.subspan(at, std::min(piece, file.size() - at)), file.size()));
    at += taken;
  }
  if (Result<ModelSize> size = loader.try_match(); !size.ok()) return size.status();
  Status status = loader.try_reserve();
  if (status.ok()) status = loader.try_read(0, file.subspan(at));
  if (!status.ok()) return status;
  return loader.try_finish();
}

}  // namespace ropewalk::model
