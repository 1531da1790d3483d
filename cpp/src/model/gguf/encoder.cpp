// Encoders in GGUF files.

#include "base/text.hpp"
#include "model/gguf/loader.hpp"
#include "model/loading/encoder_loader.hpp"

namespace ropewalk {

/// A GGUF file is file 0.
struct EncoderLoader::FromGguf final : EncoderLoader::State {
  FromGguf(Precision precision, Threads* threads) : loader({.precision = precision, .threads = threads}) {}

  Result<std::size_t> read_header(std::size_t, std::span<const std::byte> bytes,
                                  std::optional<std::uint64_t> size) override {
    return loader.read_header(bytes, size);
  }
  bool has_header(std::size_t) const override { return loader.has_header(); }
  Result<ModelSize> match() override { return loader.match(false); }
  Result<std::string> gguf_metadata() const override { return loader.metadata(); }
  std::vector<std::string> quantised_by_rows() const override { return loader.quantised_by_rows(); }
  Status reserve(std::optional<std::uint64_t> limit) override { return loader.reserve(limit); }
  Status read(std::size_t, std::span<const std::byte> bytes) override { return loader.read(bytes); }
  Result<model::Model> finish() override { return loader.finish(); }

  model::GgufLoader loader;
};

Result<EncoderLoader> EncoderLoader::make_gguf(Precision precision, Threads* threads) {
  return EncoderLoader(std::make_unique<FromGguf>(precision, threads));
}

Result<Encoder> Encoder::make_gguf(std::span<const std::byte> file, Precision precision, Threads* threads) {
  ROPEWALK_LET(made, EncoderLoader::make_gguf(precision, threads));
  return model::load_gguf(made, file);
}

}  // namespace ropewalk
