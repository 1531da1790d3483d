#include "model/blocks/embedding.hpp"

#include "nn/embedding.hpp"

namespace ropewalk::model {

Embedding::Embedding(Builder& builder, const Spec& spec, position_encoding::PositionEncoding& positions)
    : positions_(&positions),
      width_(spec.embedding_width()),
      hidden_(spec.hidden),
      scale_(static_cast<float>(spec.embedding.scale)),
      words_(builder.matrix("embedding.words", spec.vocabulary, width_)),
      sum_(builder.slot()),
      embedded_(builder.slot()),
      projected_(builder.slot()),
      dembedded_(builder.slot()) {
  if (spec.embedding.token_types > 0)
    types_ = builder.matrix("embedding.types", spec.embedding.token_types, width_);
  if (spec.embedding.norm) norm_.emplace(builder, "embedding.norm", width_, spec.norm);
  if (width_ != hidden_) projection_.emplace(builder, "embedding.projection", hidden_, width_);
  positions.add_parameters(builder);
}

Status Embedding::pack(const Packing& packing) { return projection_ ? projection_->pack(packing) : Status(); }

void Embedding::plan(Plan& plan) const {
  plan.keep(embedded_, {plan.batch(), plan.tokens(), width_});
  if (norm_) norm_->plan(plan, plan.rows());
  if (norm_ && plan.keeps().gradients) plan.keep(sum_, {plan.batch(), plan.tokens(), width_});
  if (projection_) plan.keep(projected_, {plan.batch(), plan.tokens(), hidden_});
}

void Embedding::plan_backward(Plan& plan) const {
  if (!projection_) return;
  plan.lend(dembedded_, {plan.batch(), plan.tokens(), width_});
  projection_->plan_backward(plan, plan.rows());
}

const float* Embedding::forward(const Pass& pass) const {
  float* const embedded = pass.at(embedded_);
  float* const sum = pass.at(sum_) == nullptr ? embedded : pass.at(sum_);
  nn::embedding_forward(sum, pass.ids, pass.types, pass.parameter(words_), pass.parameter(types_), scale_,
                        pass.rows(), width_);
  positions_->add_to_embeddings(sum, pass.ids, pass.batch, pass.tokens, pass.parameters);
  if (norm_) norm_->forward(pass, embedded, sum, pass.rows());
  pass.dropped(embedded, embedded, pass.rows() * width_, Site::embeddings);
  if (projection_) projection_->forward(pass, pass.at(projected_), embedded, pass.rows());
  return result(pass);
}

void Embedding::backward(const Pass& pass, float* dx) const {
  const std::size_t rows = pass.rows();
  float* dembedded = dx;
  if (projection_) {
    dembedded = pass.at(dembedded_);
    projection_->backward(pass, dembedded, dx, pass.at(embedded_), rows);
  }
  pass.dropped(dembedded, dembedded, rows * width_, Site::embeddings);
  if (norm_) norm_->backward(pass, dembedded, dembedded, pass.at(sum_), rows);
  positions_->add_to_embeddings_backward(dembedded, pass.ids, pass.batch, pass.tokens, pass.gradients);
  nn::embedding_backward(pass.gradient(words_), pass.gradient(types_), dembedded, pass.ids, pass.types,
                         scale_, rows, width_);
}

}  // namespace ropewalk::model
