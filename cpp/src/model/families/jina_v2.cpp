// Jina v2 (Guenther et al., arXiv 2310.19923): BERT with gated layers whose positions are ALiBi's, on both sides. Files say
// model_type "bert" and position_embedding_type "alibi", as jinaai/jina-bert-implementation has it.

#include "base/text.hpp"
#include "model/families/bert_like.hpp"
#include "model/loading/tensors.hpp"

namespace ropewalk::model {
namespace {

constexpr std::string_view family = "jina-bert-v2";

constexpr Name base_names[] = {
    {"embedding.words", "embeddings.word_embeddings"},
    {"embedding.types", "embeddings.token_type_embeddings"},
    {"embedding.norm", "embeddings.LayerNorm"},
    {"attention.query", "encoder.layer.{}.attention.self.query"},
    {"attention.key", "encoder.layer.{}.attention.self.key"},
    {"attention.value", "encoder.layer.{}.attention.self.value"},
    {"attention.output", "encoder.layer.{}.attention.output.dense"},
    {"attention.norm", "encoder.layer.{}.attention.output.LayerNorm"},
    {"feed_forward.gate_up", "encoder.layer.{}.mlp.gated_layers"},
    {"feed_forward.gate", "encoder.layer.{}.mlp.gated_layers_w"},
    {"feed_forward.up", "encoder.layer.{}.mlp.gated_layers"},
    {"feed_forward.down", "encoder.layer.{}.mlp.wo"},
    {"feed_forward.norm", "encoder.layer.{}.mlp.layernorm"},
    {"sequence_classification.dense", "pooler.dense"},
    {"choice.dense", "pooler.dense"},
};

constexpr Name head_names[] = {
    {"masked_lm.dense", "cls.predictions.transform.dense"},
    {"masked_lm.norm", "cls.predictions.transform.LayerNorm"},
    {"masked_lm.decoder", "cls.predictions.decoder"},
    {"masked_lm.decoder.bias", "cls.predictions.bias"},
    {"sequence_classification.output", "classifier"},
    {"token_classification.output", "classifier"},
    {"span.output", "qa_outputs"},
    {"choice.output", "classifier"},
};

bool reads(const json::Value& config) {
  const json::Value* const type = config.find("position_embedding_type");
  return type != nullptr && type->kind == json::Kind::text && type->text == "alibi";
}

Result<Spec> read(const json::Value& config) {
  Spec spec;
  spec.vocabulary = 30522;
  Keys keys(config, family);
  read_bert_like(keys, spec);
  keys.must_be_false("is_decoder");
  // True in the model for code, whose norms of queries and keys are not computed.
  keys.must_be_false("qk_layernorm");
  std::string network = "original";
  keys.text("feed_forward_type", network);
  if (network != "geglu" && network != "reglu") {
    keys.keep(unsupported(family, "feed_forward_type", json::quoted(std::string_view(network)),
                          "\"geglu\" or \"reglu\""));
  }
  spec.feed_forward.activation = network == "reglu" ? Activation::relu : Activation::gelu;
  spec.feed_forward.gated = true;
  spec.feed_forward.packing = FeedForwardSpec::Packing::gate_up;
  spec.feed_forward.bias = false;
  spec.positions = positions::Alibi{.slopes_of_powers = true};
  // Pooling is that of modules.json; the rest says how the original code computes the same.
  for (const auto quiet : {"position_embedding_type", "emb_pooler", "attn_implementation", "model_max_length",
                           "classifier_dropout", "gradient_checkpointing"})
    keys.members().find(quiet);
  if (!keys.status().ok()) return keys.status();
  // The head of words has the activation of the configuration, whatever the layers have.
  HeadSpec words{.kind = "masked_lm", .dense = true, .norm = true, .tied = spec.tied};
  keys.activation("hidden_act", words.activation);
  if (!keys.status().ok()) return keys.status();
  spec.possible_heads = {words};
  return spec;
}

void adapt_head(const Spec&, HeadSpec& head) { classify_by_first(head); }

/// GGUF files of 2024 have the gates in a matrix of their own.
Status told_by_tensors(Spec& spec, Tensors& tensors, std::vector<std::string>&) {
  if (tensors.find("bert.encoder.layer.0.mlp.gated_layers_w.weight") != nullptr)
    spec.feed_forward.packing = FeedForwardSpec::Packing::separate;
  return {};
}

constexpr Name gguf_names[] = {{"attention.norm", "blk.{}.attn_output_norm"},
                               {"feed_forward.norm", "blk.{}.layer_output_norm"}};
constexpr GgufSwitch gguf_switches[] = {{"blk.0.attn_q_norm.weight", "qk_layernorm"}};
constexpr GgufText gguf_texts[] = {{"position_embedding_type", "alibi"}, {"feed_forward_type", "geglu"}};

}  // namespace

extern const Family jina_v2 = {.name = family,
                               .model_type = "bert",
                               .reads = reads,
                               .read = read,
                               .adapt_head = adapt_head,
                               .told_by_tensors = told_by_tensors,
                               .names = {"bert.", base_names, head_names},
                               .gguf = {.architecture = "jina-bert-v2",
                                        .names = gguf_names,
                                        .switches = gguf_switches,
                                        .texts = gguf_texts,
                                        .epsilon = {"attention.layer_norm_epsilon", "layer_norm_eps"}}};

}  // namespace ropewalk::model
