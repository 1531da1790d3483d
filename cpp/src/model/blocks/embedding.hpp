#pragma once

#include <optional>

#include "model/blocks/linear.hpp"
#include "model/blocks/norm.hpp"
#include "model/blocks/words.hpp"
#include "model/position_encoding/position_encoding.hpp"

namespace ropewalk::model {

/// Vectors of words, token types and positions, their norm, and the projection to the hidden size.
class Embedding {
 public:
  /// `positions` outlives this.
  Embedding(Builder& builder, const Spec& spec, position_encoding::PositionEncoding& positions);

  /// The table of word vectors (V,E).
  std::uint64_t words() const { return words_; }

  Status pack(const Packing& packing);
  void plan(Plan& plan) const;
  void plan_backward(Plan& plan) const;
  /// Returns what the first layer reads, (B,T,C).
  const float* forward(const Pass& pass) const;
  /// The result of forward, once more.
  const float* result(const Pass& pass) const { return pass.at(projection_ ? projected_ : embedded_); }
  /// dx (B,T,C), the gradient of that result, is overwritten.
  void backward(const Pass& pass, float* dx) const;

 private:
  const std::int32_t* types(const Pass& pass) const { return any_type_ ? nullptr : pass.types; }
  /// x (B,T,E) as EmbeddingSpec::mask_id has it; its gradient is the same.
  void make_up_for_masks(const Pass& pass, float* x) const;
  void clear_padding(const Pass& pass, float* x) const;

  const position_encoding::PositionEncoding* positions_;
  std::size_t vocabulary_, width_, hidden_;
  float scale_;
  bool any_type_, zero_padding_;
  std::optional<std::int32_t> mask_id_;
  std::uint64_t words_, types_ = absent;
  Words table_;  // empty in training, where words are parameters as all others
  std::optional<Norm> norm_;
  std::optional<Linear> projection_;
  Slot sum_;        // (B,T,E), what the norm reads; in training only
  Slot embedded_;   // (B,T,E)
  Slot projected_;  // (B,T,C)
  Slot dembedded_;  // (B,T,E)
};

}  // namespace ropewalk::model
