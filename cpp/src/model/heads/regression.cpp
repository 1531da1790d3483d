// Regression: the classification head with one output, which is the value itself.

#include "model/pass.hpp"
#include "nn/mean_squared_error.hpp"

namespace ropewalk::roformer {

nn::Loss regression_loss(const Model& model, const float* targets, const Dropout& dropout, Activations& a) {
  classification_forward(model, dropout, a);
  return nn::mean_squared_error_forward(a.class_logits, targets, a.batch);
}

void regression_backward(const Model& model, const Batch& batch, const float* targets, const nn::Loss& loss,
                         const Dropout& dropout, Activations& a, std::span<float> gradients) {
  if (loss.counted == 0) return;
  nn::mean_squared_error_backward(a.class_logits, a.class_logits, targets, loss.counted, 1.0F, a.batch);
  class_logits_backward(model, batch, dropout, a, gradients);
}

}  // namespace ropewalk::roformer
