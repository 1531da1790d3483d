#include "model/position_encoding/clipped_rope.hpp"

#include <cmath>
#include <numbers>
#include <string>

#include "base/text.hpp"
#include "rope/frequencies/length.hpp"

namespace ropewalk::model::position_encoding {
namespace {

/// sin(pi x / 2) for x from 0 to 1, by its series: the same bits everywhere, which the C library's are not.
double quarter_sine(double x) {
  const double angle = x * std::numbers::pi / 2, square = angle * angle;
  double sum = 0;
  for (int i = 24; i > 0; i -= 2) sum = (1 - sum) * square / (i * (i + 1));
  return angle * (1 - sum);
}

/// (1 + cos(pi x)) / 2 = cos^2(pi x / 2), from 1 at x = 0 to 0 at x = 1, both exactly.
double fading(double x) {
  const double sine = quarter_sine(x <= 0.5 ? x : 1 - x);
  return x <= 0.5 ? 1 - sine * sine : sine * sine;
}

}  // namespace

Status clip_rope(std::string_view family, RopeOptions& options, std::optional<std::size_t> clip,
                 std::size_t max_positions) {
  if (depends_on_length(options.frequencies)) {
    return Status::unsupported(
        std::string(family) +
        ": `rope_scaling` has frequencies by sequence length; allowed with `position_encoding` "
        "\"clipped-rope\": one set for all");
  }
  ROPEWALK_LET(rope, Rope::make(options));
  const std::span<const double> theta = rope.frequencies();
  const std::size_t pairs = rope.rotary_dim() / 2;
  std::size_t fade = clip.value_or(0);
  if (fade > pairs) {
    return out_of_range(family, "rotary_clip", fade,
                        "at most the pairs that rotate, " + std::to_string(pairs));
  }
  for (std::size_t j = 0; !clip && j < pairs; ++j)
    fade += std::fabs(theta[j]) * static_cast<double>(max_positions) < 2 * std::numbers::pi ? 1 : 0;
  frequencies::Custom clipped{.frequencies = {theta.begin(), theta.end()}, .magnitude = rope.magnitude()};
  for (std::size_t k = 0; fade > 1 && k < theta.size(); ++k) {
    const std::size_t i = k % pairs + fade;
    if (i < pairs) continue;
    clipped.frequencies[k] *= fading(static_cast<double>(i - pairs) / static_cast<double>(fade - 1));
  }
  options.frequencies = std::move(clipped);
  return {};
}

}  // namespace ropewalk::model::position_encoding
