#include "base/text.hpp"
#include "model/position_encoding/kinds.hpp"

#include <algorithm>
#include <vector>

#include "base/buffer.hpp"
#include "model/position_encoding/distance_bias.hpp"
#include "model/position_encoding/one_sequence.hpp"
#include "model/position_encoding/packed_product.hpp"
#include "nn/linear.hpp"
#include "nn/scratch.hpp"

namespace ropewalk::model::position_encoding {
namespace {

using nn::packed_scratch;
using nn::scratch_lines;

// N = 2T - 1 distances: row n of R, and column n of the position scores (T,N), is the key T - 1 - n before
// the query. The (T,T) matrix of bias lies in those scores as it is: its row i begins at column T - 1 - i.
class TransformerXl final : public PositionEncoding {
 public:
  explicit TransformerXl(std::size_t heads, std::size_t head_dim)
      : heads_(heads), hidden_(heads * head_dim) {}

  void add_layer_parameters(Builder& builder) override {
    using parameters::Initial;
    const std::size_t head_dim = hidden_ / heads_;
    Layer layer;
    layer.weight =
        builder.of_positions("attention.relative_key", ".weight", {hidden_, hidden_}, Initial::normal, true);
    layer.u = builder.of_positions("attention.content_bias", "", {heads_, head_dim}, Initial::zeros, false);
    layer.v = builder.of_positions("attention.position_bias", "", {heads_, head_dim}, Initial::zeros, false);
    layers_.push_back(std::move(layer));
  }

  Status update(nn::Compute compute, const float* parameters) override {
    for (Layer& layer : layers_) {
      ROPEWALK_TRY(layer.packed.pack(compute, parameters + layer.weight, hidden_, hidden_));
    }
    return {};
  }

  Status prepare(nn::Compute, std::size_t tokens) override {
    if (tokens <= tokens_) return {};
    Buffer<float> table;
    const std::size_t rows = distance_count(tokens);
    ROPEWALK_TRY(table.allocate(rows * hidden_, "roformer: positions"));
    ROPEWALK_TRY(fill_sinusoids(table.span(), static_cast<double>(tokens - 1), -1, rows, hidden_));
    table_ = std::move(table);
    tokens_ = tokens;
    return {};
  }

  void attend(const Attention& pass) const override {
    const Layer& layer = layers_[pass.layer];
    const std::size_t tokens = pass.shape.tokens, head_dim = pass.shape.head_dim,
                      count = distance_count(tokens);
    const std::size_t panel = packed_scratch(head_dim, count);
    float* const keys = pass.scratch;                                 // (N,H,D), W_R R
    float* const packed = keys + scratch_lines(count * hidden_);      // H of (D,N)
    float* const queries = packed + heads_ * panel;                   // (T,H,D), (q + v) / sqrt(D)
    float* const scores = queries + scratch_lines(tokens * hidden_);  // (H,T,N)
    float* const rest = scores + scratch_lines(heads_ * tokens * count);
    nn::linear_forward(pass.compute, keys, rows(tokens), layer.packed, nullptr, count);
    for (std::size_t h = 0; h < heads_; ++h) {
      pass.compute.dense().pack(
          {keys + h * head_dim, 1, stride(hidden_), packed + h * panel, head_dim, count});
    }
    for (std::size_t b = 0; b < pass.shape.batch; ++b) {
      float* const qkv = pass.qkv + b * tokens * 3 * hidden_;
      for (std::size_t i = 0; i < tokens * hidden_; ++i) {
        float& q = qkv[i / hidden_ * 3 * hidden_ + i % hidden_];
        queries[i] = pass.shape.scale * (q + pass.parameters[layer.v + i % hidden_]);
        q += pass.parameters[layer.u + i % hidden_];
      }
      for (std::size_t h = 0; h < heads_; ++h) {
        product(pass.compute, scores + h * tokens * count, stride(count), queries + h * head_dim,
                stride(hidden_), 1, packed + h * panel, tokens, count, head_dim, false);
      }
      nn::AttentionTerms terms = position_encoding::of_sequence(pass.terms, pass.shape, b);
      terms.bias = scores + tokens - 1;
      nn::attention_forward(pass.compute, pass.context + b * tokens * hidden_,
                            pass.probs == nullptr ? nullptr : pass.probs + b * heads_ * tokens * tokens, qkv,
                            qkv + hidden_, qkv + 2 * hidden_, of_sequence(pass.shape, b), terms, rest);
    }
  }

  void attend_backward(const AttentionGradient& pass) const override {
    const Layer& layer = layers_[pass.layer];
    const auto& dense = pass.compute.dense();
    const std::size_t tokens = pass.shape.tokens, head_dim = pass.shape.head_dim,
                      count = distance_count(tokens);
    const std::size_t panel = packed_scratch(count, head_dim);
    const float scale = pass.shape.scale;
    const float *const u = pass.parameters + layer.u, *const v = pass.parameters + layer.v;
    float *const du = pass.gradients + layer.u, *const dv = pass.gradients + layer.v;
    float* const keys = pass.scratch;                                   // (N,H,D), W_R R
    float* const dkeys = keys + scratch_lines(count * hidden_);         // (N,H,D)
    float* const packed = dkeys + scratch_lines(count * hidden_);       // H of (N,D)
    float* const queries = packed + heads_ * panel;                     // (T,H,D), (q + v) / sqrt(D)
    float* const dqueries = queries + scratch_lines(tokens * hidden_);  // (T,H,D)
    float* const dscores = dqueries + scratch_lines(tokens * hidden_);  // (H,T,N)
    float* const packed_queries = dscores + scratch_lines(heads_ * tokens * count);  // (T,D)
    float* const rest = packed_queries + packed_scratch(tokens, head_dim);
    nn::linear_forward(pass.compute, keys, rows(tokens), layer.packed, nullptr, count);
    for (std::size_t h = 0; h < heads_; ++h) {
      dense.pack({keys + h * head_dim, stride(hidden_), 1, packed + h * panel, count, head_dim});
    }
    std::fill_n(dkeys, count * hidden_, 0.0F);
    for (std::size_t b = 0; b < pass.shape.batch; ++b) {
      const float* const qkv = pass.qkv + b * tokens * 3 * hidden_;
      float* const dqkv = pass.dqkv + b * tokens * 3 * hidden_;
      std::fill_n(dscores, heads_ * tokens * count, 0.0F);
      nn::attention_backward(pass.compute, dqkv, dqkv + hidden_, dqkv + 2 * hidden_, dscores + tokens - 1,
                             pass.dcontext + b * tokens * hidden_, pass.probs + b * heads_ * tokens * tokens,
                             qkv, qkv + hidden_, qkv + 2 * hidden_, of_sequence(pass.shape, b), rest);
      // The forward pass left q + u.
      for (std::size_t i = 0; i < tokens * hidden_; ++i) {
        const std::size_t c = i % hidden_;
        queries[i] = scale * (qkv[i / hidden_ * 3 * hidden_ + c] - u[c] + v[c]);
      }
      for (std::size_t h = 0; h < heads_; ++h) {
        const float* const dscore = dscores + h * tokens * count;
        product(pass.compute, dqueries + h * head_dim, stride(hidden_), dscore, stride(count), 1,
                packed + h * panel, tokens, head_dim, count, false);
        dense.pack({queries + h * head_dim, stride(hidden_), 1, packed_queries, tokens, head_dim});
        product(pass.compute, dkeys + h * head_dim, stride(hidden_), dscore, 1, stride(count), packed_queries,
                count, head_dim, tokens, true);
      }
      for (std::size_t t = 0; t < tokens; ++t) {
        float *const dq = dqkv + t * 3 * hidden_, *const dquery = dqueries + t * hidden_;
        dense.add(dq, du, hidden_);
        dense.scale(scale, dquery, dquery, hidden_);
        dense.add(dquery, dv, hidden_);
        dense.add(dquery, dq, hidden_);
      }
    }
    nn::linear_backward(pass.compute, nullptr, pass.gradients + layer.weight, nullptr, dkeys, rows(tokens),
                        pass.parameters + layer.weight, count, hidden_, hidden_, rest);
  }

  std::size_t forward_scratch(const nn::AttentionShape& shape, bool with_probs) const override {
    const std::size_t count = distance_count(shape.tokens);
    return scratch_lines(count * hidden_) + heads_ * packed_scratch(shape.head_dim, count) +
           scratch_lines(shape.tokens * hidden_) + scratch_lines(heads_ * shape.tokens * count) +
           PositionEncoding::forward_scratch(shape, with_probs);
  }
  std::size_t backward_scratch(const nn::AttentionShape& shape) const override {
    const std::size_t count = distance_count(shape.tokens);
    return 2 * scratch_lines(count * hidden_) + heads_ * packed_scratch(count, shape.head_dim) +
           2 * scratch_lines(shape.tokens * hidden_) + scratch_lines(heads_ * shape.tokens * count) +
           packed_scratch(shape.tokens, shape.head_dim) +
           std::max(PositionEncoding::backward_scratch(shape),
                    nn::linear_backward_scratch(count, hidden_, hidden_));
  }

 private:
  struct Layer {
    std::uint64_t weight = 0, u = 0, v = 0;  // (C,C), (H,D), (H,D)
    nn::PackedWeight packed;
  };

  static std::ptrdiff_t stride(std::size_t count) { return static_cast<std::ptrdiff_t>(count); }

  /// R for T tokens, (N,C): the middle of the table.
  const float* rows(std::size_t tokens) const { return table_.data() + (tokens_ - tokens) * hidden_; }

  /// One sequence at a time, so that only its scores by distance exist; each with dropout of its own.
  static nn::AttentionShape of_sequence(nn::AttentionShape shape, std::size_t batch) {
    const std::ptrdiff_t tokens = stride(shape.tokens), count = stride(distance_count(shape.tokens));
    shape = position_encoding::of_sequence(shape, batch);
    // With one token there is one score, dense.
    shape.bias_strides = {.batch = 0, .head = tokens * count, .row = count - 1};
    return shape;
  }

  std::size_t heads_, hidden_;
  std::vector<Layer> layers_;
  std::size_t tokens_ = 0;
  Buffer<float> table_;  // (2 T - 1, C)
};

}  // namespace

Made make_transformer_xl(const Spec& spec) {
  return std::unique_ptr<PositionEncoding>(
      std::make_unique<TransformerXl>(spec.attention.heads, spec.head_dim()));
}

}  // namespace ropewalk::model::position_encoding
