#include "model/position_encoding/kinds.hpp"

#include <bit>
#include <cmath>
#include <vector>

#include "model/position_encoding/distance_bias.hpp"

namespace ropewalk::model::position_encoding {
namespace {

class Alibi final : public PositionEncoding {
 public:
  Alibi(std::size_t heads, const positions::Alibi& options) {
    const auto slope_of = [](std::size_t h, std::size_t of) {
      return std::exp2(-8 * static_cast<double>(h + 1) / static_cast<double>(of));
    };
    const std::size_t power = options.slopes_of_powers ? std::bit_floor(heads) : heads;
    for (std::size_t h = 0; h < heads; ++h) {
      const double slope = h < power ? slope_of(h, power) : slope_of(2 * (h - power), 2 * power);
      slopes_.push_back({slope, (options.asymmetric ? 0.5 : 1.0) * slope});
    }
  }

  // The gradient of the projections does not see what was added to the scores: attend_backward is the one
  // without positions.
  void attend(const Attention& pass) const override {
    float* const bias = pass.scratch;  // (H,2T-1)
    const std::size_t tokens = pass.shape.tokens, count = distance_count(tokens);
    for (std::size_t h = 0; h < slopes_.size(); ++h) {
      float* const now = bias + h * count + tokens - 1;  // where key and query are one
      now[0] = 0;
      for (std::size_t n = 1; n < tokens; ++n) {
        const double distance = static_cast<double>(n);
        *(now - n) = static_cast<float>(-slopes_[h].before * distance);
        *(now + n) = static_cast<float>(-slopes_[h].after * distance);
      }
    }
    Attention biased = with_distance_bias(pass, bias);
    biased.scratch = pass.scratch + distance_bias_scratch(pass.shape);
    PositionEncoding::attend(biased);
  }

  std::size_t forward_scratch(const nn::AttentionShape& shape, bool with_probs) const override {
    return distance_bias_scratch(shape) + PositionEncoding::forward_scratch(shape, with_probs);
  }

 private:
  struct Slopes {
    double before, after;
  };
  std::vector<Slopes> slopes_;  // one per head
};

}  // namespace

Made make_alibi(const Spec& spec, const positions::Alibi& options) {
  return std::unique_ptr<PositionEncoding>(std::make_unique<Alibi>(spec.attention.heads, options));
}

}  // namespace ropewalk::model::position_encoding
