#pragma once

#include <cstddef>
#include <optional>

#include "base/buffer.hpp"
#include "model/position_encoding/rope_options.hpp"
#include "nn/attention.hpp"
#include "nn/compute.hpp"
#include "ropewalk/rope.hpp"

namespace ropewalk::model::position_encoding {

/// Projections (B,T,H+2K,D) that rotate in place at positions 0..T-1: queries and keys, and values where
/// asked.
class Rotation {
 public:
  /// `options` may have frequencies of each head's own. `parts`: 2, or 3 for values too.
  static Result<Rotation> make(const RopeOptions& options, std::size_t parts, Sense sense = {});
  // Not inline: every encoding that rotates would bring the code that moves three ropes.
  Rotation(Rotation&&) noexcept;
  Rotation& operator=(Rotation&&) noexcept;
  ~Rotation();

  /// Builds the tables of T tokens, so that the passes of as many or fewer only read them. `probe` is scratch
  /// that is kept from call to call.
  Status prepare(nn::Compute compute, std::size_t tokens, Buffer<float>& probe);

  void rotate(nn::Compute compute, float* qkv, const nn::AttentionShape& shape) const;
  /// The gradient of rotate: from that of the rotated to that of the projections.
  void pull_back(nn::Compute compute, float* dqkv, const nn::AttentionShape& shape) const;
  /// From what rotate left to the projections.
  void undo(nn::Compute compute, float* qkv, const nn::AttentionShape& shape) const;

  const Rope& rope() const { return turns_->forward; }
  /// How many times the rule's table holds one head's pairs: 1, or H.
  std::size_t own_heads() const { return rope().width() / (rope().rotary_dim() / 2); }

 private:
  /// The transpose of a rotation is that by -theta with the same magnitude, the inverse that with 1 over it.
  struct Turns {
    Rope forward, back;
    std::optional<Rope> inverse;  // where it is not the transpose
  };
  static Result<Turns> turns(const RopeOptions& options, Sense sense, std::size_t tokens);
  Rotation(RopeOptions options, std::size_t parts, Sense sense, Turns turns);
  bool fits(std::size_t tokens) const { return !by_length_ || tokens == length_; }
  void apply(nn::Compute compute, const Rope& (*direction)(const Turns&), float* qkv,
             const nn::AttentionShape& shape) const;
  Status run(nn::Compute compute, const Rope& rope, float* qkv, const nn::AttentionShape& shape) const;

  RopeOptions options_;
  std::size_t parts_;
  Sense sense_;
  bool by_length_;          // whether the rule depends on T (dynamic NTK, LongRoPE)
  std::size_t length_ = 1;  // the T of turns_, where it does
  std::optional<Turns> turns_;
  std::size_t warm_ = 0;  // tokens whose tables exist
};

}  // namespace ropewalk::model::position_encoding
