#pragma once

// Shared by the two versions of RoFormer.

#include "model/families/bert_like.hpp"

namespace ropewalk::model {

inline constexpr Name roformer_head_names[] = {
    {"masked_lm.dense", "cls.predictions.transform.dense"},
    {"masked_lm.norm", "cls.predictions.transform.LayerNorm"},
    {"masked_lm.decoder", "cls.predictions.decoder"},
    {"masked_lm.decoder.bias", "cls.predictions.bias"},
    {"sequence_classification.dense", "classifier.dense"},
    {"sequence_classification.output", "classifier.out_proj"},
    {"token_classification.output", "classifier"},
    {"span.output", "qa_outputs"},
    {"choice.output", "classifier"},
};

/// Values of `position_encoding`.
std::vector<std::string_view> position_encoding_names();

/// `norm_type`, or "layer_norm".
std::string roformer_norm_type(const json::Value& config);

/// All keys, with RoFormer's defaults.
void read_roformer(Keys& keys, const json::Value& config, Spec& spec);

/// RoFormer-v2, if no tensor belongs to version 1 alone.
Status roformer_v2_by_tensors(Spec& spec, Tensors& tensors, std::vector<std::string>& notes);

}  // namespace ropewalk::model
