// Blocks of weights in GGUF files, bit for bit.

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <span>

#include "checkpoint.hpp"
#include "formats/gguf.hpp"
#include "formats/gguf_weights.hpp"
#include "golden.hpp"

namespace gguf_weights_test {

using namespace ropewalk;

std::vector<std::byte> from_hex(const std::string& text) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < text.size(); i += 2)
    bytes.push_back(static_cast<std::byte>(std::stoi(text.substr(i, 2), nullptr, 16)));
  return bytes;
}

/// Reads the blocks of a file; how many types it holds.
std::size_t check_blocks(const char* path) {
  std::size_t checked = 0;
  const nlohmann::json file = golden::read(path);
  for (const auto& each : file["cases"]) {
    const std::string name = each["type"];
    SCOPED_TRACE(name);
    const gguf::TensorType* type = gguf::tensor_type(name);
    if (type == nullptr || !gguf::is_readable(*type)) {
      ADD_FAILURE() << name << " is not read";
      continue;
    }
    const std::vector<std::byte> data = from_hex(each["bytes"]);
    const std::vector<std::uint32_t> expected = each["weights_bits"];
    std::vector<float> weights(expected.size());
    EXPECT_EQ(data.size(), weights.size() / type->elements * type->bytes);
    gguf::read_blocks(*type, data, weights);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const auto bits = std::bit_cast<std::uint32_t>(weights[i]);
      if (bits << 1 == 0 && expected[i] << 1 == 0) continue;  // either zero
      EXPECT_EQ(bits, expected[i]) << i;
    }
    ++checked;
  }
  return checked;
}

TEST(GgufWeights, OfBlocksAreThoseOfTheReferenceBitForBit) {
  EXPECT_GE(check_blocks("gguf/blocks.json"), 6u);
  EXPECT_EQ(check_blocks("gguf-2/blocks.json"), 4u);
}

/// CRC-32 of IEEE 802.3, as zlib has it.
std::uint32_t crc32(std::span<const std::byte> bytes) {
  std::uint32_t crc = ~0U;
  for (const std::byte each : bytes) {
    crc ^= static_cast<std::uint32_t>(each);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320U : 0);
  }
  return ~crc;
}

TEST(GgufWeights, OfWholeFilesAreThoseOfTheReference) {
  std::size_t checked = 0;
  for (const char* name : {"bert-q8_0", "gemma2-q8_0", "gemma3-q4_0", "granite-q8_0", "modern-bert-q8_0",
                           "phi3-longrope-q8_0", "qwen3-q8_0", "smollm3-bf16"}) {
    const std::string path = std::string("gguf-2/") + name;
    const std::vector<std::byte> file = checkpoint::bytes(path + ".gguf");
    const auto header = gguf::Header::open(file, file.size());
    ASSERT_TRUE(header.ok()) << name << ": " << header.status().message();
    const nlohmann::json expected = golden::read(path + ".json");
    for (const auto& each : expected["tensors"]) {
      const gguf::Tensor* tensor = header.value().tensor(each["name"].get<std::string>());
      ASSERT_NE(tensor, nullptr) << name << " " << each["name"];
      std::vector<float> weights(tensor->elements);
      gguf::read_blocks(*tensor->type, std::span(file).subspan(tensor->offset, tensor->bytes), weights);
      EXPECT_EQ(crc32(std::as_bytes(std::span(weights))), each["crc32"].get<std::uint32_t>())
          << name << " " << each["name"];
      ++checked;
    }
  }
  EXPECT_GT(checked, 300u);
}

}  // namespace gguf_weights_test
