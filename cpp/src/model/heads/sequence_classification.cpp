// Sequence classification: the first token through dense, the encoder's own activation (not tanh, as BERT has
// it) and the output layer, with dropout before either.

#include <cstring>

#include "model/encoder_backward.hpp"
#include "model/pass.hpp"
#include "model/sites.hpp"
#include "nn/cross_entropy.hpp"
#include "nn/linear.hpp"

namespace ropewalk::roformer {

void classification_forward(const Model& model, const Dropout& dropout, Activations& a) {
  const Layout& layout = model.layout();
  const std::size_t b = a.batch, t = a.tokens, c = model.config().hidden_size;
  const float keep = kept_hidden(model.config(), dropout);
  for (std::size_t i = 0; i < b; ++i)
    std::memcpy(a.class_input + i * c, a.output() + i * t * c, c * sizeof(float));
  dropped(a.class_input, a.class_input, b * c, keep, site_seed(dropout, Site::class_input));
  nn::linear_forward(a.class_hidden, a.class_input, model.packed().class_dense,
                     model.at(layout.class_dense.bias), b);
  nn::activation_forward(model.activation(), a.class_activated, a.class_hidden, b * c);
  dropped(a.class_activated, a.class_activated, b * c, keep, site_seed(dropout, Site::class_hidden));
  nn::linear_forward(a.class_logits, a.class_activated, model.packed().class_output,
                     model.at(layout.class_output.bias), b);
}

nn::Loss classification_loss(const Model& model, const std::int32_t* labels, const Dropout& dropout,
                             Activations& a) {
  classification_forward(model, dropout, a);
  return nn::cross_entropy_forward(a.class_log_sum_exp, a.class_logits, labels, a.batch,
                                   model.config().num_labels);
}

void classification_backward(const Model& model, const Batch& batch, const std::int32_t* labels,
                             const nn::Loss& loss, const Dropout& dropout, Activations& a,
                             std::span<float> gradients) {
  if (loss.counted == 0) return;
  nn::cross_entropy_backward(a.class_logits, a.class_logits, a.class_log_sum_exp, labels, loss.counted, 1.0F,
                             a.batch, model.config().num_labels);
  class_logits_backward(model, batch, dropout, a, gradients);
}

void class_logits_backward(const Model& model, const Batch& batch, const Dropout& dropout, Activations& a,
                           std::span<float> gradients) {
  const Layout& layout = model.layout();
  const std::size_t b = a.batch, t = a.tokens, c = model.config().hidden_size;
  const float keep = kept_hidden(model.config(), dropout);
  float* const dhidden = a.dbranch;  // (B,C)
  float* const dinput = a.dcontext;  // (B,C)
  linear_layer_backward(model, layout.class_output, dhidden, a.class_logits, a.class_activated, b, a.scratch,
                        gradients);
  dropped(dhidden, dhidden, b * c, keep, site_seed(dropout, Site::class_hidden));
  nn::activation_backward(model.activation(), dhidden, dhidden, a.class_hidden, b * c);
  linear_layer_backward(model, layout.class_dense, dinput, dhidden, a.class_input, b, a.scratch, gradients);
  dropped(dinput, dinput, b * c, keep, site_seed(dropout, Site::class_input));
  std::memset(a.dhidden, 0, b * t * c * sizeof(float));
  for (std::size_t i = 0; i < b; ++i) std::memcpy(a.dhidden + i * t * c, dinput + i * c, c * sizeof(float));
  encoder_backward(model, batch, dropout, a, gradients);
}

}  // namespace ropewalk::roformer
