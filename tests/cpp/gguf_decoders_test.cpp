// Golden decoders as the converter of llama.cpp writes them, one of each architecture: the same logits.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "checkpoint.hpp"
#include "converted_gguf.hpp"
#include "golden.hpp"
#include "ropewalk/decoder.hpp"

namespace gguf_decoders_test {

using namespace ropewalk;
using converted_gguf::Checkpoint;
using converted_gguf::convert;
using converted_gguf::Converted;
using converted_gguf::llama_names_and;
using converted_gguf::Names;
using converted_gguf::pre_norm;

const Names after_norm = llama_names_and({{"post_attention_layernorm.", "post_attention_norm."},
                                          {"post_feedforward_layernorm.", "post_ffw_norm."}});
const Names glm4_names = llama_names_and({{"post_self_attn_layernorm.", "post_attention_norm."},
                                          {"post_attention_layernorm.", "ffn_norm."},
                                          {"post_mlp_layernorm.", "post_ffw_norm."},
                                          {"mlp.gate_up_proj.", "ffn_up."}});
const Names glm_names =
    llama_names_and({{"post_attention_layernorm.", "ffn_norm."}, {"mlp.gate_up_proj.", "ffn_up."}});
const Names lfm2_names = llama_names_and({{"model.embedding_norm.", "token_embd_norm."},
                                          {"operator_norm.", "attn_norm."},
                                          {"self_attn.q_layernorm.", "attn_q_norm."},
                                          {"self_attn.k_layernorm.", "attn_k_norm."},
                                          {"self_attn.out_proj.", "attn_output."},
                                          {"feed_forward.w1.", "ffn_gate."},
                                          {"feed_forward.w2.", "ffn_down."},
                                          {"feed_forward.w3.", "ffn_up."},
                                          {"conv.conv.", "shortconv.conv."},
                                          {"conv.in_proj.", "shortconv.in_proj."},
                                          {"conv.out_proj.", "shortconv.out_proj."}});
const Names gpt2_names = {
    {"transformer.", ""},          {"wte.", "token_embd."},          {"wpe.", "position_embd."},
    {"ln_f.", "output_norm."},     {"ln_1.", "attn_norm."},          {"ln_2.", "ffn_norm."},
    {"attn.c_attn.", "attn_qkv."}, {"attn.c_proj.", "attn_output."}, {"mlp.c_fc.", "ffn_up."},
    {"mlp.c_proj.", "ffn_down."},  {"lm_head.", "output."},
};
const Names neox_names = {
    {"gpt_neox.embed_in.", "token_embd."},
    {"gpt_neox.final_layer_norm.", "output_norm."},
    {"embed_out.", "output."},
    {"gpt_neox.layers.", "blk."},
    {"attention.query_key_value.", "attn_qkv."},
    {"attention.dense.", "attn_output."},
    {"mlp.dense_h_to_4h.", "ffn_up."},
    {"mlp.dense_4h_to_h.", "ffn_down."},
    {"input_layernorm.", "attn_norm."},
    {"post_attention_layernorm.", "ffn_norm."},
};

/// The weights of a convolution of channels become a matrix.
void without_middle_dimension(Checkpoint& checkpoint) {
  for (auto& [name, tensor] : checkpoint) {
    if (name.find("conv.conv") != name.npos) tensor.shape.erase(tensor.shape.begin() + 1);
  }
}

std::vector<Converted> converted_decoders() {
  const nlohmann::json rms = {{"attention.layer_norm_rms_epsilon", 1e-5}};
  const nlohmann::json norm = {{"attention.layer_norm_epsilon", 1e-5}};
  const auto with = [](nlohmann::json keys, const nlohmann::json& more) {
    keys.update(more);
    return keys;
  };
  const auto rope = [](double base, int dim) {
    return nlohmann::json{{"rope.freq_base", base}, {"rope.dimension_count", dim}};
  };
  return {
      {"decoders-2/ernie4_5", "ernie4_5", with(rms, rope(500000, 16)), pre_norm},
      {"decoders-2/stablelm", "stablelm",
       with(with(norm, rope(10000, 2)), {{"use_parallel_residual", false}}), pre_norm},
      {"decoders-2/olmo2", "olmo2", with(rms, rope(10000, 8)), after_norm},
      {"decoders-2/olmo3",
       "olmo2",
       with(with(rms, rope(10000, 8)), {{"rope.scaling.type", "yarn"},
                                        {"rope.scaling.factor", 4.0},
                                        {"rope.scaling.original_context_length", 16}}),
       after_norm,
       nullptr,
       // llama.cpp: the base of all layers, and no scaling in those with a window.
       {{"rope_parameters",
         {{"sliding_attention", {{"rope_type", "default"}, {"rope_theta", 10000.0}}},
          {"full_attention",
           {{"rope_type", "yarn"},
            {"rope_theta", 10000.0},
            {"factor", 4.0},
            {"original_max_position_embeddings", 16}}}}}}},
      {"decoders-2/exaone4", "exaone4", with(rms, rope(10000, 8)), after_norm},
      {"decoders-2/cohere2", "cohere2", with(with(norm, rope(10000, 8)), {{"logit_scale", 0.25}}), pre_norm},
      // The converter writes the base that `alpha` gives.
      {"decoders-2/hunyuan-dense", "hunyuan-dense", with(rms, rope(10000 * std::pow(1000, 16.0 / 14), 16)),
       pre_norm},
      {"decoders-2/phi", "phi2", with(norm, rope(10000, 4)), pre_norm},
      {"decoders-2/gpt2", "gpt2", norm, gpt2_names},
      {"decoders/gpt-neox", "gptneox", with(with(norm, rope(10000, 4)), {{"use_parallel_residual", true}}),
       neox_names},
      {"decoders-2/glm4", "glm4", with({{"attention.layer_norm_rms_epsilon", 1.5625e-7}}, rope(10000, 8)),
       glm4_names},
      // The converter knows another name of the number, and writes 1e-5.
      {"decoders-2/glm", "chatglm", with(rms, rope(10000, 8)), glm_names, nullptr, {{"rms_norm_eps", 1e-5}}},
      {"decoders-2/lfm2", "lfm2",
       with(rms, {{"rope.freq_base", 1000000.0},
                  {"shortconv.l_cache", 3},
                  {"attention.head_count_kv", {0, 0, 2, 0, 2}}}),
       lfm2_names, without_middle_dimension},
  };
}

TEST(GgufModels, OfEachArchitectureGiveTheLogitsOfTheGoldenDecoder) {
  for (const Converted& each : converted_decoders()) {
    SCOPED_TRACE(each.folder);
    const nlohmann::json expected = golden::read(std::string(each.folder) + "/expected.json");
    const Result<Decoder> made = Decoder::make_gguf(convert(each));
    ASSERT_TRUE(made.ok()) << made.status().message();
    KeyCache cache = made.value().cache();
    const std::vector<std::int32_t> ids = expected["ids"];
    const std::span<const float> logits = cache.feed(ids, {.all = true});
    std::vector<double> reference = expected["logits"];
    if (!each.instead.is_null()) {
      nlohmann::json config = golden::read(std::string(each.folder) + "/config.json");
      config.update(each.instead);
      const std::string file = checkpoint::text(std::string(each.folder) + "/model.safetensors");
      const Decoder same = raise(Decoder::make(config.dump(), checkpoint::bytes_of(file)));
      KeyCache other = same.cache();
      const std::span<const float> others = other.feed(ids, {.all = true});
      reference.assign(others.begin(), others.end());
    }
    ASSERT_EQ(logits.size(), reference.size());
    double worst = 0, largest = 0;
    for (std::size_t i = 0; i < reference.size(); ++i) {
      worst = std::max(worst, std::fabs(double{logits[i]} - reference[i]));
      largest = std::max(largest, std::fabs(reference[i]));
    }
    EXPECT_LE(worst, 1e-5 * largest);
    std::printf("  %s: %.1e of %.1f\n", each.folder, worst, largest);
  }
}

// Norms per head, as the model of 12 billion parameters has them.
TEST(GgufModels, RefuseAStableLmWithNormsOfQueries) {
  std::vector<Converted> all = converted_decoders();
  Converted model = all[1];
  model.names.insert(model.names.begin(), {"self_attn.q_proj.weight", "attn_q_norm.weight"});
  const Result<Decoder> made = Decoder::make_gguf(convert(model));
  ASSERT_FALSE(made.ok());
  EXPECT_NE(made.status().message().find("qk_layernorm"), std::string::npos) << made.status().message();
}

// A file whose layers have different heads, and one in which none has any.
TEST(GgufModels, RefuseHeadsOfKeysThatNoModelHas) {
  for (const nlohmann::json heads : {nlohmann::json{0, 0, 2, 0, 3}, nlohmann::json{0, 0, 0, 0, 0}}) {
    std::vector<Converted> all = converted_decoders();
    all.back().keys["attention.head_count_kv"] = heads;
    const Result<Decoder> made = Decoder::make_gguf(convert(all.back()));
    ASSERT_FALSE(made.ok());
    EXPECT_NE(made.status().message().find("lfm2.attention.head_count_kv"), std::string::npos)
        << made.status().message();
  }
}

}  // namespace gguf_decoders_test
