#include "model/position_encoding/kinds.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "model/position_encoding/one_sequence.hpp"
#include "model/position_encoding/rope_options.hpp"
#include "model/position_encoding/rotation.hpp"
#include "nn/scratch.hpp"

namespace ropewalk::model::position_encoding {
namespace {

/// Queries, keys and values of G = H/2 heads are projected. Part 0 attends with the rotated queries, part 1 with the
/// same turned by -pi/2; part p makes the heads from p G on.
class RopePlusPlus final : public PositionEncoding {
 public:
  RopePlusPlus(Rotation rotation, Pairing pairing) : rotation_(std::move(rotation)), pairing_(pairing) {}

  std::size_t projected(std::size_t heads) const override { return heads / 2; }

  Status prepare(nn::Compute compute, std::size_t tokens) override {
    return rotation_.prepare(compute, tokens, probe_);
  }

  void attend(const Attention& pass) const override {
    const Places at(pass.shape, pass.scratch, false);
    rotation_.rotate(pass.compute, pass.qkv, half_of(pass.shape));
    for (std::size_t b = 0; b < pass.shape.batch; ++b) {
      for (std::size_t part = 0; part < 2; ++part) {
        Attention half = pass;
        half.shape = of_sequence(half_of(pass.shape), 2 * b + part);
        half.terms = of_sequence(pass.terms, pass.shape, b, part * half.shape.heads);
        half.qkv = pass.qkv + b * at.projections;
        if (part == 1) {
          turn_back(at.qkv, half.qkv, half.shape);
          half.qkv = at.qkv;
        }
        half.context = at.context;
        if (pass.probs != nullptr) half.probs = pass.probs + first_probability(pass.shape, b, part);
        half.scratch = at.rest;
        PositionEncoding::attend(half);
        for (std::size_t t = 0; t < pass.shape.tokens; ++t)
          std::copy_n(at.context + t * at.width, at.width, pass.context + at.context_row(b, t, part));
      }
    }
  }

  void attend_backward(const AttentionGradient& pass) const override {
    const Places at(pass.shape, pass.scratch, true);
    for (std::size_t b = 0; b < pass.shape.batch; ++b) {
      float* const dqkv = pass.dqkv + b * at.projections;
      for (std::size_t part = 0; part < 2; ++part) {
        AttentionGradient half = pass;
        half.shape = of_sequence(half_of(pass.shape), 2 * b + part);
        half.qkv = pass.qkv + b * at.projections;
        half.dqkv = dqkv;
        if (part == 1) {
          turn_back(at.qkv, half.qkv, half.shape);
          half.qkv = at.qkv;
          half.dqkv = at.dqkv;
        }
        for (std::size_t t = 0; t < pass.shape.tokens; ++t)
          std::copy_n(pass.dcontext + at.context_row(b, t, part), at.width, at.context + t * at.width);
        half.dcontext = at.context;
        half.probs = pass.probs + first_probability(pass.shape, b, part);
        half.scratch = at.rest;
        PositionEncoding::attend_backward(half);
      }
      turn_forward(at.dqkv, half_of(pass.shape));
      pass.compute.dense().add(at.dqkv, dqkv, at.projections);
    }
    rotation_.pull_back(pass.compute, pass.dqkv, half_of(pass.shape));
  }

  std::size_t forward_scratch(const nn::AttentionShape& shape, bool with_probs) const override {
    return Places(shape, nullptr, false).size + PositionEncoding::forward_scratch(half_of(shape), with_probs);
  }
  std::size_t backward_scratch(const nn::AttentionShape& shape) const override {
    return Places(shape, nullptr, true).size + PositionEncoding::backward_scratch(half_of(shape));
  }

 private:
  /// Places in the scratch of a sequence.
  struct Places {
    std::size_t tokens, width, projections;  // T; G D; T 3 G D
    float *qkv, *dqkv;                       // (T,3G,D), of part 1
    float* context;                          // (T,G,D), or its gradient
    float* rest;
    std::size_t size = 0;

    Places(const nn::AttentionShape& shape, float* scratch, bool backward)
        : tokens(shape.tokens), width(shape.heads / 2 * shape.head_dim), projections(3 * tokens * width) {
      const auto take = [&](std::size_t count) {
        float* const part = scratch == nullptr ? nullptr : scratch + size;
        size += nn::scratch_lines(count);
        return part;
      };
      qkv = take(projections);
      dqkv = take(backward ? projections : 0);
      context = take(tokens * width);
      rest = take(0);
    }
    /// The heads of a part in the context (B,T,2,G,D).
    std::size_t context_row(std::size_t b, std::size_t t, std::size_t part) const {
      return ((b * tokens + t) * 2 + part) * width;
    }
  };

  static nn::AttentionShape half_of(nn::AttentionShape shape) {
    shape.heads /= 2;
    shape.key_heads = shape.heads;
    return shape;
  }
  static std::size_t first_probability(const nn::AttentionShape& shape, std::size_t b, std::size_t part) {
    return (2 * b + part) * (shape.heads / 2) * shape.tokens * shape.tokens;
  }

  /// Calls with the first channel of each pair of the queries of a token, and the way to the second.
  template <class Call>
  void each_pair(const nn::AttentionShape& shape, Call&& call) const {
    const bool interleaved = pairing_ == Pairing::interleaved;
    const std::size_t pairs = shape.head_dim / 2, step = interleaved ? 2 : 1, other = interleaved ? 1 : pairs;
    for (std::size_t t = 0; t < shape.tokens; ++t) {
      for (std::size_t h = 0; h < shape.heads; ++h) {
        const std::size_t head = t * shape.token_stride + h * shape.head_dim;
        for (std::size_t j = 0; j < pairs; ++j) call(head + step * j, head + step * j + other);
      }
    }
  }
  /// The projections of a sequence with queries turned by -pi/2: (a, b) becomes (b, -a).
  void turn_back(float* y, const float* qkv, const nn::AttentionShape& shape) const {
    std::copy_n(qkv, shape.tokens * shape.token_stride, y);
    each_pair(shape, [&](std::size_t a, std::size_t b) {
      y[a] = qkv[b];
      y[b] = -qkv[a];
    });
  }
  /// Turns queries by pi/2, in place.
  void turn_forward(float* qkv, const nn::AttentionShape& shape) const {
    each_pair(shape, [&](std::size_t a, std::size_t b) {
      const float before = qkv[a];
      qkv[a] = -qkv[b];
      qkv[b] = before;
    });
  }

  Rotation rotation_;
  Pairing pairing_;
  Buffer<float> probe_;
};

}  // namespace

Made make_rope_plus_plus(const Spec& spec, const positions::RopePlusPlus& options) {
  ROPEWALK_LET(rope, rope_options(spec, options.rope, "rope-plus-plus"));
  if (spec.attention.heads % 2 != 0) {
    return out_of_range(spec.family, "num_attention_heads", spec.attention.heads,
                        "with `position_encoding` \"rope-plus-plus\", an even number");
  }
  if (rope.rotary_dim.value_or(rope.head_dim) != rope.head_dim) {
    return out_of_range(spec.family, "rotary_dim", *rope.rotary_dim,
                        "with `position_encoding` \"rope-plus-plus\", the whole head");
  }
  if (spec.attention.qk_norm || spec.attention.packing == AttentionSpec::Packing::per_head) {
    return Status::unsupported(spec.family +
                               ": `attention` has norms of queries or projections by head; allowed with "
                               "`position_encoding` \"rope-plus-plus\": neither");
  }
  ROPEWALK_LET(rotation, Rotation::make(rope, 2));
  return std::unique_ptr<PositionEncoding>(std::make_unique<RopePlusPlus>(std::move(rotation), rope.pairing));
}

}  // namespace ropewalk::model::position_encoding
