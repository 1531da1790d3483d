#include "model/blocks/embedding.hpp"

#include <algorithm>

#include "nn/embedding.hpp"

namespace ropewalk::model {

Embedding::Embedding(Builder& builder, const Spec& spec, position_encoding::PositionEncoding& positions)
    : positions_(&positions),
      vocabulary_(spec.vocabulary),
      width_(spec.embedding_width()),
      hidden_(spec.hidden),
      scale_(static_cast<float>(spec.embedding.scale)),
      any_type_(spec.embedding.any_type),
      zero_padding_(spec.embedding.zero_padding),
      mask_id_(spec.embedding.mask_id),
      words_(builder.packed_matrix("embedding.words", spec.vocabulary, width_)),
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

Status Embedding::pack(const Packing& packing) {
  if (packing.claims != nullptr) packing.claims->push_back({words_, vocabulary_, width_, nullptr, &table_});
  return projection_ ? projection_->pack(packing) : Status();
}

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

void Embedding::make_up_for_masks(const Pass& pass, float* x) const {
  if (!mask_id_) return;
  constexpr double masked_in_training = 0.15 * 0.8;
  for (std::size_t b = 0; b < pass.batch; ++b) {
    const std::size_t first = b * pass.tokens, end = first + pass.tokens;
    std::size_t tokens = 0, masks = 0;
    for (std::size_t row = first; row < end; ++row) {
      tokens += pass.key_mask == nullptr || pass.key_mask[row] != 0 ? 1 : 0;
      masks += pass.ids[row] == *mask_id_ ? 1 : 0;
    }
    const double share = tokens == 0 ? 0 : static_cast<double>(masks) / static_cast<double>(tokens);
    const auto factor = static_cast<float>((1 - masked_in_training) / (1 - share));
    for (std::size_t row = first; row < end; ++row) {
      float* const own = x + row * width_;
      if (pass.ids[row] == *mask_id_) {
        std::fill_n(own, width_, 0.0F);
      } else {
        pass.compute.dense().scale(factor, own, own, width_);
      }
    }
  }
}

void Embedding::clear_padding(const Pass& pass, float* x) const {
  if (!zero_padding_ || pass.key_mask == nullptr) return;
  for (std::size_t row = 0; row < pass.rows(); ++row) {
    if (pass.key_mask[row] == 0) std::fill_n(x + row * width_, width_, 0.0F);
  }
}

const float* Embedding::forward(const Pass& pass) const {
  float* const embedded = pass.at(embedded_);
  float* const sum = pass.at(sum_) == nullptr ? embedded : pass.at(sum_);
  if (table_.empty()) {
    nn::embedding_forward(pass.compute, sum, pass.ids, types(pass), pass.parameter(words_),
                          pass.parameter(types_), scale_, pass.rows(), width_);
  } else {
    for (std::size_t i = 0; i < pass.rows(); ++i)
      table_.look_up(static_cast<std::size_t>(pass.ids[i]), sum + i * width_);
    nn::embedding_finish(pass.compute, sum, types(pass), pass.parameter(types_), scale_, pass.rows(), width_);
  }
  if (pass.first == 0) {
    positions_->add_to_embeddings(pass.compute, sum, pass.ids, pass.batch, pass.tokens, pass.parameters);
  } else {
    positions_->add_later_to_embeddings(pass.compute, sum, pass.first, pass.tokens, pass.parameters);
  }
  make_up_for_masks(pass, sum);
  if (norm_) norm_->forward(pass, embedded, sum, pass.rows());
  clear_padding(pass, embedded);
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
  clear_padding(pass, dembedded);
  if (norm_) norm_->backward(pass, dembedded, dembedded, pass.at(sum_), rows);
  make_up_for_masks(pass, dembedded);
  positions_->add_to_embeddings_backward(pass.compute, dembedded, pass.ids, pass.batch, pass.tokens,
                                         pass.gradients);
  nn::embedding_backward(pass.compute, pass.gradient(words_), pass.gradient(types_), dembedded, pass.ids,
                         types(pass), scale_, rows, width_);
}

}  // namespace ropewalk::model
