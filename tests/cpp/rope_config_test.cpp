// Configurations as models publish them, and every way in which one can be wrong.

#include "ropewalk/config.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "ropewalk/rope.hpp"

namespace ropewalk {
namespace {

std::string fixture(const std::string& name) {
  const std::string path = std::string(ROPEWALK_GOLDEN) + "/../fixtures/configs/" + name + ".json";
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot open " + path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

RopeOptions read(const std::string& name, const ConfigOptions& options = {}) {
  return rope_options_from_config(fixture(name), options);
}

void expect_shape(const RopeOptions& options, std::size_t head_dim, std::size_t rotary_dim, Pairing pairing) {
  EXPECT_EQ(options.head_dim, head_dim);
  EXPECT_EQ(options.rotary_dim, rotary_dim);
  EXPECT_EQ(options.rotary_offset, 0u);
  EXPECT_EQ(options.pairing, pairing);
  EXPECT_EQ(options.angles, Angles::exact);
  EXPECT_TRUE(Rope::make(options).ok());
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

/// A Llama's head with more keys: `more` is members of the object, with a comma at its end or empty.
std::string llama(const std::string& more = "") {
  return "{" + more + R"("model_type": "llama", "hidden_size": 512, "num_attention_heads": 8,
    "max_position_embeddings": 4096})";
}
std::string scaled(const std::string& rule) { return llama("\"rope_scaling\": {" + rule + "},"); }

RopeOptions of(const std::string& json, const ConfigOptions& options = {}) {
  return rope_options_from_config(json, options);
}

TEST(RopeConfig, ReadsOldAndNewNames) {
  for (const char* more :
       {R"("rope_theta": 5e5,)", R"("rotary_emb_base": 5e5,)", R"("global_rope_theta": 5e5,)",
        R"("rope_parameters": {"rope_theta": 500000},)",
        R"("rope_parameters": {"rope_type": "default", "rope_theta": 5e5}, "rope_theta": 5e5,)"}) {
    EXPECT_EQ(std::get<frequencies::Default>(of(llama(more)).frequencies).base, 5e5) << more;
  }
  for (const char* more : {R"("partial_rotary_factor": 0.5,)", R"("rotary_pct": 0.5,)", R"("rope_pct": 0.5,)",
                           R"("rotary_dim": 32,)", R"("rope_parameters": {"partial_rotary_factor": 0.5},)",
                           R"("partial_rotary_factor": 0.5, "rotary_dim": 32,)"}) {
    EXPECT_EQ(of(llama(more)).rotary_dim, 32u) << more;
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
  for (const char* model : {"roformer", "gptj", "codegen", "cohere", "cohere2", "glm", "glm4", "ernie4_5",
                            "helium", "deepseek_v2", "deepseek_v3", "llama4_text"}) {
    EXPECT_EQ(pairing("\"model_type\": \"" + std::string(model) + "\""), Pairing::interleaved) << model;
  }
  for (const char* model :
       {"llama", "mistral", "qwen2", "gpt_neox", "gemma3", "phi3", "olmo2", "Yi", "modernbert-decoder"}) {
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
  for (const char* model : {"glm_moe_dsa", "ernie4_5_vl_moe", "neobert", "mistral4"}) {
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

/// nomic-embed-text v1, as published.
std::string nomic(const std::string& more) {
  return R"({"model_type": "nomic_bert", "n_embd": 768, "n_head": 12, "n_positions": 8192,
      "max_trained_positions": 2048, "rotary_emb_base": 1000, "rotary_emb_fraction": 1.0,
      "rotary_emb_interleaved": false, "rotary_emb_scale_base": null, )" +
         more + "}";
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

/// The error is of this kind and its message has all these parts.
void expect_error(const std::string& json, Status::Code code, const std::vector<std::string>& parts,
                  const ConfigOptions& options = {}) {
  SCOPED_TRACE(json);
  const Result<RopeOptions> result = try_rope_options_from_config(json, options);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().code(), code) << result.status().message();
  for (const std::string& part : parts) {
    EXPECT_NE(result.status().message().find(part), std::string::npos)
        << result.status().message() << "\nlacks " << part;
  }
  EXPECT_TRUE(result.status().message().starts_with("rope_options_from_config: `"))
      << result.status().message();
}
void expect_type_error(const std::string& json, const std::vector<std::string>& parts,
                       const ConfigOptions& o = {}) {
  expect_error(json, Status::Code::type, parts, o);
}
void expect_range_error(const std::string& json, const std::vector<std::string>& parts,
                        const ConfigOptions& o = {}) {
  expect_error(json, Status::Code::range, parts, o);
}
/// Unknown keys begin otherwise.
void expect_unknown(const std::string& json, const std::vector<std::string>& parts,
                    const ConfigOptions& o = {}) {
  const Result<RopeOptions> result = try_rope_options_from_config(json, o);
  ASSERT_FALSE(result.ok()) << json;
  EXPECT_EQ(result.status().code(), Status::Code::type);
  for (const std::string& part : parts) {
    EXPECT_NE(result.status().message().find(part), std::string::npos)
        << result.status().message() << "\nlacks " << part;
  }
}

TEST(RopeConfigErrors, Throw) { EXPECT_THROW(rope_options_from_config("{}"), std::invalid_argument); }

TEST(RopeConfigErrors, NotAConfiguration) {
  expect_error("{", Status::Code::malformed, {"`config` is not JSON"}, {});
  expect_error(R"({"head_dim": 8, "head_dim": 8})", Status::Code::malformed, {"`config`", "twice"}, {});
  expect_type_error("[1]", {"`config` is an array of 1; allowed: an object"});
}

TEST(RopeConfigErrors, UnknownKeysInADictionaryNameTheNearest) {
  expect_unknown(scaled(R"("type": "linear", "factr": 2)"),
                 {"unknown key `rope_scaling.factr`; did you mean `rope_scaling.factor`?"});
  // A name cut short takes more changes than a misspelt one may.
  expect_unknown(scaled(R"("type": "yarn", "factor": 2, "original_max_position": 2048)"),
                 {"did you mean `rope_scaling.original_max_position_embeddings`?"});
  expect_unknown(llama(R"("rope_parameters": {"rope_type": "yarn", "factor": 2, "beta_fats": 32},)"),
                 {"`rope_parameters.beta_fats`; did you mean `rope_parameters.beta_fast`?"});
  expect_unknown(R"({"text_config": {"head_dim": 8, "rope_scaling": {"typ": "linear"}}})",
                 {"`text_config.rope_scaling.typ`; did you mean `text_config.rope_scaling.type`?"});
  expect_unknown(scaled(R"("type": "linear", "factor": 2, "qqqqqqqqqqqqqqqqqqqqqqqq": 1)"),
                 {"allowed:", "`factor`"});
  // Known, but to another rule.
  expect_unknown(scaled(R"("type": "linear", "factor": 2, "beta_fast": 32)"),
                 {"`rope_scaling.beta_fast` is not a key of the rule \"linear\"; allowed: `factor`"});
  expect_unknown(scaled(R"("factor": 2)"), {"`rope_scaling.factor`", "the one without `rope_type`"});
}

TEST(RopeConfigErrors, UnknownKeysBesideItOnlyWhereTheySpeakOfRope) {
  expect_unknown(llama(R"("rope_tetha": 5e5,)"), {"unknown key `rope_tetha`; did you mean `rope_theta`?"});
  expect_unknown(llama(R"("rotary_percent": 0.5,)"), {"unknown key `rotary_percent`"});
  expect_unknown(llama(R"("use_mrope": true,)"), {"unknown key `use_mrope`"});
  expect_unknown(llama(R"("roep_theta": 5e5,)"), {"`roep_theta`; did you mean `rope_theta`?"});
  expect_unknown(llama(R"("partial_rotory_factor": 0.5,)"), {"did you mean `partial_rotary_factor`?"});
  expect_unknown(llama(R"("orignal_max_position_embeddings": 1024,)"),
                 {"did you mean `original_max_position_embeddings`?"});
  expect_unknown(R"({"text_config": {"head_dim": 8, "rope_tetha": 1}})",
                 {"`text_config.rope_tetha`; did you mean `text_config.rope_theta`?"});
  EXPECT_TRUE(
      try_rope_options_from_config(llama(R"("property": 1, "dropedge": 2, "europe": 3, "v_head_dim": 4,)"))
          .ok());
  expect_type_error(R"({"rope_theta": 1, "text_config": {"head_dim": 8}})",
                    {"`rope_theta` stands beside `text_config`", "`text_config.rope_theta`"});
  expect_type_error(R"({"text_config": 3})", {"`text_config` is 3; allowed: an object"});
}

TEST(RopeConfigErrors, AModelWhosePairingNobodyKnows) {
  expect_range_error(R"({"head_dim": 8, "model_type": "new_model"})",
                     {"`model_type` is \"new_model\"; allowed:", "the option `pairing`"});
  expect_range_error(R"({"model_type": "llama", "text_config": {"head_dim": 8, "model_type": "x"}})",
                     {"`text_config.model_type` is \"x\""});
  for (const char* part : {"lama", "qwen2 qwen3", "", " "}) {
    expect_range_error("{\"head_dim\": 8, \"model_type\": \"" + std::string(part) + "\"}",
                       {"`model_type` is "});
  }
}

std::string gte(const std::string& model, const std::string& scaling) {
  return R"({"hidden_size": 768, "num_attention_heads": 12, "model_type": ")" + model +
         R"(", "rope_theta": 20000, "rope_scaling": {"type": "ntk", )" + scaling + "}}";
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

TEST(RopeConfigErrors, TheNtkThatIsGtesOwn) {
  expect_range_error(gte("new", R"("factor": 0.5)"), {"`rope_scaling.factor` is 0.5"});
  expect_range_error(gte("new", R"("factor": 2, "mixed_b": 0)"), {"`rope_scaling.mixed_b` is 0"});
  expect_range_error(scaled(R"("type": "ntk", "factor": 4, "mixed_b": 0.6)"),
                     {"`rope_scaling.mixed_b` is 0.6", "GTE"});
}

TEST(RopeConfigErrors, NomicsScalingFactor) {
  const std::string two = R"("rotary_scaling_factor": 2)";
  expect_type_error(nomic(two), {"`sequence_length` is missing; `rotary_scaling_factor` needs it", "2048"});
  expect_type_error(R"({"model_type": "nomic_bert", "head_dim": 8, )" + two + "}",
                    {"`max_trained_positions` is missing"}, {.sequence_length = 9});
  expect_range_error(nomic(R"("rotary_scaling_factor": 0.5)"), {"`rotary_scaling_factor` is 0.5"},
                     {.sequence_length = 9});
  expect_range_error(nomic(two + R"(, "rope_scaling": {"type": "linear", "factor": 2})"),
                     {"`rotary_scaling_factor` is 2; allowed: null beside the rule \"linear\""},
                     {.sequence_length = 9});
}

TEST(RopeConfigErrors, MissingKeys) {
  expect_type_error("{}", {"`head_dim` is missing"});
  expect_type_error(R"({"hidden_size": 64})", {"`num_attention_heads` is missing"});
  expect_type_error(R"({"n_head": 4})", {"is missing; the head dimension needs it"});
  expect_type_error(scaled(R"("type": "linear")"),
                    {"`rope_scaling.factor` is missing; the rule \"linear\" needs it"});
  expect_type_error(scaled(R"("type": "ntk", "factor": null)"), {"`rope_scaling.factor` is missing"});
  expect_type_error(scaled(R"("type": "dynamic")"), {"`rope_scaling.factor` is missing"},
                    {.sequence_length = 9});
  expect_type_error(R"({"head_dim": 8, "rope_scaling": {"type": "dynamic", "factor": 2}})",
                    {"`max_position_embeddings` is missing"}, {.sequence_length = 9});
  expect_type_error(scaled(R"("type": "yarn")"), {"`rope_scaling.factor` is missing"});
  expect_type_error(R"({"head_dim": 8, "rope_scaling": {"type": "yarn", "factor": 2}})",
                    {"`max_position_embeddings` is missing"});
  const std::string llama3[] = {R"("factor": 8)", R"("low_freq_factor": 1)", R"("high_freq_factor": 4)",
                                R"("original_max_position_embeddings": 1024)"};
  for (const std::string& left_out : llama3) {
    std::string rule = R"("rope_type": "llama3")";
    for (const std::string& each : llama3) rule += each == left_out ? "" : ", " + each;
    expect_type_error(scaled(rule),
                      {"`rope_scaling." + left_out.substr(1, left_out.find(':') - 2) + "` is missing"});
  }
  expect_type_error(scaled(R"("type": "longrope", "long_factor": [1])"),
                    {"`rope_scaling.short_factor` is missing"});
  expect_type_error(scaled(R"("type": "longrope", "short_factor": [1])"),
                    {"`rope_scaling.long_factor` is missing"});
  const std::string two =
      R"({"head_dim": 4, "rope_scaling": {"type": "longrope", "short_factor": [1, 1], "long_factor": [1, 1])";
  expect_type_error(two + "}}", {"`rope_scaling.original_max_position_embeddings` is missing"},
                    {.sequence_length = 9});
  expect_type_error(two + R"(, "original_max_position_embeddings": 8}})",
                    {"`rope_scaling.factor` is missing"}, {.sequence_length = 9});
  expect_type_error(two + R"(, "factor": 2, "original_max_position_embeddings": 8, "short_mscale": 1}})",
                    {"`rope_scaling.long_mscale` is missing"}, {.sequence_length = 9});
  expect_type_error(scaled(R"("type": "receptive-field", "alpha": 0.5)"), {"`rope_scaling.rho` is missing"});
  expect_type_error(scaled(R"("type": "mrope")"), {"`rope_scaling.mrope_section` is missing"});
  expect_type_error(scaled(R"("mrope_interleaved": true)"), {"`rope_scaling.mrope_section` is missing"});
}

TEST(RopeConfigErrors, TheSequenceLengthThatARuleNeeds) {
  expect_type_error(fixture("phi-3-mini-128k"),
                    {"`sequence_length` is missing; the rule \"longrope\" needs it", "up to 4096 tokens"});
  expect_type_error(scaled(R"("type": "dynamic", "factor": 2)"),
                    {"`sequence_length` is missing; the rule \"dynamic\""});
  for (const double bad : {0.0, -1.0, std::nan(""), double{INFINITY}}) {
    expect_range_error(llama(), {"`sequence_length` is "}, {.sequence_length = bad});
  }
}

TEST(RopeConfigErrors, WrongTypes) {
  expect_type_error(llama(R"("rope_theta": "10000",)"),
                    {"`rope_theta` is \"10000\"; allowed: a number above 0"});
  expect_type_error(llama(R"("rope_scaling": "yarn",)"), {"`rope_scaling` is \"yarn\"; allowed: an object"});
  expect_type_error(llama(R"("rope_parameters": [],)"), {"`rope_parameters` is an array of 0"});
  expect_type_error(llama(R"("partial_rotary_factor": true,)"), {"`partial_rotary_factor` is true"});
  expect_type_error(R"({"head_dim": "64"})", {"`head_dim` is \"64\"; allowed: a whole number of at least 1"});
  expect_type_error(R"({"head_dim": 8, "model_type": 3})", {"`model_type` is 3; allowed: a text"});
  expect_type_error(R"({"head_dim": 8, "rope_interleave": 1})",
                    {"`rope_interleave` is 1; allowed: true or false"});
  expect_type_error(scaled(R"("type": 3)"), {"`rope_scaling.type` is 3; allowed: a text"});
  expect_type_error(scaled(R"("type": "linear", "factor": "2")"), {"`rope_scaling.factor` is \"2\""});
  expect_type_error(scaled(R"("type": "yarn", "factor": 2, "truncate": 0)"),
                    {"`rope_scaling.truncate` is 0"});
  expect_type_error(scaled(R"("type": "longrope", "short_factor": 1, "long_factor": [1])"),
                    {"`rope_scaling.short_factor` is 1; allowed: an array"});
  expect_type_error(scaled(R"("type": "longrope", "short_factor": [1, "2"], "long_factor": [1])"),
                    {"`rope_scaling.short_factor[1]` is \"2\""});
  expect_type_error(scaled(R"("mrope_section": 3)"), {"`rope_scaling.mrope_section` is 3"});
  expect_type_error(scaled(R"("mrope_section": [32, "a"])"), {"`rope_scaling.mrope_section[1]` is \"a\""});
  expect_type_error(scaled(R"("type": "receptive-field", "alpha": "x", "rho": 1)"),
                    {"`rope_scaling.alpha` is \"x\""});
}

TEST(RopeConfigErrors, ValuesOutOfRange) {
  expect_range_error(llama(R"("rotary": false,)"), {"`rotary` is false; allowed: true"});
  expect_range_error(llama(R"("rope_theta": 0,)"), {"`rope_theta` is 0; allowed: a number above 0"});
  expect_range_error(llama(R"("partial_rotary_factor": 1.5,)"),
                     {"`partial_rotary_factor` is 1.5", "at most 1"});
  expect_range_error(llama(R"("partial_rotary_factor": 0.05,)"), {"`partial_rotary_factor` is 0.05", "even"});
  expect_range_error(llama(R"("rotary_dim": 66,)"), {"`rotary_dim` is 66", "head_dim = 64"});
  expect_range_error(llama(R"("rotary_dim": 31,)"), {"`rotary_dim` is 31", "even"});
  expect_range_error(R"({"head_dim": 0})", {"`head_dim` is 0; allowed: a whole number of at least 1"});
  expect_range_error(R"({"head_dim": 63.5})", {"`head_dim` is 63.5"});
  expect_range_error(R"({"head_dim": 63})", {"`head_dim` is 63", "even"});
  expect_range_error(R"({"qk_rope_head_dim": 63})", {"`qk_rope_head_dim` is 63", "even"});
  expect_range_error(R"({"qk_rope_head_dim": 64, "partial_rotary_factor": 0.5})",
                     {"`partial_rotary_factor` is 0.5"});
  expect_range_error(R"({"hidden_size": 100, "num_attention_heads": 8})",
                     {"`hidden_size` is 100", "a multiple"});
  expect_range_error(scaled(R"("type": "lineer")"),
                     {"`rope_scaling.type` is \"lineer\"", "\"linear\"", "\"longrope\""});
  expect_range_error(scaled(R"("rope_type": "x", "type": "mrope", "mrope_section": [32])"),
                     {"`rope_scaling.rope_type` is \"x\""});
  for (const char* type : {"linear", "ntk", "dynamic", "yarn", "llama3"}) {
    expect_range_error(
        scaled("\"type\": \"" + std::string(type) + R"(", "factor": 0.5)" +
               (type == std::string("llama3") ? R"(, "low_freq_factor": 1, "high_freq_factor": 4,
                                 "original_max_position_embeddings": 1024)"
                                              : "")),
        {"`rope_scaling.factor` is 0.5; allowed: a number of at least 1"}, {.sequence_length = 9});
  }
  for (const char* type : {"ntk", "dynamic"}) {
    expect_range_error(
        llama("\"head_dim\": 2, \"rope_scaling\": {\"factor\": 2, \"type\": \"" + std::string(type) + "\"},"),
        {"`rotary dimension` is 2", "at least 4"}, {.sequence_length = 9});
  }
  const auto yarn = [](const std::string& rest) { return scaled(R"("type": "yarn", "factor": 2, )" + rest); };
  expect_range_error(yarn(R"("beta_fast": 0)"), {"`rope_scaling.beta_fast` is 0"});
  expect_range_error(yarn(R"("beta_slow": 0)"), {"`rope_scaling.beta_slow` is 0"});
  expect_range_error(yarn(R"("beta_fast": 1, "beta_slow": 32)"),
                     {"`rope_scaling.beta_fast` is 1", "beta_slow = 32"});
  expect_range_error(yarn(R"("beta_slow": 33)"), {"`rope_scaling.beta_slow` is 33", "beta_fast = 32"});
  expect_range_error(yarn(R"("attention_factor": 0)"), {"`rope_scaling.attention_factor` is 0"});
  expect_range_error(yarn(R"("mscale": -1)"), {"`rope_scaling.mscale` is -1"});
  expect_range_error(yarn(R"("mscale_all_dim": -1)"), {"`rope_scaling.mscale_all_dim` is -1"});
  expect_range_error(yarn(R"("rope_theta": 1)"), {"`rope_theta` is 1; allowed: a number above 1"});
  expect_range_error(yarn(R"("original_max_position_embeddings": 0)"),
                     {"original_max_position_embeddings` is 0"});
  expect_range_error(scaled(R"("type": "yarn", "original_max_position_embeddings": 9000)"),
                     {"`max_position_embeddings` is 4096", "9000"});
  expect_range_error(scaled(R"("type": "llama3", "factor": 2, "low_freq_factor": 4, "high_freq_factor": 1,
                               "original_max_position_embeddings": 1024)"),
                     {"`rope_scaling.high_freq_factor` is 1"});
  expect_range_error(scaled(R"("type": "llama3", "factor": 2, "low_freq_factor": 0, "high_freq_factor": 1,
                               "original_max_position_embeddings": 1024)"),
                     {"`rope_scaling.low_freq_factor` is 0"});
  expect_range_error(scaled(R"("type": "proportional", "factor": 0)"), {"`rope_scaling.factor` is 0"});
  expect_range_error(scaled(R"("type": "proportional", "partial_rotary_factor": 0)"),
                     {"partial_rotary_factor` is 0"});
  expect_range_error(scaled(R"("type": "receptive-field", "alpha": 2, "rho": 1)"),
                     {"`rope_scaling.alpha` is 2"});
  expect_range_error(scaled(R"("type": "receptive-field", "alpha": [0, 2], "rho": 1)"),
                     {"`rope_scaling.alpha[1]` is 2"});
  expect_range_error(scaled(R"("type": "receptive-field", "alpha": [], "rho": 1)"),
                     {"`rope_scaling.alpha` is an array of 0"});
  expect_range_error(scaled(R"("type": "receptive-field", "alpha": 0, "rho": -1)"),
                     {"`rope_scaling.rho` is -1"});
}

TEST(RopeConfigErrors, WrongLengths) {
  const auto longrope = [](const std::string& factors) {
    return R"({"head_dim": 4, "max_position_embeddings": 16, "rope_scaling": {"type": "longrope",
        "original_max_position_embeddings": 8, )" +
           factors + "}}";
  };
  const ConfigOptions nine{.sequence_length = 9};
  expect_range_error(longrope(R"("short_factor": [1], "long_factor": [1, 1])"),
                     {"`rope_scaling.short_factor` is an array of 1; allowed: rotary_dim/2 = 2 numbers"},
                     nine);
  expect_range_error(longrope(R"("short_factor": [1, 1], "long_factor": [1, 1, 1])"),
                     {"`rope_scaling.long_factor` is an array of 3"}, nine);
  expect_range_error(R"({"head_dim": 4, "rope_scaling": {"type": "longrope", "short_factor": [1, 1],
      "long_factor": [1, 1], "factor": 2, "original_max_position_embeddings": 0}})",
                     {"`rope_scaling.original_max_position_embeddings` is 0"}, nine);
  expect_range_error(longrope(R"("short_factor": [1, 0], "long_factor": [1, 1])"),
                     {"`rope_scaling.short_factor[1]` is 0"}, nine);
  expect_range_error(
      longrope(R"("short_factor": [1, 1], "long_factor": [1, 1], "short_mscale": 1, "long_mscale": 1,
      "attention_factor": 1)"),
      {"`rope_scaling.attention_factor` is 1", "`short_mscale`"}, nine);
  expect_range_error(scaled(R"("mrope_section": [8, 12, 13])"),
                     {"`rope_scaling.mrope_section` is sections of 33 pairs", "rotary_dim/2 = 32"});
  expect_range_error(scaled(R"("mrope_section": [])"), {"`rope_scaling.mrope_section`"});
  expect_range_error(scaled(R"("mrope_section": [33, -1])"), {"`rope_scaling.mrope_section[1]` is -1"});
  expect_range_error(scaled(R"("type": "receptive-field", "alpha": [0, 0], "rho": [1, 1, 1])"),
                     {"`rope_scaling.rho` is an array of 3", "as many as `alpha` has (2)"});
}

TEST(RopeConfigErrors, ValuesAtOdds) {
  expect_range_error(llama(R"("rope_theta": 1, "rope_parameters": {"rope_theta": 2},)"),
                     {"`rope_theta` is 1; allowed: the same as `rope_parameters.rope_theta` = 2"});
  expect_range_error(llama(R"("rope_theta": 1, "rotary_emb_base": 2,)"),
                     {"`rotary_emb_base` is 2", "`rope_theta` = 1"});
  expect_range_error(llama(R"("rotary_pct": 0.5, "partial_rotary_factor": 0.25,)"), {"`rotary_pct` is 0.5"});
  expect_range_error(llama(R"("rotary_dim": 16, "partial_rotary_factor": 0.5,)"),
                     {"`rotary_dim` is 16", "32"});
  expect_range_error(
      llama(R"("rope_scaling": {"type": "linear", "factor": 2}, "rope_parameters": {"type": "default"},)"),
      {"`rope_scaling` is an object of 2 keys; allowed: the same as `rope_parameters`"});
  expect_range_error(scaled(R"("type": "linear", "rope_type": "ntk", "factor": 2)"),
                     {"`rope_scaling.type` is \"linear\"; allowed: the same as `rope_type`, \"ntk\""});
  expect_range_error(llama(R"("original_max_position_embeddings": 1024,
      "rope_scaling": {"type": "yarn", "original_max_position_embeddings": 2048},)"),
                     {"`rope_scaling.original_max_position_embeddings` is 2048", "1024"});
  expect_range_error(llama(R"("rotary_dim": 32, "rope_scaling": {"type": "proportional"},)"),
                     {"`rotary_dim` is 32", "\"proportional\""});
}

TEST(RopeConfigErrors, LayerTypes) {
  const std::string choices = "\"full_attention\" or \"sliding_attention\"";
  expect_type_error(fixture("gemma-4-31b"),
                    {"`layer_type` is missing", "`text_config.rope_parameters`", choices});
  expect_range_error(fixture("gemma-4-31b"), {"`layer_type` is \"chunked\"; allowed: " + choices},
                     {.layer_type = "chunked"});
  const std::string gemma3 = R"({"head_dim": 8, "rope_local_base_freq": 10000})";
  expect_type_error(gemma3, {"`layer_type` is missing", "`rope_local_base_freq`", choices});
  expect_range_error(gemma3, {"`layer_type` is \"x\"; allowed: " + choices}, {.layer_type = "x"});
  expect_type_error(R"({"head_dim": 8, "global_head_dim": 16})",
                    {"`layer_type` is missing", "`global_head_dim`"});
  expect_range_error(llama(), {"`layer_type` is \"x\"; allowed: none"}, {.layer_type = "x"});
  expect_range_error(fixture("gpt-oss-20b"),
                     {"`layer_type` is \"x\"; allowed: \"sliding_attention\" or \"full_attention\""},
                     {.layer_type = "x"});
  // A type without a rotation, and a member that is no dictionary.
  expect_range_error(R"({"head_dim": 8, "rope_parameters": {"a": {"rope_theta": 1}, "b": null}})",
                     {"`layer_type` is \"b\"; allowed: \"a\""}, {.layer_type = "b"});
  expect_type_error(R"({"head_dim": 8, "rope_parameters": {"a": {"rope_theta": 1}, "rope_theta": 2}})",
                    {"`rope_parameters.rope_theta` is 2; allowed: an object"}, {.layer_type = "a"});
  expect_unknown(R"({"head_dim": 8, "rope_parameters": {"a": {"rope_tetha": 1}}})",
                 {"`rope_parameters.a.rope_tetha`; did you mean `rope_parameters.a.rope_theta`?"},
                 {.layer_type = "a"});
}

// GGUF.

/// A small GGUF llama with more keys, each followed by a comma.
std::string gguf(const std::string& more = "", const std::string& architecture = "llama") {
  std::string text = R"({"general.architecture": "A", "A.embedding_length": 512, "A.attention.head_count": 8,
      "A.context_length": 8192, )" +
                     more + "\"A.block_count\": 2}";
  for (std::size_t at; (at = text.find("\"A")) != std::string::npos;) text.replace(at + 1, 1, architecture);
  return text;
}

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

// Parts of a model's attention beside the rotation.

ConfigReading reading_of(const std::string& json, const ConfigOptions& options = {}) {
  return read_rope_config(json, options);
}

/// One of the notes has this part.
void expect_note(const ConfigReading& reading, const std::string& part) {
  std::string all;
  for (const std::string& note : reading.notes) all += note + "\n";
  EXPECT_NE(all.find(part), std::string::npos) << all << "lacks " << part;
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
  ASSERT_TRUE(reading.query_scale);
  EXPECT_EQ(reading.query_scale->beta, 0.1);
  EXPECT_EQ(reading.query_scale->period, 16384);
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

TEST(RopeConfigErrors, ALayerTypeThatDoesNotRotate) {
  const std::string cohere = R"({"model_type": "cohere2", "head_dim": 128,
      "layer_types": ["sliding_attention", "full_attention"]})";
  expect_range_error(cohere, {"`layer_type` is \"full_attention\"", "do not rotate"},
                     {.layer_type = "full_attention"});
  EXPECT_TRUE(try_read_rope_config(cohere, {.layer_type = "sliding_attention"}).ok());
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
  // Pixtral: even frequencies for rows, odd ones for columns, of one sequence.
  const Rope pixtral(of(R"({"model_type": "pixtral", "head_dim": 64, "rope_theta": 10000.0})"));
  EXPECT_NEAR(pixtral.frequencies()[1], std::pow(10000.0, -4.0 / 64), 1e-15);
  EXPECT_NEAR(pixtral.frequencies()[16], std::pow(10000.0, -2.0 / 64), 1e-15);
  EXPECT_EQ(pixtral.axes(), 2u);
  expect_range_error(R"({"_class_name": "LTXVideoTransformer3DModel"})", {"`_class_name` is \"LTX"});
  expect_range_error(R"({"model_type": "llama4_vision_model", "head_dim": 64})",
                     {"`model_type` is \"llama4_vision"});
  expect_range_error(R"({"model_type": "ernie4_5_vl_moe", "head_dim": 128, "rope_scaling": {"type": "default",
                         "mrope_section": [22, 22, 20]}})",
                     {"`rope_scaling.mrope_section`", "alternate"});
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

}  // namespace
}  // namespace ropewalk
