// GGUF files of encoders, read whole and in pieces: both ways are refused, or give the same vectors. An input is such a
// file, or changes of a golden one, whose weights would fill any input: places, and the bytes that stand there instead.

#include "ropewalk/encoder.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "golden_models.hpp"
#include "pieces.hpp"

namespace {

using namespace ropewalk;
using fuzz::require;

/// Metadata, vocabulary and tensor infos of the golden files end here.
constexpr std::size_t header = 8192;

std::vector<std::byte> changed(fuzz::Numbers& numbers) {
  static const std::vector<std::byte> golden[] = {fuzz::golden_bytes("gguf-2/bert-q8_0.gguf"),
                                                  fuzz::golden_bytes("gguf-2/modern-bert-q8_0.gguf")};
  std::vector<std::byte> file = golden[numbers.whole(0, 1)];
  while (!numbers.ended()) {
    const std::size_t how = numbers.whole(0, 7);
    const std::size_t within = std::min(how == 7 ? file.size() : header, file.size());
    const std::size_t at = within == 0 ? 0 : numbers.raw<std::uint32_t>() % within;
    const auto place = file.begin() + static_cast<std::ptrdiff_t>(at);
    const auto bytes = numbers.bytes(16);
    const std::size_t over = std::min(bytes.size(), file.size() - at);
    if (how == 0) {
      file.erase(place, place + static_cast<std::ptrdiff_t>(over));
    } else if (how == 1) {
      for (std::size_t i = 0; i < bytes.size(); ++i)
        file.insert(file.begin() + static_cast<std::ptrdiff_t>(at + i), static_cast<std::byte>(bytes[i]));
    } else if (how == 2 && bytes.empty()) {
      file.resize(at);
    } else {
      std::transform(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(over), place,
                     [](std::uint8_t each) { return static_cast<std::byte>(each); });
    }
  }
  file.shrink_to_fit();
  return file;
}

std::optional<std::vector<float>> states_of(Encoder& encoder) {
  const std::vector<std::int32_t> ids = {0, 1, 0};
  EncoderOutput output;
  if (const Status status = encoder.try_forward({.input_ids = ids, .sequence = ids.size()}, {}, output);
      !status.ok()) {
    fuzz::require_words(status);
    return std::nullopt;
  }
  return std::vector(output.last_hidden_state.begin(), output.last_hidden_state.end());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::Input input(data, size);
  fuzz::Numbers numbers(data, size);
  std::vector<std::byte> made;
  if (!input.text().starts_with("GGUF")) made = changed(numbers);
  const std::span<const std::byte> file = made.empty() ? input.bytes() : std::span<const std::byte>(made);
  const Precision precision = size % 2 == 0 ? Precision::float32 : Precision::int8;
  Result<Encoder> pieces = fuzz::in_pieces(EncoderLoader::make_gguf(precision), file);
  if (!pieces.ok()) {
    fuzz::require_words(pieces.status());
    // It may be too large for the limit of pieces.hpp, which the other way does not have.
    if (pieces.status().code() == Status::Code::out_of_memory) return 0;
  }
  Result<Encoder> whole = Encoder::make_gguf(file, precision);
  require(whole.ok() == pieces.ok(), "a file that is refused whole is refused in pieces",
          whole.ok() ? pieces.status().message() : whole.status().message());
  if (!whole.ok()) return 0;
  const auto expected = states_of(whole.value()), found = states_of(pieces.value());
  require(expected.has_value() == found.has_value(), "both can be run, or neither");
  require(!expected || std::ranges::equal(*expected, *found, fuzz::same), "both give the same states");
  return 0;
}
