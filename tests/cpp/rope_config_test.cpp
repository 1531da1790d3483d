// Configurations as models publish them.

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <variant>
#include <vector>

#include "rope_configs.hpp"

namespace ropewalk {
namespace rope_config_test {

using namespace rope_configs;

RopeOptions read(const std::string& name, const ConfigOptions& options = {}) {
  return rope_options_from_config(fixture(name), options);
}

TEST(RopeConfigFixtures, Llama2) {
  const RopeOptions options = read("llama-2-7b");
  expect_shape(options, 128, 128, Pairing::half);
  EXPECT_EQ(std::get<frequencies::Default>(options.frequencies).base, 10000);
  EXPECT_FALSE(options.axes);
}

TEST(RopeConfigFixtures, Llama31And32) {
  RopeOptions options = read("llama-3.1-8b");
  expect_shape(options, 128, 128, Pairing::half);
  auto rule = std::get<frequencies::Llama3>(options.frequencies);
  EXPECT_EQ(rule.base, 500000);
  EXPECT_EQ(rule.factor, 8);
  EXPECT_EQ(rule.low_frequency_factor, 1);
  EXPECT_EQ(rule.high_frequency_factor, 4);
  EXPECT_EQ(rule.original_max_positions, 8192);
  const Rope rope(options);
  EXPECT_NEAR(rope.frequencies()[29], 2.166571e-3, 1e-9);
  EXPECT_NEAR(rope.frequencies()[63], 3.068926e-7, 1e-13);

  options = read("llama-3.2-1b");
  expect_shape(options, 64, 64, Pairing::half);
  EXPECT_EQ(std::get<frequencies::Llama3>(options.frequencies).factor, 32);
}

TEST(RopeConfigFixtures, Qwen2VL) {
  const RopeOptions options = read("qwen2-vl-7b");
  expect_shape(options, 128, 128, Pairing::half);
  EXPECT_EQ(std::get<frequencies::Default>(options.frequencies).base, 1000000);
  ASSERT_TRUE(options.axes);
  EXPECT_EQ(options.axes->sections, (std::vector<std::size_t>{16, 24, 24}));
  EXPECT_EQ(options.axes->order, Axes::Order::chunked);
  EXPECT_FALSE(options.axes->restart_frequencies);
}

TEST(RopeConfigFixtures, Qwen3VL) {
  const RopeOptions options = read("qwen3-vl-8b");
  expect_shape(options, 128, 128, Pairing::half);
  EXPECT_EQ(std::get<frequencies::Default>(options.frequencies).base, 5000000);
  ASSERT_TRUE(options.axes);
  EXPECT_EQ(options.axes->sections, (std::vector<std::size_t>{24, 20, 20}));
  EXPECT_EQ(options.axes->order, Axes::Order::interleaved);
}

TEST(RopeConfigFixtures, Phi3) {
  const RopeOptions options = read("phi-3-mini-128k", {.sequence_length = 4096});
  expect_shape(options, 96, 96, Pairing::half);
  const auto rule = std::get<frequencies::LongRope>(options.frequencies);
  EXPECT_EQ(rule.base, 10000);
  EXPECT_EQ(rule.short_factor.size(), 48u);
  EXPECT_EQ(rule.long_factor.size(), 48u);
  EXPECT_EQ(rule.short_factor[4], 1.02);
  EXPECT_EQ(rule.long_factor[0], 1.08);
  EXPECT_EQ(rule.original_max_positions, 4096);
  EXPECT_EQ(rule.sequence_length, 4096);
  EXPECT_EQ(rule.factor, 32);
  EXPECT_EQ(rule.attention_factor, std::nullopt);
  const Rope at_the_limit(options), beyond(read("phi-3-mini-128k", {.sequence_length = 4097}));
  EXPECT_NEAR(at_the_limit.magnitude(), 1.1902380714238083, 1e-15);
  EXPECT_NEAR(at_the_limit.frequencies()[4], std::pow(10000.0, -8.0 / 96) / 1.02, 1e-15);
  EXPECT_NEAR(beyond.frequencies()[4], std::pow(10000.0, -8.0 / 96) / rule.long_factor[4], 1e-15);
}

TEST(RopeConfigFixtures, DeepSeekV3) {
  const RopeOptions options = read("deepseek-v3");
  expect_shape(options, 64, 64, Pairing::interleaved);
  const auto rule = std::get<frequencies::Yarn>(options.frequencies);
  EXPECT_EQ(rule.base, 10000);
  EXPECT_EQ(rule.factor, 40);
  EXPECT_EQ(rule.original_max_positions, 4096);
  EXPECT_EQ(rule.beta_fast, 32);
  EXPECT_EQ(rule.beta_slow, 1);
  EXPECT_EQ(rule.mscale, 1);
  EXPECT_EQ(rule.mscale_all_dim, 1);
  EXPECT_TRUE(rule.truncate);
  EXPECT_EQ(Rope(options).magnitude(), 1);
}

TEST(RopeConfigFixtures, GptOss) {
  const RopeOptions options = read("gpt-oss-20b");
  expect_shape(options, 64, 64, Pairing::half);
  const auto rule = std::get<frequencies::Yarn>(options.frequencies);
  EXPECT_EQ(rule.base, 150000);
  EXPECT_EQ(rule.factor, 32);
  EXPECT_EQ(rule.original_max_positions, 4096);
  EXPECT_FALSE(rule.truncate);
  EXPECT_NEAR(Rope(options).magnitude(), 0.1 * std::log(32.0) + 1, 1e-15);
  EXPECT_TRUE(try_rope_options_from_config(fixture("gpt-oss-20b"), {.layer_type = "sliding_attention"}).ok());
}

TEST(RopeConfigFixtures, GptNeoX) {
  const RopeOptions options = read("gpt-neox-20b");
  expect_shape(options, 96, 24, Pairing::half);
  EXPECT_EQ(std::get<frequencies::Default>(options.frequencies).base, 10000);
}

TEST(RopeConfigFixtures, GptJ) {
  const RopeOptions options = read("gpt-j-6b");
  expect_shape(options, 256, 64, Pairing::interleaved);
  EXPECT_EQ(std::get<frequencies::Default>(options.frequencies).base, 10000);
}

TEST(RopeConfigFixtures, Gemma4ByLayerType) {
  const RopeOptions full = read("gemma-4-31b", {.layer_type = "full_attention"});
  expect_shape(full, 512, 512, Pairing::half);
  const auto rule = std::get<frequencies::Proportional>(full.frequencies);
  EXPECT_EQ(rule.base, 1000000);
  EXPECT_EQ(rule.fraction, 0.25);
  EXPECT_EQ(rule.factor, 1);
  const Rope rope(full);
  EXPECT_GT(rope.frequencies()[63], 0);
  EXPECT_EQ(rope.frequencies()[64], 0);

  const RopeOptions sliding = read("gemma-4-31b", {.layer_type = "sliding_attention"});
  expect_shape(sliding, 256, 256, Pairing::half);
  EXPECT_EQ(std::get<frequencies::Default>(sliding.frequencies).base, 10000);
}

TEST(RopeConfigFixtures, RoFormer) {
  const RopeOptions options = read("roformer-chinese-base");
  expect_shape(options, 64, 64, Pairing::interleaved);
  EXPECT_EQ(std::get<frequencies::Default>(options.frequencies).base, 10000);
}

TEST(RopeConfigFixtures, GgufLlama) {
  const RopeOptions options = read("gguf-llama-2-7b");
  expect_shape(options, 128, 128, Pairing::interleaved);
  EXPECT_EQ(std::get<frequencies::Default>(options.frequencies).base, 10000);
}

TEST(RopeConfigFixtures, GgufYarn) {
  const RopeOptions options = read("gguf-gpt-oss-20b");
  expect_shape(options, 64, 64, Pairing::half);
  const auto rule = std::get<frequencies::Yarn>(options.frequencies);
  EXPECT_EQ(rule.base, 150000);
  EXPECT_EQ(rule.factor, 32);
  EXPECT_EQ(rule.original_max_positions, 4096);
  EXPECT_EQ(rule.attention_factor, std::nullopt);
  EXPECT_NEAR(Rope(options).magnitude(), 0.1 * std::log(32.0) + 1, 1e-15);
}

TEST(RopeConfig, ReadsOldAndNewNames) {
  for (const char* more :
       {R"("rope_theta": 5e5,)", R"("rotary_emb_base": 5e5,)", R"("global_rope_theta": 5e5,)",
        R"("rope_parameters": {"rope_theta": 500000},)",
        R"("rope_parameters": {"rope_type": "default", "rope_theta": 5e5}, "rope_theta": 5e5,)"}) {
    EXPECT_EQ(std::get<frequencies::Default>(of(unnamed(more)).frequencies).base, 5e5) << more;
  }
  for (const char* more : {R"("partial_rotary_factor": 0.5,)", R"("rotary_pct": 0.5,)", R"("rope_pct": 0.5,)",
                           R"("rotary_dim": 32,)", R"("rope_parameters": {"partial_rotary_factor": 0.5},)",
                           R"("partial_rotary_factor": 0.5, "rotary_dim": 32,)"}) {
    EXPECT_EQ(of(unnamed(more)).rotary_dim, 32u) << more;
  }
  EXPECT_EQ(of(R"({"head_dim": 20, "partial_rotary_factor": 0.7})").rotary_dim, 14u);
  EXPECT_EQ(of(llama("\"rope_scaling\": null, \"rope_theta\": null, \"head_dim\": null,")).head_dim, 64u);
  // Both dictionaries, saying the same.
  const std::string rule = R"({"rope_type": "linear", "factor": 2})";
  EXPECT_TRUE(std::holds_alternative<frequencies::Linear>(
      of(llama("\"rope_scaling\": " + rule + ", \"rope_parameters\": " + rule + ",")).frequencies));
}

TEST(RopeConfig, ReadsEachTypeByEitherKey) {
  for (const std::string key : {"type", "rope_type"}) {
    const auto rule = [&](const std::string& type, const std::string& rest = "") {
      return of(scaled("\"" + key + "\": \"" + type + "\"" + rest), {.sequence_length = 9000}).frequencies;
    };
    EXPECT_TRUE(std::holds_alternative<frequencies::Default>(rule("default")));
    EXPECT_EQ(std::get<frequencies::Linear>(rule("linear", R"(, "factor": 4)")).factor, 4);
    EXPECT_EQ(std::get<frequencies::Ntk>(rule("ntk", R"(, "factor": 4)")).factor, 4);
    const auto dynamic = std::get<frequencies::Dynamic>(rule("dynamic", R"(, "factor": 4)"));
    EXPECT_EQ(dynamic.max_positions, 4096);
    EXPECT_EQ(dynamic.sequence_length, 9000);
    const auto field =
        std::get<frequencies::ReceptiveField>(rule("receptive-field", R"(, "alpha": [0.1, 0.2], "rho": 1)"));
    EXPECT_EQ(field.alpha.values, (std::vector<double>{0.1, 0.2}));
    EXPECT_EQ(field.rho.values, (std::vector<double>{1}));
  }
  // "mrope" is not a rule of its own: the other name counts.
  const RopeOptions both =
      of(scaled(R"("type": "mrope", "rope_type": "default", "mrope_section": [8, 12, 12])"));
  EXPECT_EQ(both.axes->sections.size(), 3u);
  const RopeOptions yarn = of(scaled(
      R"("type": "yarn", "mrope_section": [8, 12, 12], "factor": 4, "original_max_position_embeddings": 1024)"));
  EXPECT_TRUE(std::holds_alternative<frequencies::Yarn>(yarn.frequencies));
  EXPECT_TRUE(yarn.axes);
}

TEST(RopeConfig, FillsYarnsDefaults) {
  // The factor from the lengths; the original length from the model's.
  auto rule = std::get<frequencies::Yarn>(
      of(scaled(R"("type": "yarn", "original_max_position_embeddings": 1024)")).frequencies);
  EXPECT_EQ(rule.factor, 4);
  rule = std::get<frequencies::Yarn>(of(scaled(R"("type": "yarn", "factor": 2)")).frequencies);
  EXPECT_EQ(rule.original_max_positions, 4096);
  EXPECT_EQ(rule.beta_fast, 32);
  EXPECT_EQ(rule.beta_slow, 1);
  EXPECT_TRUE(rule.truncate);
  rule = std::get<frequencies::Yarn>(of(llama(R"("original_max_position_embeddings": 2048,
      "rope_scaling": {"type": "yarn", "attention_factor": 1.0, "truncate": false, "finetuned": true},)"))
                                         .frequencies);
  EXPECT_EQ(rule.original_max_positions, 2048);
  EXPECT_EQ(rule.factor, 2);
  EXPECT_EQ(rule.attention_factor, 1);
  EXPECT_FALSE(rule.truncate);
}

TEST(RopeConfig, ReadsLongRopesOtherMagnitudes) {
  const std::string factors = R"("type": "su", "short_factor": [1, 1], "long_factor": [2, 2],
      "original_max_position_embeddings": 64, )";
  const auto magnitude = [&](const std::string& rest, double length) {
    return Rope(of(R"({"head_dim": 4, "max_position_embeddings": 128, "rope_scaling": {)" + factors + rest +
                       "}}",
                   {.sequence_length = length}))
        .magnitude();
  };
  EXPECT_EQ(magnitude(R"("attention_factor": 1.25)", 100), 1.25);
  EXPECT_EQ(magnitude(R"("short_mscale": 1.5, "long_mscale": 2.5)", 64), 1.5);
  EXPECT_EQ(magnitude(R"("short_mscale": 1.5, "long_mscale": 2.5)", 65), 2.5);
  EXPECT_NEAR(magnitude(R"("factor": 8)", 65), std::sqrt(1 + std::log(8.0) / std::log(64.0)), 1e-15);
}

TEST(RopeConfig, TakesThePairingFromTheModelOrTheKey) {
  const auto pairing = [](const std::string& members) {
    return of("{\"head_dim\": 8, " + members + "}").pairing;
  };
  for (const char* model : {"roformer", "cohere", "cohere2", "glm", "glm4", "ernie4_5", "helium",
                            "deepseek_v2", "deepseek_v3", "llama4_text"}) {
    EXPECT_EQ(pairing("\"model_type\": \"" + std::string(model) + "\""), Pairing::interleaved) << model;
  }
  for (const char* model :
       {"llama", "mistral", "qwen2", "gpt_neox", "gemma2", "phi3", "olmo2", "Yi", "starcoder2"}) {
    EXPECT_EQ(pairing("\"model_type\": \"" + std::string(model) + "\""), Pairing::half) << model;
  }
  EXPECT_EQ(pairing(R"("model_type": "deepseek_v3", "rope_interleave": false)"), Pairing::half);
  EXPECT_EQ(pairing(R"("model_type": "new_model", "rope_interleave": true)"), Pairing::interleaved);
  EXPECT_EQ(pairing(R"("rotary_emb_interleaved": true)"), Pairing::interleaved);
  EXPECT_EQ(pairing(R"("rotary_value": true)"), Pairing::half);
  // The `model_type` of the inner model counts, if it has one.
  EXPECT_EQ(of(R"({"model_type": "glm4", "text_config": {"head_dim": 8}})").pairing, Pairing::interleaved);
  EXPECT_EQ(of(R"({"model_type": "glm4", "text_config": {"head_dim": 8, "model_type": "llama"}})").pairing,
            Pairing::half);
  for (const char* model : {"glm_moe_dsa", "neobert", "mistral4"}) {
    EXPECT_EQ(pairing("\"model_type\": \"" + std::string(model) + "\""), Pairing::interleaved) << model;
  }
}

TEST(RopeConfig, ThePairingThatIsGivenCounts) {
  const std::string unknown = R"({"head_dim": 8, "model_type": "new_model"})";
  EXPECT_EQ(of(unknown, {.pairing = Pairing::interleaved}).pairing, Pairing::interleaved);
  EXPECT_EQ(of(unknown, {.pairing = Pairing::half}).pairing, Pairing::half);
  EXPECT_EQ(of(llama(), {.pairing = Pairing::interleaved}).pairing, Pairing::interleaved);
  EXPECT_EQ(of(R"({"head_dim": 8, "rope_interleave": true})", {.pairing = Pairing::half}).pairing,
            Pairing::half);
}

TEST(RopeConfig, ReadsNomicsScalingFactor) {
  const auto rule = std::get<frequencies::Dynamic>(
      of(nomic(R"("rotary_scaling_factor": 2)"), {.sequence_length = 8192}).frequencies);
  EXPECT_EQ(rule.base, 1000);
  EXPECT_EQ(rule.factor, 2);
  EXPECT_EQ(rule.max_positions, 2048);
  EXPECT_EQ(rule.sequence_length, 8192);
  EXPECT_TRUE(std::holds_alternative<frequencies::Default>(
      of(nomic(R"("rotary_scaling_factor": null)")).frequencies));
}

TEST(RopeConfig, ReadsSlidingLayersWithABaseOfTheirOwn) {
  const std::string gemma3 = R"({"head_dim": 256, "rope_theta": 1000000.0, "rope_local_base_freq": 10000.0,
      "rope_scaling": {"factor": 8.0, "rope_type": "linear"}, "model_type": "gemma3_text"})";
  const auto full = std::get<frequencies::Linear>(of(gemma3, {.layer_type = "full_attention"}).frequencies);
  EXPECT_EQ(full.base, 1000000);
  EXPECT_EQ(full.factor, 8);
  EXPECT_EQ(std::get<frequencies::Default>(of(gemma3, {.layer_type = "sliding_attention"}).frequencies).base,
            10000);
}

TEST(RopeConfig, TakesWhatTheClassAssumes) {
  // A file of Gemma 3 that holds what differs from the class alone.
  const std::string sparse = R"({"model_type": "gemma3_text", "hidden_size": 640, "num_attention_heads": 4})";
  for (const auto& [type, base] : {std::pair("full_attention", 1e6), std::pair("sliding_attention", 1e4)}) {
    const RopeOptions options = of(sparse, {.layer_type = type});
    EXPECT_EQ(options.head_dim, 256u);
    EXPECT_EQ(std::get<frequencies::Default>(options.frequencies).base, base);
    const ConfigReading reading = reading_of(sparse, {.layer_type = type});
    expect_note(reading, "No `head_dim`: 256 is assumed, as the class has it.");
    expect_note(reading, "as the class has it");
  }
  EXPECT_EQ(std::get<frequencies::Default>(of(R"({"model_type": "smollm3"})").frequencies).base, 2e6);
  const RopeOptions phi = of(R"({"model_type": "phi"})");
  EXPECT_EQ(phi.head_dim, 64u);
  EXPECT_EQ(phi.rotary_dim, 32u);
  EXPECT_EQ(of(R"({"model_type": "zamba2"})", {.pairing = Pairing::half}).head_dim, 160u);
  EXPECT_EQ(of(R"({"model_type": "gptj"})").rotary_dim, 64u);
  EXPECT_EQ(std::get<frequencies::Llama3>(of(R"({"model_type": "apertus"})").frequencies).factor, 8);
  expect_note(reading_of(R"({"model_type": "apertus"})"),
              "those of the class are assumed, with the rule \"llama3\"");
}

TEST(RopeConfig, Olmo3sSlidingLayersHaveNoYarn) {
  const std::string olmo3 =
      R"({"model_type": "olmo3", "hidden_size": 4096, "num_attention_heads": 32, "rope_theta": 500000,
      "rope_scaling": {"rope_type": "yarn", "factor": 8.0, "original_max_position_embeddings": 8192}})";
  EXPECT_EQ(std::get<frequencies::Yarn>(of(olmo3, {.layer_type = "full_attention"}).frequencies).factor, 8);
  EXPECT_EQ(std::get<frequencies::Default>(of(olmo3, {.layer_type = "sliding_attention"}).frequencies).base,
            500000);
  // Transformers gives them the base of the class, whatever the file says.
  expect_range_error(R"({"model_type": "olmo3", "rope_theta": 1000000})",
                     {"`rope_theta` is 1000000", "500000 or nothing"}, {.layer_type = "sliding_attention"});
}

TEST(RopeConfig, AcceptsWhatATextConfigRepeats) {
  const std::string theta = R"("rope_theta": 500.0, "rope_scaling": {"type": "linear", "factor": 2})";
  EXPECT_TRUE(
      try_rope_options_from_config("{" + theta + ", \"text_config\": {\"head_dim\": 8, " + theta + "}}")
          .ok());
}

TEST(RopeConfig, KeepsLatentAttentionsPartAsAHead) {
  EXPECT_EQ(of(R"({"qk_rope_head_dim": 64, "head_dim": 128, "partial_rotary_factor": 0.5})").head_dim, 64u);
  EXPECT_EQ(of(R"({"qk_rope_head_dim": 64, "partial_rotary_factor": 1.0})").rotary_dim, 64u);
}

TEST(RopeConfig, ReadsTheNtkThatIsGtesOwn) {
  for (const std::string model : {"new", "gte"}) {
    const auto su =
        std::get<frequencies::NtkSu>(rope_options_from_config(gte(model, R"("factor": 8.0)")).frequencies);
    EXPECT_EQ(su.base, 20000);
    EXPECT_EQ(su.factor, 8);
    const auto read = rope_options_from_config(gte(model, R"("factor": 4, "mixed_b": 0.6)"));
    const auto mixed = std::get<frequencies::NtkMixed>(read.frequencies);
    EXPECT_EQ(mixed.base, 20000);
    EXPECT_EQ(mixed.factor, 4);
    EXPECT_EQ(mixed.mixed_b, 0.6);
  }
  const auto other = rope_options_from_config(scaled(R"("type": "ntk", "factor": 4)"));
  EXPECT_TRUE(std::holds_alternative<frequencies::Ntk>(other.frequencies));
}

TEST(RopeConfigReading, DeepSeekScalesItsSoftmax) {
  const ConfigReading reading = reading_of(fixture("deepseek-v3"));
  // tests/golden/readers/reports.json, deepseek-v3
  EXPECT_NEAR(reading.softmax_scale, 1.8738542070926265, 1e-15);
  EXPECT_EQ(Rope(reading.options).magnitude(), 1);
  expect_note(reading, "1.87385");
  const std::string apart =
      R"({"model_type": "deepseek_v3", "qk_rope_head_dim": 64, "rope_scaling": {"type": "yarn",
      "factor": 40, "mscale": 1.0, "mscale_all_dim": 0.8, "original_max_position_embeddings": 4096}})";
  EXPECT_NEAR(reading_of(apart).softmax_scale, 1.677310835070927, 1e-15);
  // Without latent attention nothing but the magnitude follows.
  EXPECT_EQ(reading_of(fixture("gpt-oss-20b")).softmax_scale, 1);
}

TEST(RopeConfigReading, MinistralScalesItsQueries) {
  const ConfigReading reading =
      reading_of(R"({"model_type": "ministral3", "head_dim": 128, "rope_parameters": {
      "rope_type": "yarn", "rope_theta": 1000000.0, "factor": 16.0, "original_max_position_embeddings": 16384,
      "beta_fast": 32.0, "beta_slow": 1.0, "mscale": 1.0, "mscale_all_dim": 1.0, "llama_4_scaling_beta": 0.1}})");
  ASSERT_TRUE(reading.options.query_scale);
  EXPECT_EQ(reading.options.query_scale->scale, 0.1);
  EXPECT_EQ(reading.options.query_scale->length, 16384);
  EXPECT_EQ(Rope(reading.options).magnitude(), 1);
  expect_note(reading, "1 + 0.1 ln(1 + floor(m / 16384))");
}

TEST(RopeConfigReading, LayersThatDoNotRotate) {
  using Layers = std::vector<std::size_t>;
  const auto layers = [](const std::string& members) {
    return reading_of("{\"head_dim\": 64, " + members + "}").layers_without_rotation;
  };
  EXPECT_EQ(layers(R"("model_type": "smollm3", "no_rope_layers": [1, 1, 1, 0, 1, 0])"), (Layers{3, 5}));
  EXPECT_EQ(layers(R"("model_type": "smollm3", "num_hidden_layers": 8)"), (Layers{3, 7}));
  EXPECT_EQ(layers(R"("model_type": "llama4_text", "no_rope_layer_interval": 2, "num_hidden_layers": 4)"),
            (Layers{1, 3}));
  EXPECT_EQ(layers(R"("model_type": "cohere2", "num_hidden_layers": 9)"), (Layers{3, 7}));
  EXPECT_EQ(layers(R"("model_type": "llama", "num_hidden_layers": 8)"), (Layers{}));
  const std::string types = R"("layer_types": ["full_attention", "sliding_attention"], )";
  EXPECT_EQ(layers(types + R"("model_type": "exaone4", "sliding_window": 4096)"), (Layers{0}));
  EXPECT_EQ(layers(types + R"("model_type": "exaone4", "sliding_window": null)"), (Layers{}));
  expect_note(reading_of(R"({"head_dim": 64, "model_type": "llama4_text", "attn_temperature_tuning": 4})"),
              "`attn_temperature_tuning`");
}

TEST(RopeConfigReading, DeepSeekV4) {
  const std::string v4 =
      R"({"model_type": "deepseek_v4", "head_dim": 512, "qk_rope_head_dim": 64, "rope_theta": 10000,
      "compress_rope_theta": 160000, "rope_scaling": {"type": "yarn", "factor": 16, "beta_fast": 32, "beta_slow": 1,
      "original_max_position_embeddings": 65536}})";
  for (const char* type :
       {"sliding_attention", "compressed_sparse_attention", "heavily_compressed_attention"}) {
    const RopeOptions options = of(v4, {.layer_type = type});
    EXPECT_EQ(options.head_dim, 512u);
    EXPECT_EQ(options.rotary_dim, 64u);
    EXPECT_EQ(options.rotary_offset, 448u);
    EXPECT_EQ(options.pairing, Pairing::interleaved);
    EXPECT_EQ(Rope(options).magnitude(), 1) << type;
    const bool plain = std::string(type) == "sliding_attention";
    if (plain) {
      EXPECT_EQ(std::get<frequencies::Default>(options.frequencies).base, 10000);
    } else {
      EXPECT_EQ(std::get<frequencies::Yarn>(options.frequencies).base, 160000);
    }
  }
  expect_type_error(v4,
                    {"`layer_type` is missing", "`compress_rope_theta`", "\"compressed_sparse_attention\""});
}

TEST(RopeConfigReading, HunyuansAlpha) {
  const std::string members =
      R"("alpha": 1000.0, "beta_fast": 32, "beta_slow": 1, "factor": 1.0, "mscale": 1.0,
      "mscale_all_dim": 1.0)";
  const auto hunyuan = [&](const std::string& more) {
    return R"({"model_type": "hunyuan_v1_dense", "head_dim": 128, "rope_theta": 10000.0, "use_rotary_pos_emb": true,
        "rope_scaling": {)" +
           members + more + "}}";
  };
  const auto rule = std::get<frequencies::Ntk>(of(hunyuan(R"(, "type": "dynamic")")).frequencies);
  EXPECT_EQ(rule.factor, 1000);
  EXPECT_EQ(rule.base, 10000);
  const RopeOptions axes = of(hunyuan(R"(, "type": "xdrope", "xdrope_section": [16, 16, 16, 16])"));
  ASSERT_TRUE(axes.axes);
  EXPECT_EQ(axes.axes->sections, (std::vector<std::size_t>{16, 16, 16, 16}));
  expect_range_error(scaled(R"("type": "dynamic", "factor": 2, "alpha": 1000)"),
                     {"`rope_scaling.alpha` is 1000"}, {.sequence_length = 9});
  expect_range_error(R"({"model_type": "hunyuan", "head_dim": 8, "use_rotary_pos_emb": false})",
                     {"`use_rotary_pos_emb` is false"});
}

void expect_axes(const RopeOptions& options, const std::vector<std::size_t>& sections, double base,
                 Pairing pairing) {
  ASSERT_TRUE(options.axes);
  EXPECT_EQ(options.axes->sections, sections);
  EXPECT_TRUE(options.axes->restart_frequencies);
  EXPECT_EQ(std::get<frequencies::Default>(options.frequencies).base, base);
  EXPECT_EQ(options.pairing, pairing);
  EXPECT_TRUE(Rope::make(options).ok());
}

TEST(RopeConfigReading, ImagesAndVideos) {
  const RopeOptions dino =
      of(R"({"model_type": "dinov3_vit", "hidden_size": 384, "num_attention_heads": 6})");
  expect_axes(dino, {16, 16}, 100, Pairing::half);
  const RopeOptions flux = of(R"({"_class_name": "FluxTransformer2DModel", "axes_dims_rope": [16, 56, 56]})");
  expect_axes(flux, {8, 28, 28}, 10000, Pairing::interleaved);
  expect_axes(of(R"({"_class_name": "WanTransformer3DModel", "attention_head_dim": 128})"), {22, 21, 21},
              10000, Pairing::interleaved);
  expect_axes(of(R"({"_class_name": "HunyuanVideoTransformer3DModel", "rope_axes_dim": [16, 56, 56],
                     "rope_theta": 256.0})"),
              {8, 28, 28}, 256, Pairing::interleaved);
  expect_axes(of(R"({"_class_name": "Flux2Transformer2DModel"})"), {16, 16, 16, 16}, 2000,
              Pairing::interleaved);
  expect_axes(
      of(R"({"_class_name": "ZImageTransformer2DModel", "axes_dims": [16, 24, 24], "rope_theta": 128})"),
      {8, 12, 12}, 128, Pairing::interleaved);
  // Pixtral: even frequencies for rows, odd ones for columns, of one sequence.
  const Rope pixtral(of(R"({"model_type": "pixtral", "head_dim": 64, "rope_theta": 10000.0})"));
  EXPECT_NEAR(pixtral.frequencies()[1], std::pow(10000.0, -4.0 / 64), 1e-15);
  EXPECT_NEAR(pixtral.frequencies()[16], std::pow(10000.0, -2.0 / 64), 1e-15);
  EXPECT_EQ(pixtral.axes(), 2u);
  expect_range_error(R"({"_class_name": "LTXVideoTransformer3DModel"})", {"`_class_name` is \"LTX"});
  for (const std::string_view type :
       {"llama4_vision_model", "gemma4_vision", "ernie4_5_vl_moe", "moonvit", "siglip_vision_model"}) {
    const std::string config = "{\"model_type\": \"" + std::string(type) + "\", \"head_dim\": 128}";
    expect_range_error(config, {"`model_type` is \"" + std::string(type) + "\""});
  }
  // A pairing does not make one axis of several.
  expect_range_error(R"({"model_type": "gemma4_vision", "head_dim": 64})", {"one axis"},
                     {.pairing = Pairing::half});
}

TEST(RopeConfigReading, SaysWhatItAssumes) {
  expect_note(reading_of(R"({"head_dim": 8, "rope_theta": 1000})"),
              "No `model_type`: half pairing is assumed");
  expect_note(reading_of(R"({"head_dim": 8, "model_type": "llama"})"),
              "No `rope_theta`: the base 10000 is assumed");
  EXPECT_TRUE(reading_of(R"({"head_dim": 8, "model_type": "llama", "rope_theta": 1000})").notes.empty());
  expect_note(reading_of(R"({"head_dim": 8, "model_type": "qwen2", "dual_chunk_attention_config": {}})"),
              "`dual_chunk_attention_config` is not applied");
  expect_note(reading_of(gguf("", "smollm3")), "`smollm3.rope.freq_base`: the base 10000 is assumed");
}

}  // namespace rope_config_test
}  // namespace ropewalk
