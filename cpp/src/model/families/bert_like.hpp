#pragma once

// Shared by BERT and models with its module tree: the names of tensors, and the keys of sizes.

#include "model/families/family.hpp"
#include "model/families/keys.hpp"

namespace ropewalk::model {

/// Names within the base model, and of the masked-language-model, token, span and choice heads.
inline constexpr Name bert_base_names[] = {
    {"embedding.words", "embeddings.word_embeddings"},
    {"embedding.types", "embeddings.token_type_embeddings"},
    {"embedding.positions", "embeddings.position_embeddings"},
    {"embedding.norm", "embeddings.LayerNorm"},
    {"embedding.projection", "embeddings_project"},
    {"positions.relative_attention_bias", "encoder.relative_attention_bias"},
    {"attention.query", "encoder.layer.{}.attention.self.query"},
    {"attention.key", "encoder.layer.{}.attention.self.key"},
    {"attention.value", "encoder.layer.{}.attention.self.value"},
    {"attention.output", "encoder.layer.{}.attention.output.dense"},
    {"attention.norm", "encoder.layer.{}.attention.output.LayerNorm"},
    {"attention.relative_key", "encoder.layer.{}.attention.self.relative_key"},
    {"attention.content_bias", "encoder.layer.{}.attention.self.content_bias"},
    {"attention.position_bias", "encoder.layer.{}.attention.self.position_bias"},
    {"attention.rotary_alpha", "encoder.layer.{}.attention.self.rotary_alpha"},
    {"attention.rotary_rho", "encoder.layer.{}.attention.self.rotary_rho"},
    {"attention.polar_bias", "encoder.layer.{}.attention.self.polar_bias"},
    {"attention.relative", "encoder.layer.{}.attention.self.relative"},
    {"attention.relative_profiles", "encoder.layer.{}.attention.self.relative_profiles"},
    {"attention.directions", "encoder.layer.{}.attention.self.projection_matrix"},
    {"feed_forward.up", "encoder.layer.{}.intermediate.dense"},
    {"feed_forward.down", "encoder.layer.{}.output.dense"},
    {"feed_forward.norm", "encoder.layer.{}.output.LayerNorm"},
    {"sequence_classification.dense", "pooler.dense"},
    {"choice.dense", "pooler.dense"},
};

/// Names of the parts of RoBERTa's heads, which MPNet has as well.
inline constexpr Name roberta_head_names[] = {
    {"masked_lm.dense", "lm_head.dense"},
    {"masked_lm.norm", "lm_head.layer_norm"},
    {"masked_lm.decoder", "lm_head.decoder"},
    {"masked_lm.decoder.bias", "lm_head.bias"},
    {"sequence_classification.dense", "classifier.dense"},
    {"sequence_classification.output", "classifier.out_proj"},
    {"token_classification.output", "classifier"},
    {"span.output", "qa_outputs"},
    {"choice.output", "classifier"},
};

/// Sizes, activation, dropout and initial weights: the keys that such configurations share, with the defaults
/// in `spec`. `fewest_types` is the least `type_vocab_size`.
void read_bert_like(Keys& keys, Spec& spec, std::size_t fewest_types = 1);

/// How many learned positions there are.
std::size_t read_absolute_positions(Keys& keys);

/// Learned positions that do not count padding and begin behind its id.
positions::Learned read_positions_behind_padding(Keys& keys, const Spec& spec);

/// Heads that read a whole sequence begin with the first position and a dense layer with tanh.
void classify_by_first(HeadSpec& head);

/// The same for RoBERTa and MPNet, whose masked-language-model head has the exact GELU whatever the blocks have.
void adapt_roberta_head(const Spec& spec, HeadSpec& head);

}  // namespace ropewalk::model
