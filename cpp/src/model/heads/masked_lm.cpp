// The masked-language-model head: logits = LN(f(W x + b)) words^T + bias, or x words^T alone. R rows: all of
// them when logits are asked for, only the labelled ones when a loss is.

#include <cstring>

#include "model/encoder_backward.hpp"
#include "model/pass.hpp"
#include "nn/cross_entropy.hpp"
#include "nn/layer_norm.hpp"
#include "nn/linear.hpp"

namespace ropewalk::roformer {
namespace {

/// x (R,C) to activations.logits (R,V).
void head_forward(const Model& model, const float* x, std::size_t rows, Activations& a) {
  const Layout& layout = model.layout();
  const std::size_t e = model.config().embedding_size;
  if (layout.transforms) {
    nn::linear_forward(a.transform, x, model.packed().transform, model.at(layout.transform.bias), rows);
    nn::activation_forward(model.activation(), a.transform_norm.input, a.transform, rows * e);
    nn::layer_norm_forward(a.transformed, a.transform_norm.mean, a.transform_norm.rstd,
                           a.transform_norm.input, model.at(layout.transform_norm.weight),
                           model.at(layout.transform_norm.bias), rows, e,
                           static_cast<float>(model.config().layer_norm_eps));
    x = a.transformed;
  }
  nn::linear_forward(a.logits, x, model.packed().decoder, model.at(layout.decoder.bias), rows);
  a.head_rows = rows;
}

}  // namespace

void masked_lm_forward(const Model& model, Activations& a) {
  head_forward(model, a.output(), a.batch * a.tokens, a);
}

nn::Loss masked_lm_loss(const Model& model, const std::int32_t* labels, Activations& a) {
  const std::size_t m = a.batch * a.tokens, c = model.config().hidden_size;
  std::size_t rows = 0;
  for (std::size_t i = 0; i < m; ++i) {
    if (labels[i] == nn::ignored_label) continue;
    a.rows[rows] = static_cast<std::int32_t>(i);
    a.row_labels[rows] = labels[i];
    std::memcpy(a.head_input + rows * c, a.output() + i * c, c * sizeof(float));
    ++rows;
  }
  a.head_rows = rows;
  if (rows == 0) return {};
  head_forward(model, a.head_input, rows, a);
  return nn::cross_entropy_forward(a.log_sum_exp, a.logits, a.row_labels.data(), rows,
                                   model.config().vocab_size);
}

void masked_lm_backward(const Model& model, const Batch& batch, const nn::Loss& loss, const Dropout& dropout,
                        Activations& a, std::span<float> gradients) {
  const std::size_t rows = a.head_rows;
  if (rows == 0) return;
  const Layout& layout = model.layout();
  const std::size_t m = a.batch * a.tokens;
  const std::size_t c = model.config().hidden_size, e = model.config().embedding_size;
  nn::cross_entropy_backward(a.logits, a.logits, a.log_sum_exp, a.row_labels.data(), loss.counted, 1.0F, rows,
                             model.config().vocab_size);
  if (layout.transforms) {
    linear_layer_backward(model, layout.decoder, a.dtransformed, a.logits, a.transformed, rows, a.scratch,
                          gradients);
    nn::layer_norm_backward(a.dtransformed, gradient_at(gradients, layout.transform_norm.weight),
                            gradient_at(gradients, layout.transform_norm.bias), a.dtransformed,
                            a.transform_norm.input, model.at(layout.transform_norm.weight),
                            a.transform_norm.mean, a.transform_norm.rstd, rows, e);
    nn::activation_backward(model.activation(), a.dtransformed, a.dtransformed, a.transform, rows * e);
    linear_layer_backward(model, layout.transform, a.dhead, a.dtransformed, a.head_input, rows, a.scratch,
                          gradients);
  } else {
    linear_layer_backward(model, layout.decoder, a.dhead, a.logits, a.head_input, rows, a.scratch, gradients);
  }

  std::memset(a.dhidden, 0, m * c * sizeof(float));
  for (std::size_t i = 0; i < rows; ++i) {
    std::memcpy(a.dhidden + static_cast<std::size_t>(a.rows[i]) * c, a.dhead + i * c, c * sizeof(float));
  }
  encoder_backward(model, batch, dropout, a, gradients);
}

}  // namespace ropewalk::roformer
