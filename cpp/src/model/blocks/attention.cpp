#include "model/blocks/attention.hpp"

#include <cmath>
#include <cstring>

#include "base/text.hpp"
#include "nn/gated.hpp"

namespace ropewalk::model {

namespace {

Linear projections(Builder& builder, const Spec& spec, const position_encoding::PositionEncoding& positions) {
  const AttentionSpec& own = spec.attention;
  const std::size_t l = builder.layer().value_or(0), head_dim = spec.head_dim(l);
  const std::size_t queries = positions.projected(own.heads) * head_dim,
                    keys = positions.projected(spec.key_heads(l)) * head_dim;
  if (spec.layers[l].keys_of) return Linear(builder, "attention.query", queries, spec.hidden, own.bias);
  if (spec.layers[l].values_are_keys)
    return Linear(builder, {{"attention.query", queries}, {"attention.key", keys}}, spec.hidden, own.bias);
  if (own.packing != AttentionSpec::Packing::separate)
    return Linear(builder, "attention.qkv", queries + 2 * keys, spec.hidden, own.bias, spec.transposed);
  return Linear(builder,
                {{"attention.query", own.output_gate ? 2 * queries : queries},
                 {"attention.key", keys},
                 {"attention.value", keys}},
                spec.hidden, own.bias);
}

std::optional<Norm> head_norm(Builder& builder, std::string_view role, const Spec& spec, std::size_t heads) {
  if (!spec.attention.qk_norm || heads == 0) return {};
  const std::size_t together = spec.attention.qk_norm_of_all_heads ? heads : 1;
  NormSpec norm = *spec.attention.qk_norm;
  if (spec.attention.qk_norm_after_rotation) norm.gain = false;
  return Norm(builder, role, together * spec.head_dim(builder.layer().value_or(0)), norm);
}

/// Without a gain, so that no parameter has the name of its role.
std::optional<Norm> value_norm(Builder& builder, const Spec& spec, std::size_t heads) {
  if (!spec.attention.value_norm || heads == 0) return {};
  const NormSpec norm{.kind = NormKind::rms, .eps = spec.norm.eps, .gain = false, .bias = false};
  return Norm(builder, "", spec.head_dim(builder.layer().value_or(0)), norm);
}

std::uint64_t gain_of_norm(Builder& builder, std::string_view role, const Spec& spec) {
  const AttentionSpec& own = spec.attention;
  if (!own.qk_norm || !own.qk_norm_after_rotation || !own.qk_norm->gain) return absent;
  return builder.vector(role, ".weight", spec.head_dim(builder.layer().value_or(0)),
                        parameters::Initial::ones);
}

}  // namespace

template <class Move>
void Attention::for_each_block(Move move) const {
  const std::size_t d = head_dim_, keys = key_heads_ * d;
  if (values_are_keys_) {
    move(0, 0, heads_ * d + keys);
    move(heads_ * d + keys, heads_ * d, keys);
  } else if (gated_) {
    for (std::size_t h = 0; h < heads_; ++h) {
      move(h * d, 2 * h * d, d);
      move((heads_ + h) * d + 2 * keys, (2 * h + 1) * d, d);
    }
    move(heads_ * d, 2 * heads_ * d, 2 * keys);
  } else {
    for (std::size_t h = 0; h < heads_; ++h) {
      for (std::size_t part = 0; part < 3; ++part) move((part * heads_ + h) * d, (3 * h + part) * d, d);
    }
  }
}

Attention::Attention(Builder builder, const Spec& spec, const position_encoding::PositionEncoding& positions)
    : positions_(&positions),
      layer_(builder.layer().value_or(0)),
      heads_(spec.attention.heads),
      key_heads_(spec.layers[layer_].keys_of ? 0 : spec.key_heads(layer_)),
      head_dim_(spec.head_dim(layer_)),
      window_(spec.layers[layer_].window.value_or(nn::no_window)),
      scale_(
          static_cast<float>(spec.attention.scale.value_or(1 / std::sqrt(static_cast<double>(head_dim_))))),
      soft_cap_(static_cast<float>(spec.attention.soft_cap)),
      causal_(spec.attention.causal),
      norms_all_heads_(spec.attention.qk_norm_of_all_heads),
      drops_(spec.attention_dropout > 0),
      per_head_(spec.attention.packing == AttentionSpec::Packing::per_head),
      values_are_keys_(spec.layers[layer_].values_are_keys),
      gated_(spec.attention.output_gate),
      qkv_(projections(builder, spec, positions)),
      row_(qkv_.outputs() + (values_are_keys_ ? key_heads_ * head_dim_ : 0)),
      query_norm_(head_norm(builder, "attention.query_norm", spec, heads_)),
      key_norm_(head_norm(builder, "attention.key_norm", spec, key_heads_)),
      value_norm_(value_norm(builder, spec, key_heads_)),
      query_gain_(gain_of_norm(builder, "attention.query_norm", spec)),
      key_gain_(gain_of_norm(builder, "attention.key_norm", spec)),
      output_(builder, "attention.output", spec.hidden, heads_ * head_dim_, spec.attention.output_bias,
              spec.transposed),
      gain_(builder.slot()),
      product_(builder.slot()),
      plain_(builder.slot()),
      projected_(builder.slot()),
      probs_(builder.slot()),
      scores_(builder.slot()),
      context_(builder.slot()),
      rows_(builder.slot()),
      query_(builder.slot()),
      key_(builder.slot()),
      dproduct_(builder.slot()),
      dprojected_(builder.slot()),
      dcontext_(builder.slot()),
      dinput_(builder.slot()) {}

Status Attention::pack(const Packing& packing) {
  ROPEWALK_TRY(qkv_.pack(packing));
  return output_.pack(packing);
}

nn::AttentionShape Attention::shape(std::size_t batch, std::size_t tokens, const Keep& keep) const {
  nn::AttentionShape shape{};
  shape.batch = batch;
  shape.tokens = tokens;
  shape.heads = heads_;
  shape.head_dim = head_dim_;
  shape.scale = scale_;
  shape.token_stride = row_;
  shape.key_heads = key_heads_;
  shape.causal = causal_ && !masks_pairs(keep);
  shape.window = window_;
  shape.soft_cap = soft_cap_;
  return shape;
}

nn::AttentionShape Attention::shape(const Pass& pass) const {
  nn::AttentionShape shape = this->shape(pass.batch, pass.tokens, pass.keep);
  shape.keep = pass.kept_probabilities();
  shape.seed = pass.seed_of(Site::probabilities, layer_);
  return shape;
}

nn::AttentionTerms Attention::terms(const Pass& pass) const {
  nn::AttentionTerms terms;
  terms.key_mask = pass.key_mask;
  if (masks_pairs(pass.keep)) terms.pair_mask = pass.causal_mask;
  if (pass.sequence_mask != nullptr) {
    terms.pair_mask = pass.sequence_mask;
    terms.mask_per_batch = true;
  }
  terms.scores = pass.at(scores_);
  return terms;
}

void Attention::plan(Plan& plan) const {
  const std::uint64_t b = plan.batch(), t = plan.tokens(), width = heads_ * head_dim_;
  const Keep& keeps = plan.keeps();
  if (moves()) plan.lend(product_, {b, t, qkv_.outputs()});
  if (query_norm_) {
    query_norm_->plan(plan, b * t * heads_);
    if (key_norm_) key_norm_->plan(plan, b * t * key_heads_);
    if (keeps.gradients) plan.keep(plain_, {b, t, qkv_.outputs()});
  }
  if (query_gain_ != absent) plan.lend(gain_, {head_dim_});
  plan.hold(projected_, {b, t, row_});
  plan.hold(context_, {b, t, width});
  if (const std::size_t rows = positions_->projected_rows(plan.tokens()).count)
    plan.hold(rows_, {rows, queries_and_keys()});
  const bool kept = keeps.attentions || (keeps.gradients && positions_->needs_probs());
  const bool probs = kept || keeps.contacts;
  if (kept) plan.keep(probs_, {b, heads_, t, t});
  if (probs && !kept) plan.lend(probs_, {b, heads_, t, t});
  if (keeps.scores && positions_->has_scores()) plan.keep(scores_, {b, heads_, t, t});
  if (keeps.rotated_qk) {
    plan.keep(query_, {b, t, positions_->projected(heads_), head_dim_});
    plan.keep(key_, {b, t, positions_->projected(key_heads_), head_dim_});
  }
  nn::AttentionShape shape = this->shape(plan.batch(), plan.tokens(), plan.keeps());
  if (keeps.gradients && drops_) shape.keep = 0.5F;  // any share below 1 needs the memory
  plan.scratch(positions_->forward_scratch(shape, probs));
}

void Attention::plan_backward(Plan& plan) const {
  nn::AttentionShape shape = this->shape(plan.batch(), plan.tokens(), plan.keeps());
  if (drops_) shape.keep = 0.5F;
  if (per_head_) plan.lend(dproduct_, {plan.batch(), plan.tokens(), qkv_.outputs()});
  plan.lend(dprojected_, {plan.batch(), plan.tokens(), qkv_.outputs()});
  plan.lend(dcontext_, {plan.batch(), plan.tokens(), heads_, head_dim_});
  if (positions_->reads_input()) plan.lend(dinput_, {plan.batch(), plan.tokens(), qkv_.inputs()});
  plan.scratch(positions_->backward_scratch(shape));
  qkv_.plan_backward(plan, plan.rows());
  output_.plan_backward(plan, plan.rows());
}

nn::HeadNormShape Attention::heads(const Pass& pass, std::size_t heads) const {
  const std::size_t together = norms_all_heads_ ? heads : 1, width = together * head_dim_;
  const nn::HeadStrides strides{.token = row_, .head = width};
  return {.tokens = pass.rows(), .heads = heads / together, .head_dim = width, .x = strides, .y = strides};
}

void Attention::project(const Pass& pass, const float* x) const {
  float* const projected = pass.at(projected_);
  float* const plain = pass.at(plain_) == nullptr ? projected : pass.at(plain_);
  float* const product = moves() ? pass.at(product_) : plain;
  const std::size_t width = qkv_.outputs();
  const std::size_t keys = heads_ * head_dim_, values = keys + key_heads_ * head_dim_;
  qkv_.forward(pass, product, x, pass.rows());
  for (std::size_t row = 0; moves() && row < pass.rows(); ++row) {
    for_each_block([&](std::size_t in_blocks, std::size_t in_product, std::size_t count) {
      std::memcpy(plain + row * row_ + in_blocks, product + row * width + in_product, count * sizeof(float));
    });
  }
  if (value_norm_)
    value_norm_->forward_heads(pass, projected + values, plain + values, heads(pass, key_heads_));
  if (!query_norm_) return;
  query_norm_->forward_heads(pass, projected, plain, heads(pass, heads_));
  if (key_norm_) key_norm_->forward_heads(pass, projected + keys, plain + keys, heads(pass, key_heads_));
  for (std::size_t row = 0; plain != projected && row < pass.rows() * width; row += width)
    std::memcpy(projected + row + values, plain + row + values, (width - values) * sizeof(float));
}

void Attention::gate(const Pass& pass, float* context) const {
  const std::size_t width = heads_ * head_dim_;
  const float* gates = pass.at(projected_) + qkv_.outputs() - width;
  for (std::size_t row = 0; gated_ && row < pass.rows(); ++row, context += width, gates += qkv_.outputs())
    nn::gated_forward(pass.compute, nn::Activation::sigmoid, context, gates, context, width, 1, width);
}

// A rotation keeps the root mean square, so that a norm behind it is a norm before it, and a gain behind it. Scores need no
// more than the product of both gains, at the query: keys stay as rotations alone have made them, and can be moved.
const float* Attention::late_gain(const Pass& pass) const {
  if (query_gain_ == absent) return nullptr;
  float* const gain = pass.at(gain_);
  const float *const query = pass.parameter(query_gain_), *const key = pass.parameter(key_gain_);
  for (std::size_t d = 0; d < head_dim_; ++d) gain[d] = query[d] * key[d];
  return gain;
}

void Attention::forward(const Pass& pass, float* y, const float* x) const {
  float *const projected = pass.at(projected_), *const context = pass.at(context_);
  project(pass, x);
  if (pass.cache != nullptr) {
    pass.cache->attend(layer_, shape(pass), projected, late_gain(pass), context);
    gate(pass, context);
    return output_.forward(pass, y, context, pass.rows());
  }
  if (float* const rows = pass.at(rows_)) {
    const position_encoding::Rows given = positions_->projected_rows(pass.tokens);
    qkv_.forward_first(pass, queries_and_keys(), rows, given.values, given.count);
  }
  positions_->attend({.compute = pass.compute,
                      .layer = layer_,
                      .shape = shape(pass),
                      .terms = terms(pass),
                      .qkv = projected,
                      .context = context,
                      .probs = pass.at(probs_),
                      .scratch = pass.scratch,
                      .parameters = pass.parameters,
                      .gain = late_gain(pass),
                      .x = x,
                      .projected = pass.at(rows_)});
  gate(pass, context);
  if (pass.at(query_) != nullptr) {
    const std::size_t queries = positions_->projected(heads_) * head_dim_,
                      keys = positions_->projected(key_heads_) * head_dim_;
    for (std::size_t row = 0; row < pass.rows(); ++row) {
      const float* const query = projected + row * qkv_.outputs();
      std::memcpy(pass.at(query_) + row * queries, query, queries * sizeof(float));
      std::memcpy(pass.at(key_) + row * keys, query + queries, keys * sizeof(float));
    }
  }
  output_.forward(pass, y, context, pass.rows());
}

void Attention::backward(const Pass& pass, float* dx, const float* dy, const float* x) const {
  float *const dprojected = pass.at(dprojected_), *const dcontext = pass.at(dcontext_);
  output_.backward(pass, dcontext, dy, pass.at(context_), pass.rows());
  positions_->attend_backward({.compute = pass.compute,
                               .layer = layer_,
                               .shape = shape(pass),
                               .terms = terms(pass),
                               .qkv = pass.at(projected_),
                               .probs = pass.at(probs_),
                               .dcontext = dcontext,
                               .dqkv = dprojected,
                               .scratch = pass.scratch,
                               .parameters = pass.parameters,
                               .gradients = pass.gradients,
                               .x = x,
                               .dx = pass.at(dinput_)});
  if (query_norm_) {
    const float* const plain = pass.at(plain_);
    const std::size_t keys = heads_ * head_dim_;
    query_norm_->backward_heads(pass, dprojected, dprojected, plain, heads(pass, heads_));
    key_norm_->backward_heads(pass, dprojected + keys, dprojected + keys, plain + keys,
                              heads(pass, key_heads_));
  }
  const std::size_t width = qkv_.outputs();
  float* const dproduct = per_head_ ? pass.at(dproduct_) : dprojected;
  for (std::size_t row = 0; per_head_ && row < pass.rows() * width; row += width) {
    for_each_block([&](std::size_t in_blocks, std::size_t in_product, std::size_t count) {
      std::memcpy(dproduct + row + in_product, dprojected + row + in_blocks, count * sizeof(float));
    });
  }
  qkv_.backward(pass, dx, dproduct, x, pass.rows());
  if (positions_->reads_input()) pass.compute.dense().add(pass.at(dinput_), dx, pass.rows() * qkv_.inputs());
}

void Attention::collect(const Pass& pass, Outputs& outputs) const {
  const std::size_t square = pass.rows() * heads_ * pass.tokens, each = pass.rows() * head_dim_;
  if (pass.keep.attentions) outputs.add("attentions", layer_, {pass.at(probs_), square});
  if (pass.at(scores_) != nullptr) outputs.add("scores", layer_, {pass.at(scores_), square});
  if (pass.keep.rotated_qk) {
    outputs.add("rotated_queries", layer_, {pass.at(query_), each * positions_->projected(heads_)});
    outputs.add("rotated_keys", layer_, {pass.at(key_), each * positions_->projected(key_heads_)});
  }
}

}  // namespace ropewalk::model
