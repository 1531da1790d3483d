// Layers and embeddings, backward: encoder_forward.cpp read from the end.

#include "model/encoder_backward.hpp"

#include "arch/select.hpp"
#include "model/sites.hpp"
#include "nn/embedding.hpp"
#include "nn/layer_norm.hpp"
#include "nn/linear.hpp"

namespace ropewalk::roformer {
namespace {

/// dx = gradient of the sum that was normalised; dx may be dy.
void norm_backward(const Model& model, const Norm& norm, const NormActivations& a, float* dx, const float* dy,
                   std::size_t m, std::size_t n, std::span<float> gradients) {
  nn::layer_norm_backward(dx, gradient_at(gradients, norm.weight), gradient_at(gradients, norm.bias), dy,
                          a.input, model.at(norm.weight), a.mean, a.rstd, m, n);
}

/// dhidden (B,T,C) is the gradient of the layer's output and becomes that of its input x.
void layer_backward(const Model& model, std::size_t l, const float* x, const Batch& batch,
                    const Dropout& dropout, Activations& activations, std::span<float> gradients) {
  const RoFormerConfig& config = model.config();
  const Layer& layer = model.layout().layers[l];
  const LayerActivations& a = activations.layers[l];
  const std::size_t m = activations.batch * activations.tokens, c = config.hidden_size;
  const float keep = kept_hidden(config, dropout);
  const auto& dense = arch::active().dense;
  float* const dy = activations.dhidden;
  float* const scratch = activations.scratch;

  // output = LN(attention_output + dropout(W2 f(W1 attention_output)))
  norm_backward(model, layer.output_norm, a.output_norm, dy, dy, m, c, gradients);
  const float* branch = dropped(activations.dbranch, dy, m * c, keep, site_seed(dropout, Site::output, l));
  linear_layer_backward(model, layer.output, activations.dintermediate, branch, a.activated, m, scratch,
                        gradients);
  nn::activation_backward(model.activation(), activations.dintermediate, activations.dintermediate,
                          a.intermediate, m * config.intermediate_size);
  linear_layer_backward(model, layer.intermediate, activations.dbranch, activations.dintermediate,
                        a.attention_output, m, scratch, gradients);
  dense.add(activations.dbranch, dy, m * c);

  // attention_output = LN(x + dropout(W context))
  norm_backward(model, layer.attention_norm, a.attention_norm, dy, dy, m, c, gradients);
  branch = dropped(activations.dbranch, dy, m * c, keep, site_seed(dropout, Site::attention_output, l));
  linear_layer_backward(model, layer.attention_output, activations.dcontext, branch, a.context, m, scratch,
                        gradients);
  position_encoding::AttentionGradient attention{};
  attention.layer = l;
  attention.shape = attention_shape(config, activations.batch, activations.tokens);
  attention.shape.keep = kept_probabilities(config, dropout);
  attention.shape.seed = site_seed(dropout, Site::probabilities, l);
  attention.terms.key_mask = batch.key_mask;
  if (config.is_decoder) attention.terms.pair_mask = activations.causal_mask.data();
  attention.qkv = a.qkv;
  attention.probs = a.probs;
  attention.dcontext = activations.dcontext;
  attention.dqkv = activations.dqkv;
  attention.scratch = scratch;
  attention.parameters = model.parameters();
  attention.gradients = gradients.data();
  model.positions().attend_backward(attention);
  linear_layer_backward(model, layer.qkv, activations.dbranch, activations.dqkv, x, m, scratch, gradients);
  dense.add(activations.dbranch, dy, m * c);
}

}  // namespace

void linear_layer_backward(const Model& model, const Linear& linear, float* dx, const float* dy,
                           const float* x, std::size_t m, float* scratch, std::span<float> gradients) {
  nn::linear_backward(dx, gradients.data() + linear.weight, gradient_at(gradients, linear.bias), dy, x,
                      model.at(linear.weight), m, linear.inputs, linear.outputs, scratch);
}

void encoder_backward(const Model& model, const Batch& batch, const Dropout& dropout,
                      Activations& activations, std::span<float> gradients) {
  for (std::size_t l = activations.layers.size(); l-- > 0;) {
    const float* x = l == 0 ? activations.input : activations.layers[l - 1].output;
    layer_backward(model, l, x, batch, dropout, activations, gradients);
  }
  const RoFormerConfig& config = model.config();
  const Layout& layout = model.layout();
  const std::size_t m = activations.batch * activations.tokens, e = config.embedding_size;
  float* dembedded = activations.dhidden;
  if (layout.projects) {
    dembedded = activations.dembedded;
    linear_layer_backward(model, layout.project, dembedded, activations.dhidden, activations.embedded, m,
                          activations.scratch, gradients);
  }
  dropped(dembedded, dembedded, m * e, kept_hidden(config, dropout), site_seed(dropout, Site::embeddings));
  norm_backward(model, layout.embedding_norm, activations.embedding_norm, dembedded, dembedded, m, e,
                gradients);
  model.positions().add_to_embeddings_backward(dembedded, activations.batch, activations.tokens,
                                               gradients.data());
  nn::embedding_backward(gradients.data() + layout.words, gradients.data() + layout.types, dembedded,
                         batch.ids, batch.types, m, e);
}

}  // namespace ropewalk::roformer
