// Embeddings and layers, forward. Shapes as in activations.hpp; M = B * T rows.

#include <cstring>

#include "model/pass.hpp"
#include "model/sites.hpp"
#include "nn/embedding.hpp"
#include "nn/layer_norm.hpp"
#include "nn/linear.hpp"

namespace ropewalk::roformer {
namespace {

/// From (B,T,3,H,D) the queries (part 0) or keys (part 1), dense.
void copy_part(float* out, const float* qkv, std::size_t part, std::size_t rows, std::size_t hidden) {
  for (std::size_t m = 0; m < rows; ++m) {
    std::memcpy(out + m * hidden, qkv + (3 * m + part) * hidden, hidden * sizeof(float));
  }
}

void embed(const Model& model, const Batch& batch, const Dropout& dropout, Activations& a) {
  const RoFormerConfig& config = model.config();
  const Layout& layout = model.layout();
  const std::size_t m = a.batch * a.tokens, e = config.embedding_size;
  NormActivations& norm = a.embedding_norm;
  nn::embedding_forward(norm.input, batch.ids, batch.types, model.at(layout.words), model.at(layout.types), m,
                        e);
  model.positions().add_to_embeddings(norm.input, a.batch, a.tokens, model.parameters());
  nn::layer_norm_forward(a.embedded, norm.mean, norm.rstd, norm.input, model.at(layout.embedding_norm.weight),
                         model.at(layout.embedding_norm.bias), m, e,
                         static_cast<float>(config.layer_norm_eps));
  dropped(a.embedded, a.embedded, m * e, kept_hidden(config, dropout), site_seed(dropout, Site::embeddings));
  if (layout.projects) {
    nn::linear_forward(a.input, a.embedded, model.packed().project, model.at(layout.project.bias), m);
  }
}

/// y = LN(x + dropout(linear(in))), where norm.input receives the sum if the backward pass needs it.
void residual_block(const Model& model, float* y, const NormActivations& norm, const float* in,
                    const float* x, const nn::PackedWeight& weight, const Linear& linear,
                    const Norm& parameters, std::size_t m, float keep, std::uint64_t seed) {
  const std::size_t c = model.config().hidden_size;
  nn::linear_forward(norm.input, in, weight, model.at(linear.bias), m);
  dropped(norm.input, norm.input, m * c, keep, seed);
  nn::add_layer_norm_forward(y, norm.mean == nullptr ? nullptr : norm.input, norm.mean, norm.rstd, norm.input,
                             x, model.at(parameters.weight), model.at(parameters.bias), m, c,
                             static_cast<float>(model.config().layer_norm_eps));
}

void layer_forward(const Model& model, std::size_t l, const float* x, const Batch& batch,
                   const Dropout& dropout, Activations& activations) {
  const RoFormerConfig& config = model.config();
  const Layer& layer = model.layout().layers[l];
  const PackedLayer& packed = model.packed().layers[l];
  LayerActivations& a = activations.layers[l];
  const std::size_t m = activations.batch * activations.tokens, c = config.hidden_size;

  nn::linear_forward(a.qkv, x, packed.qkv, model.at(layer.qkv.bias), m);
  position_encoding::Attention attention{};
  attention.layer = l;
  attention.shape = attention_shape(config, activations.batch, activations.tokens);
  attention.shape.keep = kept_probabilities(config, dropout);
  attention.shape.seed = site_seed(dropout, Site::probabilities, l);
  attention.terms.key_mask = batch.key_mask;
  if (config.is_decoder) attention.terms.pair_mask = activations.causal_mask.data();
  attention.terms.scores = a.scores;
  attention.qkv = a.qkv;
  attention.context = a.context;
  attention.probs = a.probs;
  attention.scratch = activations.scratch;
  attention.parameters = model.parameters();
  model.positions().attend(attention);
  if (a.query != nullptr) {
    copy_part(a.query, a.qkv, 0, m, c);
    copy_part(a.key, a.qkv, 1, m, c);
  }

  const float keep = kept_hidden(config, dropout);
  residual_block(model, a.attention_output, a.attention_norm, a.context, x, packed.attention_output,
                 layer.attention_output, layer.attention_norm, m, keep,
                 site_seed(dropout, Site::attention_output, l));
  nn::linear_forward(a.intermediate, a.attention_output, packed.intermediate,
                     model.at(layer.intermediate.bias), m);
  nn::activation_forward(model.activation(), a.activated, a.intermediate, m * config.intermediate_size);
  residual_block(model, a.output, a.output_norm, a.activated, a.attention_output, packed.output, layer.output,
                 layer.output_norm, m, keep, site_seed(dropout, Site::output, l));
}

}  // namespace

void encode(const Model& model, const Batch& batch, const Dropout& dropout, Activations& activations) {
  embed(model, batch, dropout, activations);
  const float* x = activations.input;
  for (std::size_t l = 0; l < activations.layers.size(); ++l) {
    layer_forward(model, l, x, batch, dropout, activations);
    x = activations.layers[l].output;
  }
}

}  // namespace ropewalk::roformer
