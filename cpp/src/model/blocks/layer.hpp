#pragma once

#include "model/blocks/residual.hpp"
#include "model/position_encoding/position_encoding.hpp"

namespace ropewalk::model {

/// Makes a branch of a layer.
using MakeBranch = std::unique_ptr<Branch> (*)(Builder builder, const Spec& spec);

/// Functions that make branches that few models have, so that others do not link them; nullptr: there is none.
struct LayerParts {
  /// Between attention and the feed-forward network, where the placement is not parallel.
  MakeBranch cross_attention = nullptr;
  /// Beside the layer, where LayerSpec::convolution says so.
  MakeBranch convolution = nullptr;
  /// The memory of LayerInputs::inputs, where Spec::layer_inputs has a width.
  std::optional<Slot> inputs = {};
};

/// Attention, then a feed-forward network, or both at once where the placement is parallel; perhaps a convolution beside
/// them, or an input of the layer behind them.
class Layer {
 public:
  /// `positions` outlives this.
  Layer(Builder builder, const Spec& spec, position_encoding::PositionEncoding& positions,
        const LayerParts& parts = {});

  Status pack(const Packing& packing);
  void plan(Plan& plan) const;
  void plan_backward(Plan& plan) const;
  /// y (B,T,C) from x (B,T,C), which it may be where no backward pass follows.
  void forward(const Pass& pass, float* y, const float* x) const;
  /// dx (B,T,C), the gradient of y, becomes that of x.
  void backward(const Pass& pass, float* dx, const float* x) const;
  /// Branch::probabilities of attention.
  const float* probabilities(const Pass& pass) const { return attention_.probabilities(pass); }
  void collect(const Pass& pass, Outputs& outputs) const;

 private:
  std::size_t width_;
  bool parallel_;
  Residual attention_;
  std::optional<Residual> cross_attention_;
  Residual feed_forward_;
  std::optional<Residual> convolution_;
  std::optional<Residual> input_;
  std::uint64_t factor_;
  Slot middle_;   // (B,T,C), behind attention
  Slot crossed_;  // (B,T,C), behind cross-attention
  Slot fed_;      // (B,T,C), behind the feed-forward network, where there is a convolution or an input
};

}  // namespace ropewalk::model
