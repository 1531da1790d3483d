#include "model/blocks/cross_attention.hpp"

#include "base/text.hpp"

#include <cmath>

namespace ropewalk::model {

CrossAttention::CrossAttention(Builder builder, const Spec& spec)
    : heads_(spec.attention.heads),
      head_dim_(spec.head_dim()),
      width_(heads_ * head_dim_),
      scale_(static_cast<float>(1 / std::sqrt(static_cast<double>(head_dim_)))),
      query_(builder, "cross_attention.query", width_, spec.hidden, spec.attention.bias),
      key_value_(builder, {{"cross_attention.key", width_}, {"cross_attention.value", width_}}, spec.hidden,
                 spec.attention.bias),
      output_(builder, "cross_attention.output", spec.hidden, width_, spec.attention.output_bias),
      queries_(builder.slot()),
      key_values_(builder.slot()),
      probs_(builder.slot()),
      context_(builder.slot()),
      dqueries_(builder.slot()),
      dkey_values_(builder.slot()),
      dcontext_(builder.slot()),
      dmemory_(builder.slot()) {}

Status CrossAttention::pack(const Packing& packing) {
  for (Linear* linear : {&query_, &key_value_, &output_}) {
    ROPEWALK_TRY(linear->pack(packing));
  }
  return {};
}

nn::CrossAttentionShape CrossAttention::shape(std::size_t batch, std::size_t tokens,
                                              std::size_t memory_tokens) const {
  return {.batch = batch,
          .queries = tokens,
          .keys = memory_tokens,
          .heads = heads_,
          .head_dim = head_dim_,
          .scale = scale_,
          .query_stride = width_,
          .key_stride = 2 * width_,
          .value_stride = 2 * width_};
}

void CrossAttention::plan(Plan& plan) const {
  const std::uint64_t b = plan.batch(), t = plan.tokens(), s = plan.keeps().memory_tokens;
  plan.hold(queries_, {b, t, width_});
  plan.hold(key_values_, {b, s, 2 * width_});
  plan.hold(probs_, {b, heads_, t, s});
  plan.hold(context_, {b, t, width_});
  plan.scratch(
      nn::cross_attention_forward_scratch(shape(plan.batch(), plan.tokens(), plan.keeps().memory_tokens)));
}

void CrossAttention::plan_backward(Plan& plan) const {
  const std::uint64_t b = plan.batch(), t = plan.tokens(), s = plan.keeps().memory_tokens;
  const std::size_t memory_rows = plan.batch() * plan.keeps().memory_tokens;
  plan.lend(dqueries_, {b, t, width_});
  plan.lend(dkey_values_, {b, s, 2 * width_});
  plan.lend(dcontext_, {b, t, width_});
  plan.lend(dmemory_, {b, s, key_value_.inputs()});
  plan.scratch(
      nn::cross_attention_backward_scratch(shape(plan.batch(), plan.tokens(), plan.keeps().memory_tokens)));
  query_.plan_backward(plan, plan.rows());
  output_.plan_backward(plan, plan.rows());
  key_value_.plan_backward(plan, memory_rows);
}

void CrossAttention::forward(const Pass& pass, float* y, const float* x) const {
  const Memory& memory = *pass.memory;
  float* const key_values = pass.at(key_values_);
  query_.forward(pass, pass.at(queries_), x, pass.rows());
  key_value_.forward(pass, key_values, memory.states, pass.batch * memory.tokens);
  nn::cross_attention_forward(pass.compute, pass.at(context_), pass.at(probs_), pass.at(queries_), key_values,
                              key_values + width_, memory.key_mask,
                              shape(pass.batch, pass.tokens, memory.tokens), pass.scratch);
  output_.forward(pass, y, pass.at(context_), pass.rows());
}

void CrossAttention::backward(const Pass& pass, float* dx, const float* dy, const float* x) const {
  const Memory& memory = *pass.memory;
  const float* const key_values = pass.at(key_values_);
  float* const dkey_values = pass.at(dkey_values_);
  output_.backward(pass, pass.at(dcontext_), dy, pass.at(context_), pass.rows());
  nn::cross_attention_backward(pass.compute, pass.at(dqueries_), dkey_values, dkey_values + width_,
                               pass.at(dcontext_), pass.at(probs_), pass.at(queries_), key_values,
                               key_values + width_, shape(pass.batch, pass.tokens, memory.tokens),
                               pass.scratch);
  const std::size_t rows = pass.batch * memory.tokens;
  key_value_.backward(pass, pass.at(dmemory_), dkey_values, memory.states, rows);
  pass.compute.dense().add(pass.at(dmemory_), memory.dstates, rows * key_value_.inputs());
  query_.backward(pass, dx, pass.at(dqueries_), x, pass.rows());
}

}  // namespace ropewalk::model
