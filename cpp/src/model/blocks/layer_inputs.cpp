#include "model/blocks/layer_inputs.hpp"

#include <cmath>

#include "base/text.hpp"
#include "nn/gated.hpp"

namespace ropewalk::model {

LayerInputs::LayerInputs(Builder& builder, const Spec& spec)
    : layers_(spec.layers.size()),
      width_(spec.layer_inputs.width),
      vocabulary_(spec.layer_inputs.vocabulary),
      scale_(static_cast<float>(spec.layer_inputs.scale)),
      projection_scale_(static_cast<float>(1 / std::sqrt(static_cast<double>(spec.hidden)))),
      words_(builder.packed_matrix("inputs.words", vocabulary_, layers_ * width_)),
      projection_(builder, "inputs.projection", layers_ * width_, spec.hidden, false),
      norm_(builder, "inputs.norm", width_, spec.norm),
      inputs_(builder.slot()),
      projected_(builder.slot()),
      word_(builder.slot()) {}

Status LayerInputs::pack(const Packing& packing) {
  if (packing.claims != nullptr)
    packing.claims->push_back({words_, vocabulary_, layers_ * width_, nullptr, &table_});
  return projection_.pack(packing);
}

void LayerInputs::plan(Plan& plan) const {
  plan.keep(inputs_, {layers_, plan.rows(), width_});
  plan.lend(projected_, {plan.rows(), layers_, width_});
  plan.lend(word_, {layers_, width_});
}

void LayerInputs::forward(const Pass& pass, const float* embedded) const {
  float *const inputs = pass.at(inputs_), *const projected = pass.at(projected_),
               *const word = pass.at(word_);
  const std::size_t rows = pass.rows(), row = layers_ * width_;
  projection_.forward(pass, projected, embedded, rows);
  pass.compute.dense().scale(projection_scale_, projected, projected, rows * row);
  norm_.forward_heads(pass, inputs, projected,
                      {.tokens = rows,
                       .heads = layers_,
                       .head_dim = width_,
                       .x = {.token = row, .head = width_},
                       .y = {.token = width_, .head = rows * width_}});
  const auto both = static_cast<float>(std::sqrt(0.5));
  for (std::size_t t = 0; t < rows; ++t) {
    table_.look_up(static_cast<std::size_t>(pass.ids[t]), word);
    for (std::size_t l = 0; l < layers_; ++l) {
      float* const input = inputs + (l * rows + t) * width_;
      for (std::size_t p = 0; p < width_; ++p) input[p] = (input[p] + scale_ * word[l * width_ + p]) * both;
    }
  }
}

LayerInput::LayerInput(Builder builder, const Spec& spec, Slot inputs)
    : layer_(builder.layer().value_or(0)),
      width_(spec.layer_inputs.width),
      activation_(spec.feed_forward.activation),
      gate_(builder, "input.gate", width_, spec.hidden, false),
      out_(builder, "input.out", spec.hidden, width_, false),
      inputs_(inputs),
      gated_(builder.slot()) {}

Status LayerInput::pack(const Packing& packing) {
  ROPEWALK_TRY(gate_.pack(packing));
  return out_.pack(packing);
}

void LayerInput::plan(Plan& plan) const { plan.lend(gated_, {plan.rows(), width_}); }

void LayerInput::forward(const Pass& pass, float* y, const float* x) const {
  const std::size_t rows = pass.rows();
  float* const gated = pass.at(gated_);
  gate_.forward(pass, gated, x, rows);
  nn::gated_forward(pass.compute, activation_, gated, gated, pass.at(inputs_) + layer_ * rows * width_,
                    width_, rows, width_);
  out_.forward(pass, y, gated, rows);
}

}  // namespace ropewalk::model
