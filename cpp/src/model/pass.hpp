#pragma once

// Forward and backward of the whole model. Arguments are checked by check_input; nothing here fails or
// allocates.

#include <cstdint>
#include <span>

#include "model/activations.hpp"
#include "model/model.hpp"
#include "nn/loss.hpp"

namespace ropewalk::roformer {

/// Checked input; B and T are those of the activations.
struct Batch {
  const std::int32_t* ids;                 // (B,T)
  const std::int32_t* types = nullptr;     // (B,T), or nullptr: all 0
  const std::uint8_t* key_mask = nullptr;  // (B,T), 0 is padding, or nullptr: none
};

/// Dropout of a training step: off unless asked for. The same seed gives the same masks in both directions.
struct Dropout {
  bool on = false;
  std::uint64_t seed = 0;
};

/// Lengths, then ids, types and mask: the first that is out of range is named with its index. `function`
/// begins the message.
Status check_input(const RoFormerConfig& config, const RoFormerInput& input, const char* function);

/// Prepares the activations, and copies the mask into them where it hides anything. `input` is checked.
Result<Batch> prepare(const Model& model, const RoFormerInput& input, const Keep& keep,
                      Activations& activations);

/// Embeddings and layers.
void encode(const Model& model, const Batch& batch, const Dropout& dropout, Activations& activations);

/// Masked-language-model logits of all rows, into activations.logits (B,T,V).
void masked_lm_forward(const Model& model, Activations& activations);
/// Class logits of the first token, into activations.class_logits (B,labels).
void classification_forward(const Model& model, const Dropout& dropout, Activations& activations);

/// Into token_logits (B,T,labels).
void token_classification_forward(const Model& model, Activations& activations);
/// Into start_logits and end_logits (B,T).
void question_answering_forward(const Model& model, Activations& activations);
/// Into choice_logits (B).
void multiple_choice_forward(const Model& model, Activations& activations);

/// Mean cross-entropy over the labels that are not -100, with logits of those rows only. labels (B,T).
nn::Loss masked_lm_loss(const Model& model, const std::int32_t* labels, Activations& activations);
/// As masked_lm_loss for the classification head. labels (B).
nn::Loss classification_loss(const Model& model, const std::int32_t* labels, const Dropout& dropout,
                             Activations& activations);
/// Mean squared error of the classification head's one output. targets (B).
nn::Loss regression_loss(const Model& model, const float* targets, const Dropout& dropout,
                         Activations& activations);

/// Gradients of the loss just computed (activations kept with Keep::gradients), added to `gradients`, a
/// buffer of the layout of the parameters: zero it first, or accumulate over batches. Consumes the
/// activations.
void masked_lm_backward(const Model& model, const Batch& batch, const nn::Loss& loss, const Dropout& dropout,
                        Activations& activations, std::span<float> gradients);
void classification_backward(const Model& model, const Batch& batch, const std::int32_t* labels,
                             const nn::Loss& loss, const Dropout& dropout, Activations& activations,
                             std::span<float> gradients);
void regression_backward(const Model& model, const Batch& batch, const float* targets, const nn::Loss& loss,
                         const Dropout& dropout, Activations& activations, std::span<float> gradients);
/// The part of both that does not know the loss: activations.class_logits holds the gradient of the logits.
void class_logits_backward(const Model& model, const Batch& batch, const Dropout& dropout,
                           Activations& activations, std::span<float> gradients);

}  // namespace ropewalk::roformer
