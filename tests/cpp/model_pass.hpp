#pragma once

// A pass through a model and one of its heads, in the steps that a trainer takes.

#include <vector>

#include "model/model.hpp"

namespace model_pass {

using ropewalk::raise;
using ropewalk::model::Dropout;
using ropewalk::model::Keep;
using ropewalk::model::Labels;
using ropewalk::model::Model;
using ropewalk::model::Pass;
using ropewalk::model::Workspace;

/// The last hidden state (B,T,C), in the memory of the workspace; `pass` is what the next steps take.
inline const float* encode(const Model& model, const ropewalk::EncoderInput& input, const Keep& keep,
                           const Dropout& dropout, Workspace& workspace, Pass& pass) {
  pass = raise(workspace.prepare(model, input, keep));
  pass.dropout = dropout;
  return model.forward(pass);
}

struct Learned {
  ropewalk::nn::Loss loss;
  std::vector<float> gradients;  // the layout of the parameters
};

/// Loss of the head of that kind, and where `backward` the gradient of every parameter, added to `gradients`.
inline Learned learn(const Model& model, std::string_view head_kind, const ropewalk::EncoderInput& input,
                     const std::vector<std::int32_t>& labels, const Dropout& dropout, Workspace& workspace,
                     bool backward = true, std::vector<float> gradients = {}) {
  const ropewalk::model::Head& head = *model.head(head_kind);
  Pass pass{.compute = model.compute()};
  const float* const hidden = encode(model, input, {.gradients = true}, dropout, workspace, pass);
  const Labels given{.classes = labels.data()};
  Learned learned{head.loss(pass, hidden, given), std::move(gradients)};
  if (!backward) return learned;
  learned.gradients.resize(static_cast<std::size_t>(model.table().size()));
  pass.gradients = learned.gradients.data();
  head.backward(pass, model.gradient_of_hidden(pass), given, learned.loss.counted);
  model.backward(pass);
  return learned;
}

}  // namespace model_pass
