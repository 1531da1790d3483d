#pragma once

#include <optional>

#include "model/blocks/branch.hpp"
#include "model/blocks/norm.hpp"
#include "model/position_encoding/position_encoding.hpp"
#include "ropewalk/spec.hpp"

namespace ropewalk::model {

/// Multi-head attention of one layer; where positions enter it is the encoding's.
class Attention final : public Branch {
 public:
  /// `positions` outlives this.
  Attention(Builder builder, const Spec& spec, const position_encoding::PositionEncoding& positions);

  Status pack(const Packing& packing) override;
  void plan(Plan& plan) const override;
  void plan_backward(Plan& plan) const override;
  void forward(const Pass& pass, float* y, const float* x) const override;
  void backward(const Pass& pass, float* dx, const float* dy, const float* x) const override;
  const float* probabilities(const Pass& pass) const override { return pass.at(probs_); }
  void collect(const Pass& pass, Outputs& outputs) const override;

 private:
  /// For B sequences of T tokens, without dropout.
  nn::AttentionShape shape(std::size_t batch, std::size_t tokens, const Keep& keep) const;
  /// True if a mask hides later keys, so that their scores can be kept; they are not within a window.
  bool masks_pairs(const Keep& keep) const { return causal_ && keep.scores && window_ == nn::no_window; }
  nn::AttentionShape shape(const Pass& pass) const;
  nn::AttentionTerms terms(const Pass& pass) const;
  /// Queries, keys and values of x (B,T,C) as positions find them: projected, in blocks, normed.
  void project(const Pass& pass, const float* x) const;
  /// True if the product of the layer is not in blocks: all queries, all keys, all values, all gates.
  bool moves() const { return per_head_ || gated_ || values_are_keys_; }
  /// Calls move(in a row of blocks, in a row of the product, count) then, for each part that moves.
  template <class Move>
  void for_each_block(Move move) const;
  /// Multiplies what heads give, context (B,T,H,D), by their gates.
  void gate(const Pass& pass, float* context) const;
  /// (D), the factor of each query that has rotated, or nullptr.
  const float* late_gain(const Pass& pass) const;
  /// Outputs of the layers of queries and keys, the first of qkv_.
  std::size_t queries_and_keys() const { return (heads_ + key_heads_) * head_dim_; }
  /// The shape of the queries or keys of all tokens, in blocks, as their norm sees them.
  nn::HeadNormShape heads(const Pass& pass, std::size_t heads) const;

  const position_encoding::PositionEncoding* positions_;
  std::size_t layer_, heads_, key_heads_, head_dim_, window_;
  float scale_, soft_cap_;
  bool causal_;
  bool norms_all_heads_;
  bool drops_;     // whether training drops probabilities
  bool per_head_;  // whether the product has the values of a head behind its key and its query
  bool values_are_keys_;
  bool gated_;  // whether it has the gate of a head behind its query
  Linear qkv_;
  std::size_t row_;  // H+2K,D of a token; with the keys of another layer, K is 0
  std::optional<Norm> query_norm_, key_norm_, value_norm_;
  std::uint64_t query_gain_, key_gain_;  // of norms behind the rotation
  Linear output_;
  Slot gain_;       // (D), their product
  Slot product_;    // if it moves: (B,T,H,3,D), (B,T,2H+2K,D) with gates, (B,T,H+K,D) where values are keys
  Slot plain_;      // (B,T,H+2K,D): what the norms read; in training only, else projected_
  Slot projected_;  // (B,T,H+2K,D): queries, keys and values, as attention saw them; (B,T,2H+2K,D) with gates
  Slot probs_, scores_;  // (B,H,T,T) each, where kept
  Slot context_;         // (B,T,H,D)
  Slot rows_;            // (N,H+K,D), as Attention::projected of the encoding has it
  Slot query_, key_;     // (B,T,H,D) and (B,T,K,D), where kept
  Slot dproduct_, dprojected_, dcontext_;
  Slot dinput_;  // (B,T,C), where positions read the input
};

}  // namespace ropewalk::model
