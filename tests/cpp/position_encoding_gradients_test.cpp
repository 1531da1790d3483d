// Gradients of models of every position encoding against differences of the loss, where no golden file holds them: padding,
// dropout, rotary values, rules and layouts.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "each_architecture.hpp"
#include "model/model.hpp"
#include "position_encodings.hpp"

namespace ropewalk {
namespace position_encoding_gradients_test {

using position_encodings::Small;
using position_encodings::Variant;
using position_encodings::variants;

class PositionEncodingGradientsOn : public EachArchitecture {};
ON_EACH_ARCHITECTURE(PositionEncodingGradientsOn);

/// Along the parameters of `which` the derivative of the loss is the squared length of their gradient; one
/// minus the share of it that differences find.
double directional_error(Small& run, const std::vector<float>& gradients, bool of_positions) {
  std::vector<float> direction(gradients.size());
  double slope = 0;
  for (const model::parameters::Parameter& p : run.model->table().all()) {
    if (of_positions && !p.of_positions) continue;
    for (std::size_t i = p.offset; i < p.offset + p.size; ++i) {
      direction[i] = gradients[i];
      slope += double{gradients[i]} * gradients[i];
    }
  }
  const std::vector<float> before(run.model->parameters().begin(), run.model->parameters().end());
  const auto difference = [&](double step) {
    double at[2];
    for (int side = 0; side < 2; ++side) {
      for (std::size_t i = 0; i < before.size(); ++i) {
        run.model->parameters()[i] =
            static_cast<float>(before[i] + (side == 0 ? -step : step) * direction[i]);
      }
      raise(run.model->repack());
      at[side] = run.loss();
    }
    return (at[1] - at[0]) / (2 * step);
  };
  // Richardson's extrapolation takes the third derivative out.
  const double step = (of_positions ? 4e-3 : 1e-3) / std::sqrt(slope);
  const double error = std::fabs((4 * difference(step) - difference(2 * step)) / 3 / slope - 1);
  std::copy(before.begin(), before.end(), run.model->parameters().begin());
  raise(run.model->repack());
  return error;
}

TEST_P(PositionEncodingGradientsOn, GradientsAgreeWithDifferencesOfTheLoss) {
  double worst = 0;
  for (const Variant& variant : variants) {
    Small run(variant);
    const std::vector<float> gradients = run.gradients();
    const bool has_own = std::ranges::any_of(run.model->table().all(),
                                             [](const auto& parameter) { return parameter.of_positions; });
    for (const bool of_positions : {false, true}) {
      if (of_positions && !has_own) continue;
      const double error = directional_error(run, gradients, of_positions);
      EXPECT_LT(error, of_positions ? 4e-3 : variant.tolerance)
          << variant.encoding << " " << variant.changes << (of_positions ? ", its own parameters" : "");
      worst = std::max(worst, error);
    }
    EXPECT_EQ(run.gradients(), gradients) << variant.encoding;
  }
  std::printf("  %s: largest disagreement %.1e\n", GetParam().c_str(), worst);
}

}  // namespace position_encoding_gradients_test
}  // namespace ropewalk
