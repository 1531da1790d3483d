#pragma once

// A model from safetensors files that arrive in pieces of any size.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/buffer.hpp"
#include "model/loading/loader.hpp"
#include "ropewalk/loading.hpp"

namespace ropewalk::model {

/// In this order: read_header of every file; match; reserve; read what follows the header of each file, in the order of
/// the file; finish.
class FileLoader {
 public:
  FileLoader(Spec spec, std::size_t files, const Loader::Options& options)
      : spec_(std::move(spec)), options_(options), parts_(files) {}

  Result<std::size_t> read_header(std::size_t file, std::span<const std::byte> bytes,
                                  std::optional<std::uint64_t> size);
  bool has_header(std::size_t file) const { return parts_[file].header.has_value(); }
  Result<ModelSize> match();
  std::vector<std::string> quantised_by_rows() const { return loader_.quantised_by_rows(); }
  Status reserve(std::optional<std::uint64_t> limit) { return loader_.reserve(limit); }
  Status read(std::size_t file, std::span<const std::byte> bytes);
  Result<Model> finish();

 private:
  struct Part {
    std::byte start[8];
    Buffer<std::byte> text;  // the header, until it is whole
    std::size_t here = 0;    // bytes of the header so far
    std::optional<std::uint64_t> size;
    std::optional<Safetensors> header;
    std::vector<const SafetensorsTensor*> tensors;  // in the order of the file
    std::size_t tensor = 0;                         // which of them is read
    std::uint64_t position = 0;                     // in the file
  };

  Spec spec_;
  Loader::Options options_;
  std::vector<Part> parts_;
  std::vector<Safetensors> headers_;
  Loader loader_;
};

}  // namespace ropewalk::model
