// Any bytes as a GGUF file, or as the weights of a golden Llama, read whole and in pieces: both ways are refused, or give
// the same logits.

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "golden_models.hpp"
#include "ropewalk/loading.hpp"
#include "target.hpp"

namespace {

using namespace ropewalk;
using fuzz::require;

constexpr std::uint64_t most_memory = 16 << 20;
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

Result<Decoder> in_pieces(Result<DecoderLoader> made, std::span<const std::byte> file, std::size_t piece) {
  if (!made.ok()) return made.status();
  DecoderLoader& loader = made.value();
  std::size_t at = 0;
  const auto next = [&] { return file.subspan(at, std::min(piece, file.size() - at)); };
  while (!loader.has_header(0) && at < file.size()) {
    const Result<std::size_t> taken = loader.try_read_header(0, next(), file.size());
    if (!taken.ok()) return taken.status();
    require(taken.value() <= next().size(), "no more bytes are taken than there were");
    at += taken.value();
  }
  const Result<ModelSize> size = loader.try_match();
  if (!size.ok()) return size.status();
  require(size.value().peak >= size.value().loaded, "loading needs what is kept at least");
  if (Status status = loader.try_reserve(most_memory); !status.ok()) return status;
  while (at < file.size()) {
    const std::span<const std::byte> bytes = next();
    if (Status status = loader.try_read(0, bytes); !status.ok()) return status;
    at += bytes.size();
  }
  return loader.try_finish();
}

bool same(float a, float b) { return a == b || (a != a && b != b); }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::Input input(data, size);
  const std::span<const std::byte> file = input.bytes();
  const bool is_gguf = input.text().starts_with("GGUF");
  static const std::string config = fuzz::golden_text("decoders/llama-one-layer/config.json");
  // Small pieces for small files, so that every boundary is met, and not 64,000 calls for a large one.
  const std::size_t piece = 1 + size / 64 + (size == 0 ? 0 : data[size - 1] % 16);
  const Result<Decoder> pieces = in_pieces(
      is_gguf ? DecoderLoader::make_gguf(options) : DecoderLoader::make(config, 1, options), file, piece);
  if (!pieces.ok()) {
    fuzz::require_words(pieces.status());
    // It may be too large for the limit above, which the other way does not have.
    if (pieces.status().code() == Status::Code::out_of_memory) return 0;
  }
  const Result<Decoder> whole =
      is_gguf ? Decoder::make_gguf(file, options) : Decoder::make(config, file, options);
  require(whole.ok() == pieces.ok(), "a file that is refused whole is refused in pieces",
          whole.ok() ? pieces.status().message() : whole.status().message());
  if (!whole.ok()) return 0;
  const auto expected = logits_of(whole.value()), found = logits_of(pieces.value());
  require(expected.has_value() == found.has_value(), "both can be fed, or neither");
  require(!expected || std::ranges::equal(*expected, *found, same), "both predict the same");
  return 0;
}
