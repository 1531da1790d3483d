#pragma once

#include "model/heads/head.hpp"

namespace ropewalk::model {

/// A head that predicts a word at each token: logits = N(f(W x + b)) words^T + bias, or x words^T alone, as
/// far as `head` has the parts, and a cap on them. Its parameters have the roles "kind.dense", "kind.norm"
/// and "kind.decoder". It learns from labels (B,T). range error where the widths do not fit.
Result<std::unique_ptr<Head>> make_word_prediction(Builder& builder, const Spec& spec, const HeadSpec& head,
                                                   const Trunk& trunk);

}  // namespace ropewalk::model
