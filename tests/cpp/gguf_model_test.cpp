// Decoders in GGUF files: blocks bit for bit, logits against float64, and files that must be refused.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <filesystem>

#include "checkpoint.hpp"
#include "formats/gguf.hpp"
#include "formats/gguf_weights.hpp"
#include "golden.hpp"
#include "ropewalk/decoder.hpp"

namespace gguf_model_test {

using namespace ropewalk;

std::vector<std::byte> from_hex(const std::string& text) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < text.size(); i += 2)
    bytes.push_back(static_cast<std::byte>(std::stoi(text.substr(i, 2), nullptr, 16)));
  return bytes;
}

TEST(GgufWeights, OfBlocksAreThoseOfTheReferenceBitForBit) {
  std::size_t checked = 0;
  const nlohmann::json file = golden::read("gguf/blocks.json");
  for (const auto& each : file["cases"]) {
    const std::string name = each["type"];
    SCOPED_TRACE(name);
    const gguf::TensorType* type = gguf::tensor_type(name);
    ASSERT_NE(type, nullptr);
    const std::vector<std::byte> data = from_hex(each["bytes"]);
    const std::vector<std::uint32_t> expected = each["weights_bits"];
    std::vector<float> weights(expected.size());
    ASSERT_EQ(data.size(), weights.size() / type->elements * type->bytes);
    gguf::read_blocks(*type, data, weights);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const auto bits = std::bit_cast<std::uint32_t>(weights[i]);
      if (bits << 1 == 0 && expected[i] << 1 == 0) continue;  // either zero
      ASSERT_EQ(bits, expected[i]) << i;
    }
    ++checked;
  }
  EXPECT_GE(checked, 6u);
}

TEST(GgufModels, GiveTheLogitsOfTheReference) {
  for (const char* name :
       {"llama-f32", "llama-q8_0", "llama-q4_0-rope-freqs", "llama-k", "qwen2-f16", "qwen2-bf16"}) {
    SCOPED_TRACE(name);
    const nlohmann::json expected = golden::read(std::string("gguf/") + name + ".json");
    const Decoder model = raise(Decoder::make_gguf(checkpoint::bytes(std::string("gguf/") + name + ".gguf")));
    KeyCache cache = model.cache();
    const std::vector<std::int32_t> ids = expected["ids"];
    const std::span<const float> logits = cache.feed(ids, {.all = true});
    const std::vector<double> reference = expected["logits"];
    ASSERT_EQ(logits.size(), reference.size());
    double worst = 0;
    for (std::size_t i = 0; i < reference.size(); ++i)
      worst = std::max(worst, std::fabs(double{logits[i]} - reference[i]));
    EXPECT_LE(worst, 2e-5);
    EXPECT_TRUE(model.notes().empty()) << model.notes().front();
    EXPECT_NE(model.config().find("general.architecture"), std::string::npos);
    std::printf("  %s: %.1e\n", name, worst);
  }
}

TEST(GgufModels, RefuseHostileFiles) {
  const nlohmann::json file = golden::read("gguf/hostile/hostile.json");
  std::size_t refused = 0;
  for (const auto& each : file["files"]) {
    const std::string name = each["file"];
    const Result<Decoder> made = Decoder::make_gguf(checkpoint::bytes("gguf/hostile/" + name));
    EXPECT_FALSE(made.ok()) << name << ": " << each["why"];
    EXPECT_FALSE(made.status().message().empty()) << name;
    refused += made.ok() ? 0 : 1;
  }
  EXPECT_EQ(refused, file["files"].size());
  EXPECT_GE(refused, 50u);
  EXPECT_TRUE(Decoder::make_gguf(checkpoint::bytes("gguf/hostile/good.gguf")).ok())
      << Decoder::make_gguf(checkpoint::bytes("gguf/hostile/good.gguf")).status().message();
}

}  // namespace gguf_model_test
