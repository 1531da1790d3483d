// The metadata of GGUF files as configurations, sound and wrong.

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <variant>
#include <vector>

#include "rope_configs.hpp"

namespace ropewalk {
namespace rope_config_gguf_test {

using namespace rope_configs;

TEST(RopeConfigGguf, ReadsDimensionsAndPairing) {
  EXPECT_EQ(of(gguf()).head_dim, 64u);
  EXPECT_EQ(of(gguf()).pairing, Pairing::interleaved);
  EXPECT_EQ(of(gguf(R"("A.attention.key_length": 128, "A.rope.dimension_count": 32,)", "gptneox")).head_dim,
            128u);
  EXPECT_EQ(of(gguf(R"("A.rope.dimension_count": 32,)", "gptneox")).rotary_dim, 32u);
  EXPECT_EQ(of(gguf("", "qwen2")).pairing, Pairing::half);
  const RopeOptions latent = of(gguf(R"("A.attention.kv_lora_rank": 512, "A.attention.key_length": 192,
      "A.rope.dimension_count": 64, "A.rope.scaling.type": "yarn", "A.rope.scaling.factor": 40,
      "A.rope.scaling.original_context_length": 4096, "A.rope.scaling.yarn_log_multiplier": 0.1,)",
                                     "deepseek2"));
  expect_shape(latent, 64, 64, Pairing::interleaved);
  EXPECT_EQ(Rope(latent).magnitude(), 1);
}

TEST(RopeConfigGguf, ReadsAxes) {
  RopeOptions options = of(gguf(R"("A.rope.dimension_sections": [8, 12, 12, 0],)", "qwen2vl"));
  EXPECT_EQ(options.axes->sections, (std::vector<std::size_t>{8, 12, 12}));
  EXPECT_EQ(options.axes->order, Axes::Order::chunked);
  options = of(gguf(R"("A.rope.dimension_sections": [12, 10, 10, 0],)", "qwen3vl"));
  EXPECT_EQ(options.axes->order, Axes::Order::interleaved);
  EXPECT_EQ(of(gguf("", "glm4")).pairing, Pairing::interleaved);
  EXPECT_EQ(of(gguf(R"("A.rope.dimension_sections": [8, 12, 12, 0],)", "glm4")).pairing, Pairing::half);
}

TEST(RopeConfigGguf, ReadsScaling) {
  EXPECT_EQ(std::get<frequencies::Linear>(
                of(gguf(R"("A.rope.scaling.type": "linear", "A.rope.scaling.factor": 4,)")).frequencies)
                .factor,
            4);
  // llama.cpp's default type; its older key.
  EXPECT_EQ(std::get<frequencies::Linear>(of(gguf(R"("A.rope.scaling.factor": 4,)")).frequencies).factor, 4);
  EXPECT_EQ(std::get<frequencies::Linear>(of(gguf(R"("A.rope.scale_linear": 4,)")).frequencies).factor, 4);
  EXPECT_TRUE(std::holds_alternative<frequencies::Default>(
      of(gguf(R"("A.rope.scaling.type": "none",)")).frequencies));
  const Rope yarn(
      of(gguf(R"("A.rope.scaling.type": "yarn", "A.rope.scaling.factor": 4, "A.rope.scaling.attn_factor": 0.5,
      "A.rope.scaling.yarn_beta_fast": 24, "A.rope.scaling.yarn_beta_slow": 2, "A.rope.scaling.yarn_ext_factor": 1.0,
      "A.rope.scaling.yarn_attn_factor": 2.0,)")));
  EXPECT_NEAR(yarn.magnitude(), 1 + 0.1 * std::log(4.0), 1e-15);
  const RopeOptions sliding = of(gguf(R"("A.rope.freq_base": 1e6, "A.rope.freq_base_swa": 1e4,
      "A.attention.key_length": 128, "A.attention.key_length_swa": 32, "A.rope.scaling.factor": 8,)",
                                      "gemma3"),
                                 {.layer_type = "sliding_attention"});
  EXPECT_EQ(std::get<frequencies::Default>(sliding.frequencies).base, 1e4);
  EXPECT_EQ(sliding.head_dim, 32u);
}

TEST(RopeConfigGguf, ReadsTheFactorsThatAreTensors) {
  const std::string four = R"("A.attention.key_length": 4, )";
  const Rope divided(of(gguf(four + R"("rope_freqs.weight": [2, 1e30],)")));
  EXPECT_NEAR(divided.frequencies()[0], 0.5, 1e-15);
  EXPECT_EQ(divided.frequencies()[1], 0);
  const std::string factors =
      four + R"("rope_factors_short.weight": [1, 2], "rope_factors_long.weight": [4, 8],
      "A.rope.scaling.original_context_length": 4096, "A.rope.scaling.attn_factor": 1.19,)";
  const Rope longer(of(gguf(factors, "phi3"), {.sequence_length = 4097}));
  EXPECT_NEAR(longer.frequencies()[1], 0.01 / 8, 1e-15);
  EXPECT_EQ(longer.magnitude(), 1.19);
  expect_type_error(gguf(factors, "phi3"), {"`sequence_length` is missing", "up to 4096 tokens"});
}

TEST(RopeConfigGgufErrors, Architectures) {
  expect_range_error(gguf("", "lama"), {"`general.architecture` is \"lama\"", "did you mean \"llama\"?"});
  expect_range_error(gguf("", "gpt2"), {"`general.architecture` is \"gpt2\"", "rotary"});
  expect_range_error(gguf("", "bert"), {"`general.architecture` is \"bert\"", "rotary"});
  expect_range_error(gguf(R"("A.rope.scaling.finetuned": false,)", "granitehybrid"),
                     {"`granitehybrid.rope.scaling.finetuned` is false", "nothing rotates"});
  expect_range_error(R"({"general.architecture": "baichuan", "baichuan.block_count": 40})",
                     {"`baichuan.block_count` is 40"});
  expect_range_error(gguf("", "zzzzzzzzzzzzzzzzzzzzzzzzz"), {"architectures of llama.cpp that rotate"});
  expect_type_error(R"({"general.architecture": 3})", {"`general.architecture` is 3; allowed: a text"});
  expect_type_error(R"({"general.architecture": null})", {"`general.architecture` is missing"});
}

TEST(RopeConfigGgufErrors, UnknownKeys) {
  expect_unknown(gguf(R"("A.rope.freq_bas": 1,)"),
                 {"unknown key `llama.rope.freq_bas`; did you mean `llama.rope.freq_base`?"});
  expect_unknown(gguf(R"("A.rope.scaling.kind": "yarn",)"), {"`llama.rope.scaling.kind`"});
  expect_unknown(gguf(R"("rope_freq.weight": [1],)"), {"did you mean `rope_freqs.weight`?"});
}

TEST(RopeConfigGgufErrors, MissingKeysAndWrongOnes) {
  expect_type_error(R"({"general.architecture": "llama"})", {"`llama.attention.key_length` is missing"});
  expect_type_error(R"({"general.architecture": "llama", "llama.embedding_length": 8})",
                    {"head_count` is missing"});
  expect_type_error(R"({"general.architecture": "llama", "llama.attention.head_count": 8})",
                    {"embedding_length` is missing"});
  expect_type_error(gguf(R"("A.attention.kv_lora_rank": 8,)", "deepseek2"),
                    {"rope.dimension_count` is missing"});
  expect_type_error(gguf("", "qwen2vl"), {"`qwen2vl.rope.dimension_sections` is missing"});
  expect_type_error(gguf(R"("A.rope.scaling.type": "yarn",)"), {"`llama.rope.scaling.factor` is missing"});
  expect_type_error(R"({"general.architecture": "llama", "llama.attention.key_length": 8,
      "llama.rope.scaling.type": "yarn", "llama.rope.scaling.factor": 2})",
                    {"original_context_length` is missing"});
  expect_type_error(gguf(R"("A.rope.scaling.type": "longrope",)"), {"`rope_factors_short.weight` is missing"},
                    {.sequence_length = 9});
  expect_type_error(gguf(R"("A.rope.freq_base": "x",)"), {"`llama.rope.freq_base` is \"x\""});
  expect_range_error(gguf(R"("A.rope.freq_base": 0,)"), {"`llama.rope.freq_base` is 0"});
  expect_range_error(gguf(R"("A.rope.dimension_count": 66,)"), {"dimension_count` is 66", "64"});
  expect_range_error(gguf(R"("A.rope.dimension_count": 31,)"), {"dimension_count` is 31", "even"});
  expect_range_error(gguf(R"("A.attention.key_length": 63,)"), {"key_length` is 63", "even"});
  expect_range_error(
      R"({"general.architecture": "llama", "llama.embedding_length": 9, "llama.attention.head_count": 2})",
      {"`llama.embedding_length` is 9", "a multiple"});
  expect_range_error(gguf(R"("A.rope.scaling.type": "dynamic",)"),
                     {"scaling.type` is \"dynamic\"", "\"yarn\""});
  expect_range_error(gguf(R"("A.rope.scaling.factor": 0.25,)"),
                     {"scaling.factor` is 0.25; allowed: a number of at least 1"});
  expect_range_error(gguf(R"("A.rope.scaling.factor": 2, "A.rope.scale_linear": 4,)"),
                     {"scale_linear` is 4"});
  expect_range_error(gguf(R"("A.rope.scaling.type": "none", "A.rope.scaling.factor": 2,)"),
                     {"scaling.factor` is 2"});
  expect_range_error(gguf(R"("A.rope.scaling.attn_factor": 1.19,)"),
                     {"attn_factor` is 1.19", "`rope_factors_long.weight`"});
  expect_range_error(gguf(R"("A.rope.scaling.yarn_beta_fast": 32,)"), {"yarn_beta_fast` is 32", "\"none\""});
  const std::string yarn = R"("A.rope.scaling.type": "yarn", "A.rope.scaling.factor": 2, )";
  expect_range_error(gguf(yarn + R"("A.rope.scaling.yarn_ext_factor": 0.5,)"), {"yarn_ext_factor` is 0.5"});
  expect_range_error(gguf(yarn + R"("A.rope.scaling.yarn_beta_slow": 64,)"), {"yarn_beta_fast` is 32"});
  expect_range_error(gguf(yarn + R"("A.rope.freq_base": 1,)"),
                     {"freq_base` is 1; allowed: a number above 1"});
  expect_range_error(gguf(yarn + R"("rope_freqs.weight": [1],)"), {"rope_freqs.weight` is an array of 1"});
  expect_range_error(
      gguf(R"("A.rope.scaling.type": "yarn", "A.rope.scaling.factor": 2, "A.attention.key_length": 2,
      "rope_freqs.weight": [1],)"),
      {"scaling.type` is \"yarn\"", "`rope_freqs.weight`"});
  expect_range_error(gguf(R"("rope_factors_short.weight": [1], "A.rope.scaling.type": "linear",)"),
                     {"scaling.type` is \"linear\"; allowed: \"longrope\""});
  expect_range_error(gguf(R"("A.rope.dimension_sections": [8, 12, 12, 0],)"),
                     {"dimension_sections`", "one axis"});
  expect_range_error(gguf(R"("A.rope.dimension_sections": [8, 12, 13, 0],)", "qwen2vl"),
                     {"sections of 33 pairs", "32"});
  const std::string sliding = gguf(R"("A.rope.freq_base_swa": 1e4,)", "gemma3");
  expect_type_error(sliding, {"`layer_type` is missing", "\"full_attention\" or \"sliding_attention\""});
  expect_range_error(sliding, {"`layer_type` is \"x\""}, {.layer_type = "x"});
  expect_range_error(gguf(R"("A.rope.dimension_count_swa": 31,)", "gemma3"),
                     {"dimension_count` is 31", "even"}, {.layer_type = "sliding_attention"});
  expect_range_error(gguf(), {"`layer_type` is \"x\"; allowed: none"}, {.layer_type = "x"});
}

TEST(RopeConfigGguf, ReadsTheArchitecturesOf2026) {
  for (const char* norm : {"cohere2moe", "deepseek32", "deepseek4", "deepseek2-ocr", "eagle3", "mistral4"}) {
    EXPECT_EQ(of(gguf("", norm)).pairing, Pairing::interleaved) << norm;
  }
  for (const char* neox :
       {"dflash", "gemma4-assistant", "hunyuan_vl", "hy_v3", "laguna", "mellum", "talkie"}) {
    EXPECT_EQ(of(gguf("", neox)).pairing, Pairing::half) << neox;
  }
  EXPECT_EQ(
      std::get<frequencies::Ntk>(of(gguf(R"("A.rope.scaling.alpha": 1000,)", "hunyuan-dense")).frequencies)
          .factor,
      1000);
  expect_range_error(gguf(R"("A.rope.scaling.alpha": 1000,)"), {"`llama.rope.scaling.alpha` is 1000"});
}

TEST(RopeConfigGguf, SlidingLayersByArchitecture) {
  const std::string scaled =
      R"("A.rope.freq_base": 1e6, "A.attention.key_length": 256, "A.attention.sliding_window": 512,
      "A.rope.scaling.type": "linear", "A.rope.scaling.factor": 8,)";
  for (const char* architecture : {"gemma3", "gemma3n", "gemma-embedding", "olmo2", "laguna"}) {
    SCOPED_TRACE(architecture);
    const std::string metadata = gguf(scaled, architecture);
    EXPECT_EQ(std::get<frequencies::Linear>(of(metadata, {.layer_type = "full_attention"}).frequencies).base,
              1e6);
    const bool gemma = std::string(architecture).starts_with("gemma");
    EXPECT_EQ(
        std::get<frequencies::Default>(of(metadata, {.layer_type = "sliding_attention"}).frequencies).base,
        gemma ? 10000 : 1e6);
    expect_note(reading_of(metadata, {.layer_type = "sliding_attention"}), "those of the architecture");
    expect_type_error(metadata, {"`layer_type` is missing", "by architecture"});
  }
  // OLMo 2 has no window.
  EXPECT_TRUE(try_rope_options_from_config(gguf("", "olmo2")).ok());
}

}  // namespace rope_config_gguf_test
}  // namespace ropewalk
