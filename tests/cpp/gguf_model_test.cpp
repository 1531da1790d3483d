// Decoders in GGUF files: blocks bit for bit, logits against float64, and files that must be refused.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>

#include "checkpoint.hpp"
#include "formats/gguf.hpp"
#include "formats/gguf_weights.hpp"
#include "golden.hpp"
#include "ropewalk/decoder.hpp"
#include "ropewalk/encoder.hpp"
#include "ropewalk/sentence.hpp"

namespace gguf_model_test {

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

/// The file of tests/golden/gguf-2 and what must hold of it.
struct Other {
  const char* name;
  std::size_t notes;
};

class GgufArchitectures : public testing::TestWithParam<Other> {};

// Held against llama.cpp by those who made them; the logits are Transformers' in float64.
TEST_P(GgufArchitectures, GiveTheLogitsOfTheReference) {
  const std::string path = std::string("gguf-2/") + GetParam().name;
  const nlohmann::json expected = golden::read(path + ".json");
  const Decoder model = raise(Decoder::make_gguf(checkpoint::bytes(path + ".gguf")));
  const std::vector<std::int32_t> ids = expected["ids"];
  const std::vector<double> reference = expected["logits"];
  double largest = 0;
  for (const double value : reference) largest = std::max(largest, std::fabs(value));
  KeyCache whole = model.cache();
  const std::span<const float> logits = whole.feed(ids, {.all = true});
  ASSERT_EQ(logits.size(), reference.size());
  double worst = 0;
  for (std::size_t i = 0; i < reference.size(); ++i)
    worst = std::max(worst, std::fabs(double{logits[i]} - reference[i]));
  EXPECT_LE(worst, 2e-5 * largest);
  EXPECT_EQ(model.notes().size(), GetParam().notes) << model.notes().front();
  std::printf("  %s: %.1e of %.1f\n", GetParam().name, worst, largest);
}

INSTANTIATE_TEST_SUITE_P(All, GgufArchitectures,
                         testing::Values(Other{"qwen3-q8_0", 0}, Other{"smollm3-bf16", 0},
                                         Other{"phi3-longrope-q8_0", 0}, Other{"granite-q8_0", 0},
                                         Other{"gemma2-q8_0", 1}, Other{"gemma3-q4_0", 1}),
                         [](const auto& info) {
                           std::string name = info.param.name;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

class GgufEncoders : public testing::TestWithParam<const char*> {};

TEST_P(GgufEncoders, GiveTheVectorsOfTheReference) {
  const std::string path = std::string("gguf-2/") + GetParam();
  const nlohmann::json expected = golden::read(path + ".json");
  Encoder model = raise(Encoder::make_gguf(checkpoint::bytes(path + ".gguf")));
  EXPECT_TRUE(model.notes().empty()) << model.notes().front();
  const std::vector<std::int32_t> ids = expected["ids"];
  const auto output = model.forward({.input_ids = ids, .sequence = ids.size()}, {.logits = false});
  const auto expect_near = [&](std::span<const float> found, const char* name) {
    const std::vector<double> reference = expected[name];
    ASSERT_EQ(found.size(), reference.size());
    double worst = 0;
    for (std::size_t i = 0; i < reference.size(); ++i)
      worst = std::max(worst, std::fabs(double{found[i]} - reference[i]));
    EXPECT_LE(worst, 1e-5) << name;
    std::printf("  %s, %s: %.1e\n", GetParam(), name, worst);
  };
  expect_near(output.last_hidden_state, "last_hidden_state");
  SentenceModules modules({}, model.spec().hidden);
  const auto sentence = modules.run({.hidden_states = output.last_hidden_state, .sequence = ids.size()},
                                    {.pooling = Pooling::mean});
  expect_near(sentence.embedding, "sentence_embedding");
}

TEST_P(GgufEncoders, AreNoDecoders) {
  const std::string path = std::string("gguf-2/") + GetParam();
  EXPECT_FALSE(Decoder::make_gguf(checkpoint::bytes(path + ".gguf")).ok());
}

INSTANTIATE_TEST_SUITE_P(All, GgufEncoders, testing::Values("bert-q8_0", "modern-bert-q8_0"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

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
