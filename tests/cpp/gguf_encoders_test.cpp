// Golden encoders as the converter of llama.cpp writes them, one of each architecture: the same states.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "converted_gguf.hpp"
#include "golden.hpp"
#include "golden_encoders.hpp"
#include "ropewalk/decoder.hpp"
#include "ropewalk/encoder.hpp"

namespace gguf_encoders_test {

using namespace ropewalk;
using converted_gguf::Checkpoint;
using converted_gguf::convert;
using converted_gguf::Converted;
using converted_gguf::llama_names_and;
using converted_gguf::Names;
using converted_gguf::pre_norm;
using converted_gguf::Stored;

const Names bert_names = {
    {"distilbert.", ""},
    {"roberta.", ""},
    {"bert.", ""},
    {"mlp.gated_layers_w.", "ffn_gate."},
    {"mlp.gated_layers.", "ffn_up."},
    {"embeddings.word_embeddings.", "token_embd."},
    {"embeddings.token_type_embeddings.", "token_types."},
    {"embeddings.position_embeddings.", "position_embd."},
    {"embeddings.LayerNorm.", "token_embd_norm."},
    {"emb_ln.", "token_embd_norm."},
    {"encoder.layers.", "blk."},
    {"encoder.layer.", "blk."},
    {"transformer.layer.", "blk."},
    {"layers.", "blk."},
    {"attention.self.query.", "attn_q."},
    {"attention.self.key.", "attn_k."},
    {"attention.self.value.", "attn_v."},
    {"attention.q_lin.", "attn_q."},
    {"attention.k_lin.", "attn_k."},
    {"attention.v_lin.", "attn_v."},
    {"attention.out_lin.", "attn_output."},
    {"attention.output.dense.", "attn_output."},
    {"attention.output.LayerNorm.", "attn_output_norm."},
    {"sa_layer_norm.", "attn_output_norm."},
    {"output_layer_norm.", "layer_output_norm."},
    {"intermediate.dense.", "ffn_up."},
    {"ffn.lin1.", "ffn_up."},
    {"ffn.lin2.", "ffn_down."},
    {".output.dense.", ".ffn_down."},
    {".output.LayerNorm.", ".layer_output_norm."},
    {"mlp.wo.", "ffn_down."},
    {"mlp.layernorm.", "layer_output_norm."},
    {"attn.Wqkv.", "attn_qkv."},
    {"attn.out_proj.", "attn_output."},
    {"self_attn.qkv_proj.", "attn_qkv."},
    {"self_attn.o_proj.", "attn_output."},
    {"post_attention_layernorm.", "attn_output_norm."},
    {"post_mlp_layernorm.", "layer_output_norm."},
    {"norm1.", "attn_output_norm."},
    {"norm2.", "layer_output_norm."},
    {"mlp.fc11.", "ffn_up."},
    {"mlp.fc12.", "ffn_gate."},
    {"mlp.fc1.", "ffn_up."},
    {"mlp.fc2.", "ffn_down."},
    {"classifier.dense.", "cls."},
    {"classifier.out_proj.", "cls.output."},
};
const Names embedder_names = [] {
  Names names = pre_norm;
  names.insert(names.end(), {{"embed_tokens.", "token_embd."}, {"layers.", "blk."}});
  return names;
}();
const Names gemma_names = llama_names_and({{"embed_tokens.", "token_embd."},
                                           {"layers.", "blk."},
                                           {"post_attention_layernorm.", "post_attention_norm."},
                                           {"pre_feedforward_layernorm.", "ffn_norm."},
                                           {"post_feedforward_layernorm.", "post_ffw_norm."}});

/// The gains of a Gemma's norms with the 1 that the converter adds.
void add_one(Stored& tensor) {
  ASSERT_EQ(tensor.type, "BF16");
  std::string bytes;
  for (std::size_t i = 0; i < tensor.bytes.size(); i += 2) {
    std::uint16_t upper = 0;
    std::memcpy(&upper, tensor.bytes.data() + i, 2);
    converted_gguf::put<float>(bytes, std::bit_cast<float>(std::uint32_t{upper} << 16) + 1);
  }
  tensor.type = "F32";
  tensor.bytes = bytes;
}

void add_one_to_norms(Checkpoint& checkpoint) {
  for (auto& [name, tensor] : checkpoint) {
    if (name.ends_with("norm.weight")) add_one(tensor);
  }
  // The name of the last norm is the end of other names.
  checkpoint["output_norm.weight"] = checkpoint.extract("norm.weight").mapped();
}

void rename_last_norm(Checkpoint& checkpoint) {
  checkpoint["output_norm.weight"] = checkpoint.extract("norm.weight").mapped();
}

/// The masked-language-model head is not in files of EuroBERT.
void without_head(Checkpoint& checkpoint) { checkpoint.erase("lm_head.weight"); }

/// The rows of a table of positions that stand for padding.
void without_rows_of_padding(Checkpoint& checkpoint) {
  for (auto& [name, tensor] : checkpoint) {
    if (!name.ends_with("position_embeddings.weight")) continue;
    tensor.bytes.erase(0, 2 * tensor.bytes.size() / tensor.shape[0]);
    tensor.shape[0] -= 2;
  }
}

/// Queries, keys and values in one matrix, as the checkpoints of Jina have them.
void in_one_matrix(Checkpoint& checkpoint) {
  Checkpoint joined;
  for (const auto& [name, tensor] : checkpoint) {
    const std::size_t at = name.find("q_proj");
    if (at == name.npos) continue;
    Stored all = tensor;
    for (const char* other : {"k_proj", "v_proj"})
      all.bytes += checkpoint.at(std::string(name).replace(at, 6, other)).bytes;
    all.shape[0] *= 3;
    joined[std::string(name).replace(at, 6, "qkv_proj")] = all;
  }
  std::erase_if(checkpoint, [](const auto& each) {
    return each.first.find(".q_proj") != std::string::npos ||
           each.first.find(".k_proj") != std::string::npos || each.first.find(".v_proj") != std::string::npos;
  });
  checkpoint.merge(joined);
}

/// The gates apart from the rest, as the converter did in 2024.
void with_gates_apart(Checkpoint& checkpoint) {
  Checkpoint gates;
  for (auto& [name, tensor] : checkpoint) {
    const std::size_t at = name.find("gated_layers");
    if (at == name.npos) continue;
    const std::size_t half = tensor.bytes.size() / 2;
    tensor.shape[0] /= 2;
    gates[std::string(name).replace(at, 12, "gated_layers_w")] = {tensor.type, tensor.shape,
                                                                  tensor.bytes.substr(0, half)};
    tensor.bytes.erase(0, half);
  }
  checkpoint.merge(gates);
}

std::vector<Converted> converted_encoders() {
  const auto keys = [](double epsilon, double base = 0) {
    nlohmann::json all = {{"attention.layer_norm_epsilon", epsilon}, {"attention.causal", false}};
    if (base != 0) all["rope.freq_base"] = base;
    return all;
  };
  const auto with_positions = [](nlohmann::json all, int positions) {
    all["context_length"] = positions;
    return all;
  };
  return {
      {"encoders-3/jina-v2", "jina-bert-v2", keys(1e-12), bert_names},
      {"encoders-3/jina-v2", "jina-bert-v2", keys(1e-12), bert_names, with_gates_apart},
      {"encoders/nomic-v1_5", "nomic-bert", keys(1e-12, 1000), bert_names},
      {"encoders/jina-v3", "jina-bert-v3", keys(1e-5, 20000), bert_names, in_one_matrix},
      {"encoders/distilbert", "bert", keys(1e-12), bert_names},
      {"encoders/roberta", "bert", with_positions(keys(1e-12), 62), bert_names, without_rows_of_padding},
      {"encoders/xlm-roberta-reranker", "bert", with_positions(keys(1e-5), 40), bert_names,
       without_rows_of_padding},
      {"encoders/eurobert",
       "eurobert",
       {{"attention.layer_norm_rms_epsilon", 1e-5},
        {"attention.causal", false},
        {"rope.freq_base", 250000.0},
        {"rope.scaling.type", "none"}},
       pre_norm,
       without_head},
      {"encoders/embeddinggemma",
       "gemma-embedding",
       {{"attention.layer_norm_rms_epsilon", 1e-6}, {"rope.freq_base", 1000000.0}, {"pooling_type", 1}},
       gemma_names,
       add_one_to_norms},
      {"encoders/qwen3-embedding",
       "qwen3",
       {{"attention.layer_norm_rms_epsilon", 1e-6}, {"rope.freq_base", 10000.0}, {"pooling_type", 3}},
       embedder_names,
       rename_last_norm},
  };
}

// As an encoder it has no head, as a decoder it predicts words.
TEST(GgufModels, OfAnEmbedderAreDecodersAsWell) {
  const Converted model = converted_encoders().back();
  const std::vector<std::byte> file = convert(model);
  const Result<Encoder> encoder = Encoder::make_gguf(file);
  ASSERT_TRUE(encoder.ok()) << encoder.status().message();
  EXPECT_TRUE(encoder.value().spec().heads.empty());
  const Result<Decoder> decoder = Decoder::make_gguf(file);
  ASSERT_TRUE(decoder.ok()) << decoder.status().message();
}

TEST(GgufModels, OfEachArchitectureGiveTheStatesOfTheGoldenEncoder) {
  for (const Converted& each : converted_encoders()) {
    SCOPED_TRACE(std::string(each.folder) + " as " + each.architecture);
    const nlohmann::json expected = golden::read(std::string(each.folder) + "/expected.json");
    Result<Encoder> made = Encoder::make_gguf(convert(each));
    if (!made.ok()) {
      ADD_FAILURE() << made.status().message();
      continue;
    }
    Encoder& model = made.value();
    EXPECT_TRUE(model.notes().empty() || each.architecture == std::string("gemma-embedding"))
        << model.notes().front();
    double worst = 0;
    for (const nlohmann::json& one : expected["cases"]) {
      const golden_encoders::Input input(one);
      const auto output = model.forward(input.get(), {.logits = false});
      const auto counts = [&](std::size_t row) { return input.mask[row] != 0; };
      const std::size_t width = model.spec().hidden;
      worst = std::max(worst, golden_encoders::distance(output.last_hidden_state,
                                                        one["last_hidden_state"].get<std::vector<double>>(),
                                                        width, counts));
      if (!one.contains("scores")) continue;
      const std::vector<double> logits = one["logits"];
      worst = std::max(
          worst, golden_encoders::distance(output.class_logits, logits, 1, [](std::size_t) { return true; }));
    }
    EXPECT_LE(worst, 1e-5);
    std::printf("  %s as %s: %.1e\n", each.folder, each.architecture, worst);
  }
}

// Norms of queries, as the model for code has them.
TEST(GgufModels, RefuseAJinaWithNormsOfQueries) {
  Converted model = converted_encoders().front();
  model.change = [](Checkpoint& checkpoint) {
    checkpoint["blk.0.attn_q_norm.weight"] = checkpoint.at("bert.embeddings.LayerNorm.weight");
  };
  const Result<Encoder> made = Encoder::make_gguf(convert(model));
  ASSERT_FALSE(made.ok());
  EXPECT_NE(made.status().message().find("qk_layernorm"), std::string::npos) << made.status().message();
}

}  // namespace gguf_encoders_test
