// Every way in which a configuration can be wrong.

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <string>

#include "rope_configs.hpp"

namespace ropewalk {
namespace rope_config_errors_test {

using namespace rope_configs;

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
  expect_range_error(R"({"hidden_size": 384, "num_attention_heads": 12, "model_type": "bert"})",
                     {"`model_type` is \"bert\"; allowed: a model whose positions are rotary"});
  expect_range_error(R"({"model_type": "llama", "text_config": {"head_dim": 8, "model_type": "x"}})",
                     {"`text_config.model_type` is \"x\""});
  for (const char* part : {"lama", "qwen2 qwen3", "", " "}) {
    expect_range_error("{\"head_dim\": 8, \"model_type\": \"" + std::string(part) + "\"}",
                       {"`model_type` is "});
  }
}

TEST(RopeConfigErrors, ModelsThatDoNotRotateAsTheirFilesSay) {
  expect_range_error(R"({"model_type": "mpt"})",
                     {"`model_type` is \"mpt\"; allowed: a model whose positions"});
  expect_range_error(
      R"({"model_type": "esm"})",
      {"`position_embedding_type` is missing; allowed: \"rotary\", since nothing rotates without"});
  expect_range_error(R"({"model_type": "esm", "position_embedding_type": "absolute"})",
                     {"`position_embedding_type` is \"absolute\""});
  expect_range_error(R"({"model_type": "falcon", "alibi": true})", {"`alibi` is true", "nothing rotates"});
  EXPECT_TRUE(try_rope_options_from_config(R"({"model_type": "falcon", "alibi": false})").ok());
  EXPECT_TRUE(
      try_rope_options_from_config(R"({"model_type": "esm", "position_embedding_type": "rotary"})").ok());
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
  expect_range_error(unnamed(R"("partial_rotary_factor": 0.05,)"),
                     {"`partial_rotary_factor` is 0.05", "even"});
  expect_range_error(unnamed(R"("rotary_dim": 66,)"), {"`rotary_dim` is 66", "head_dim = 64"});
  expect_range_error(unnamed(R"("rotary_dim": 31,)"), {"`rotary_dim` is 31", "even"});
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
  expect_range_error(unnamed(R"("rope_theta": 1, "rotary_emb_base": 2,)"),
                     {"`rotary_emb_base` is 2", "`rope_theta` = 1"});
  expect_range_error(unnamed(R"("rotary_pct": 0.5, "partial_rotary_factor": 0.25,)"),
                     {"`rotary_pct` is 0.5"});
  expect_range_error(unnamed(R"("rotary_dim": 16, "partial_rotary_factor": 0.5,)"),
                     {"`rotary_dim` is 16", "32"});
  expect_range_error(
      llama(R"("rope_scaling": {"type": "linear", "factor": 2}, "rope_parameters": {"type": "default"},)"),
      {"`rope_scaling` is an object of 2 keys; allowed: the same as `rope_parameters`"});
  expect_range_error(scaled(R"("type": "linear", "rope_type": "ntk", "factor": 2)"),
                     {"`rope_scaling.type` is \"linear\"; allowed: the same as `rope_type`, \"ntk\""});
  expect_range_error(llama(R"("original_max_position_embeddings": 1024,
      "rope_scaling": {"type": "yarn", "original_max_position_embeddings": 2048},)"),
                     {"`rope_scaling.original_max_position_embeddings` is 2048", "1024"});
  expect_range_error(unnamed(R"("rotary_dim": 32, "rope_scaling": {"type": "proportional"},)"),
                     {"`rotary_dim` is 32", "\"proportional\""});
}

TEST(RopeConfigErrors, KeysThatTheClassDoesNotRead) {
  expect_range_error(llama(R"("partial_rotary_factor": 0.5,)"),
                     {"`partial_rotary_factor` is 0.5", "llama does not read it without a rule that scales"});
  EXPECT_EQ(of(llama(R"("partial_rotary_factor": 0.5, "rope_scaling": {"type": "linear", "factor": 2},)"))
                .rotary_dim,
            32u);
  expect_range_error(llama(R"("rotary_emb_base": 2,)"), {"`rotary_emb_base` is 2", "llama does not read it"});
  expect_range_error(llama(R"("rotary_dim": 32,)"), {"`rotary_dim` is 32; allowed: 64 or nothing"});
  expect_range_error(llama(R"("rope_local_base_freq": 10000,)"),
                     {"`rope_local_base_freq`", "llama has one base"});
  expect_range_error(R"({"model_type": "phi3", "rope_scaling": {"type": "linear", "factor": 2}})",
                     {"`rope_scaling.type` is \"linear\"", "must be one of ['longrope']"});
  expect_range_error(R"({"model_type": "nanochat"})", {"`model_type` is \"nanochat\"", "minus the position"});
  expect_range_error(R"({"model_type": "esm", "position_embedding_type": "rotary",
      "rope_scaling": {"type": "linear", "factor": 2}})",
                     {"`rope_scaling`", "esm reads `rope_theta` alone"});
  // In the dictionary that Gemma 3 adds to its own, `rope_type` counts before `type`.
  const std::string gemma3 = R"({"model_type": "gemma3_text", "rope_scaling": {"factor": 8.0, )";
  expect_range_error(gemma3 + R"("type": "linear"}})", {"`rope_scaling.type`", "`rope_type` in its place"},
                     {.layer_type = "full_attention"});
  expect_range_error(gemma3 + R"("rope_type": "yarn", "truncate": false}})",
                     {"`rope_scaling.truncate` is false"}, {.layer_type = "full_attention"});
  expect_range_error(R"({"model_type": "gemma3_text", "rope_parameters": {"rope_theta": 250000}})",
                     {"`rope_parameters`", "\"full_attention\" or \"sliding_attention\""},
                     {.layer_type = "full_attention"});
  // A base for each layer.
  expect_type_error(R"({"model_type": "step3p5", "rope_theta": [5000000, 10000]})",
                    {"`rope_theta` is an array of 2"}, {.layer_type = "full_attention"});
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

TEST(RopeConfigErrors, ALayerTypeThatDoesNotRotate) {
  const std::string cohere = R"({"model_type": "cohere2", "head_dim": 128,
      "layer_types": ["sliding_attention", "full_attention"]})";
  expect_range_error(cohere, {"`layer_type` is \"full_attention\"", "do not rotate"},
                     {.layer_type = "full_attention"});
  EXPECT_TRUE(try_read_rope_config(cohere, {.layer_type = "sliding_attention"}).ok());
}

}  // namespace rope_config_errors_test
}  // namespace ropewalk
