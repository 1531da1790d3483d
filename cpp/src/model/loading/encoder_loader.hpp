#pragma once

// Loading an encoder from one kind of files. Kinds are apart, so that a program links the readers alone that it calls.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/model.hpp"
#include "ropewalk/loading.hpp"

namespace ropewalk {

/// The calls of EncoderLoader, in its order.
struct EncoderLoader::State {
  virtual ~State() = default;
  virtual Result<std::size_t> read_header(std::size_t file, std::span<const std::byte> bytes,
                                          std::optional<std::uint64_t> size) = 0;
  virtual bool has_header(std::size_t file) const = 0;
  virtual Result<ModelSize> match() = 0;
  virtual Result<std::string> gguf_metadata() const = 0;
  virtual std::vector<std::string> quantised_by_rows() const = 0;
  virtual Status reserve(std::optional<std::uint64_t> limit) = 0;
  virtual Status read(std::size_t file, std::span<const std::byte> bytes) = 0;
  virtual Result<model::Model> finish() = 0;
};

}  // namespace ropewalk
