#include "model/position_encoding/rope.hpp"

#include "model/position_encoding/rope_options.hpp"
#include "model/position_encoding/rotation.hpp"

namespace ropewalk::position_encoding {
namespace {

class RopeEncoding final : public PositionEncoding {
 public:
  explicit RopeEncoding(Rotation rotation) : rotation_(std::move(rotation)) {}

  Status prepare(std::size_t tokens) override { return rotation_.prepare(tokens, probe_); }

  void attend(const Attention& pass) const override {
    rotation_.rotate(pass.qkv, pass.shape);
    PositionEncoding::attend(pass);
  }

  void attend_backward(const AttentionGradient& pass) const override {
    PositionEncoding::attend_backward(pass);
    rotation_.pull_back(pass.dqkv, pass.shape);
  }

 private:
  Rotation rotation_;
  Buffer<float> probe_;
};

}  // namespace

Result<std::unique_ptr<PositionEncoding>> make_rope(const Dimensions& dimensions) {
  Result<RopeOptions> options = rope_options(dimensions, "rope");
  if (!options.ok()) return options.status();
  Result<Rotation> rotation = Rotation::make(options.value(), dimensions.rotary_value ? 3 : 2);
  if (!rotation.ok()) return rotation.status();
  return std::unique_ptr<PositionEncoding>(std::make_unique<RopeEncoding>(std::move(rotation).value()));
}

}  // namespace ropewalk::position_encoding
