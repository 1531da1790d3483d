#include "position_encoding/rope.hpp"

#include <string>
#include <vector>

#include "arch/select.hpp"
#include "memory/buffer.hpp"
#include "ropewalk/rope.hpp"

namespace ropewalk::position_encoding {
namespace {

class RopeEncoding final : public PositionEncoding {
 public:
  RopeEncoding(Rope rope, bool rotary_value) : rope_(std::move(rope)), rotated_(rotary_value ? 3 : 2) {}

  Status prepare(std::size_t tokens) override {
    if (tokens <= tokens_) return {};
    const std::size_t size = tokens * rope_.frequencies().size();
    Buffer<double> positions;
    Buffer<float> cos, sin, minus_sin;
    for (Status status : {positions.allocate(tokens, "roformer"), cos.allocate(size, "roformer"),
                          sin.allocate(size, "roformer"), minus_sin.allocate(size, "roformer")}) {
      if (!status.ok()) return status;
    }
    for (std::size_t t = 0; t < tokens; ++t) positions[t] = static_cast<double>(t);
    if (Status status = rope_.try_table(positions.span(), cos.span(), sin.span()); !status.ok())
      return status;
    for (std::size_t i = 0; i < size; ++i) minus_sin[i] = -sin[i];
    cos_ = std::move(cos);
    sin_ = std::move(sin);
    minus_sin_ = std::move(minus_sin);
    tokens_ = tokens;
    return {};
  }

  void attend(const Attention& pass) const override {
    rotate(pass.qkv, sin_.data(), pass.shape);
    PositionEncoding::attend(pass);
  }

  void attend_backward(const AttentionGradient& pass) const override {
    PositionEncoding::attend_backward(pass);
    // The gradient is the transposed rotation: the same table with sin negated.
    rotate(pass.dqkv, minus_sin_.data(), pass.shape);
  }

 private:
  void rotate(float* qkv, const float* sin, const nn::AttentionShape& shape) const {
    const std::ptrdiff_t head = static_cast<std::ptrdiff_t>(shape.head_dim);
    const std::ptrdiff_t token = 3 * static_cast<std::ptrdiff_t>(shape.heads) * head;
    const std::size_t pairs = rope_.rotary_dim() / 2;
    for (std::size_t b = 0; b < shape.batch; ++b) {
      float* x = qkv + b * shape.tokens * static_cast<std::size_t>(token);
      // Queries and keys (and values) of a token are neighbours, so they are one run of heads.
      const kernels::RotateJob job{.x = x,
                                   .y = x,
                                   .outer = shape.tokens,
                                   .inner = rotated_ * shape.heads,
                                   .x_outer = token,
                                   .x_inner = head,
                                   .y_outer = token,
                                   .y_inner = head,
                                   .cos = cos_.data(),
                                   .sin = sin,
                                   .table_outer = static_cast<std::ptrdiff_t>(pairs),
                                   .table_inner = 0,
                                   .pairs = pairs,
                                   .offset = rope_.rotary_offset(),
                                   .head_dim = shape.head_dim,
                                   .streaming = false};
      arch::active().rotate.of[static_cast<int>(DType::float32)][static_cast<int>(rope_.pairing())](job);
    }
  }

  Rope rope_;
  std::size_t rotated_;
  std::size_t tokens_ = 0;
  Buffer<float> cos_, sin_, minus_sin_;  // (T, D/2)
};

}  // namespace

Result<std::unique_ptr<PositionEncoding>> make_rope(const Dimensions& dimensions) {
  if (dimensions.head_dim % 2 != 0) {
    return Status::range("roformer: `hidden_size` / `num_attention_heads` is " +
                         std::to_string(dimensions.head_dim) +
                         "; allowed with `position_encoding` \"rope\": an even number");
  }
  Result<Rope> rope = Rope::make({.head_dim = dimensions.head_dim});
  if (!rope.ok()) return rope.status();
  return std::unique_ptr<PositionEncoding>(
      std::make_unique<RopeEncoding>(std::move(rope).value(), dimensions.rotary_value));
}

}  // namespace ropewalk::position_encoding
