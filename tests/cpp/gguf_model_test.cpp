// Models in GGUF files that llama.cpp wrote: logits and vectors against float64, and files that must be refused.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "checkpoint.hpp"
#include "golden.hpp"
#include "ropewalk/decoder.hpp"
#include "ropewalk/encoder.hpp"
#include "ropewalk/sentence.hpp"

namespace gguf_model_test {

using namespace ropewalk;

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
