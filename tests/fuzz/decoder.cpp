// Any bytes as a GGUF file, or as the weights of a golden Llama, read whole and in pieces: both ways are refused, or give
// the same logits.

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "golden_models.hpp"
#include "pieces.hpp"

namespace {

using namespace ropewalk;
using fuzz::require;

constexpr DecoderOptions options = {.context = 16};

/// Logits of three tokens.
std::optional<std::vector<float>> logits_of(const Decoder& decoder) {
  Result<KeyCache> cache = decoder.try_cache();
  if (!cache.ok()) return std::nullopt;
  const std::vector<std::int32_t> ids = {0, 1, 0};
  std::span<const float> logits;
  if (const Status status = cache.value().try_feed(ids, {}, logits); !status.ok()) {
    fuzz::require_words(status);
    return std::nullopt;
  }
  return std::vector(logits.begin(), logits.end());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::Input input(data, size);
  const std::span<const std::byte> file = input.bytes();
  const bool is_gguf = input.text().starts_with("GGUF");
  static const std::string config = fuzz::golden_text("decoders/llama-one-layer/config.json");
  const Result<Decoder> pieces = fuzz::in_pieces(
      is_gguf ? DecoderLoader::make_gguf(options) : DecoderLoader::make(config, 1, options), file);
  if (!pieces.ok()) {
    fuzz::require_words(pieces.status());
    // It may be too large for the limit of pieces.hpp, which the other way does not have.
    if (pieces.status().code() == Status::Code::out_of_memory) return 0;
  }
  const Result<Decoder> whole =
      is_gguf ? Decoder::make_gguf(file, options) : Decoder::make(config, file, options);
  require(whole.ok() == pieces.ok(), "a file that is refused whole is refused in pieces",
          whole.ok() ? pieces.status().message() : whole.status().message());
  if (!whole.ok()) return 0;
  const auto expected = logits_of(whole.value()), found = logits_of(pieces.value());
  require(expected.has_value() == found.has_value(), "both can be fed, or neither");
  require(!expected || std::ranges::equal(*expected, *found, fuzz::same), "both predict the same");
  return 0;
}
