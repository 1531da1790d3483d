// The gradients of a rotation: golden values, and finite differences of a scalar float64 rotation that shares
// nothing with the kernels.

#include "ropewalk/gradients.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <optional>

#include "base/half.hpp"
#include "each_architecture.hpp"
#include "golden.hpp"
#include "reference/rotate.hpp"
#include "ropewalk/config.hpp"
#include "ropewalk/rope.hpp"
#include "test_data.hpp"

namespace ropewalk {
namespace gradients_test {

using Floats = std::vector<float>;
using Doubles = std::vector<double>;

class GradientsOn : public EachArchitecture {};
ON_EACH_ARCHITECTURE(GradientsOn);

/// Largest |got - expected| over the largest |expected|.
template <class T>
double error(const std::vector<T>& got, const Doubles& expected) {
  if (got.size() != expected.size()) return INFINITY;
  double worst = 0, largest = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    worst = std::max(worst, std::fabs(static_cast<double>(got[i]) - expected[i]));
    largest = std::max(largest, std::fabs(expected[i]));
  }
  return largest == 0 ? worst : worst / largest;
}

TEST_P(GradientsOn, HoldTheGoldenValues) {
  const auto file = golden::read("rope/rotate.json");
  int checked = 0;
  for (const auto& each : file["cases"]) {
    const std::string name = each["name"];
    RopeOptions options = rope_options_from_config(each["config"].dump());
    options.pairing = each["pairing"] == "half" ? Pairing::half : Pairing::interleaved;
    const Rope rope(options);
    ASSERT_EQ(rope.rotary_dim(), each["rotary_dim"].get<std::size_t>());
    const auto positions = each["positions"].get<Doubles>();
    const Placement placement{.batch = each["shape"][0],
                              .sequence = each["shape"][1],
                              .heads = each["shape"][2],
                              .positions = positions};
    const RopeGradients got =
        rope.gradients(each["x"].get<Floats>(), each["grad_y"].get<Floats>(), placement);
    EXPECT_LE(error(got.x, each["grad_x"].get<Doubles>()), 2e-7) << name;
    EXPECT_LE(error(got.frequencies, each["grad_theta"].get<Doubles>()), 2e-7) << name;
    EXPECT_LE(error(got.positions, each["grad_positions"].get<Doubles>()), 2e-7) << name;
    ++checked;
  }
  EXPECT_EQ(checked, 10);
}

/// A rotation with everything that has a gradient as a number to vary.
struct Model {
  std::size_t batch = 1, sequence = 1, heads = 1, pairs = 1, axes = 1;
  Pairing pairing = Pairing::interleaved;
  Doubles theta;      // [turns, theta_heads, pairs]
  Doubles positions;  // [axes or 1, batch or 1, sequence]
  double magnitude = 1;
  std::vector<std::size_t> axis_of = {};  // per pair; empty: all turns
  std::optional<XPos> xpos = std::nullopt;
  Role role = Role::query;

  /// sum of grad_y * y, with y [B, S, H, 2 pairs]
  double loss(const Floats& x, const Floats& grad_y) const {
    const std::size_t d = 2 * pairs;
    const std::size_t turns = axis_of.empty() ? axes : 1;
    const std::size_t theta_heads = theta.size() / (turns * pairs);
    const bool each_axis = axes > 1 && positions.size() == axes * batch * sequence;
    const std::size_t tokens = positions.size() / (each_axis ? axes : 1);
    double sum = 0;
    for (std::size_t head = 0; head < batch * sequence * heads; ++head) {
      const std::size_t token = head / heads % tokens, h = theta_heads == 1 ? 0 : head % heads;
      const auto at = [&](std::size_t axis) { return positions[(each_axis ? axis * tokens : 0) + token]; };
      for (std::size_t j = 0; j < pairs; ++j) {
        double phi = 0;
        for (std::size_t t = 0; t < turns; ++t) {
          phi += at(axis_of.empty() ? t : axis_of[j]) * theta[(t * theta_heads + h) * pairs + j];
        }
        double scale = magnitude;
        if (xpos) {
          const double width = static_cast<double>(d),
                       zeta = (2 * static_cast<double>(j) + 0.4 * width) / (1.4 * width);
          const double power = (at(axis_of.empty() ? 0 : axis_of[j]) - xpos->centre) / xpos->scale_base;
          scale *= std::pow(zeta, role == Role::query ? power : -power);
        }
        const std::size_t first = head * d + reference::first_channel(pairing, pairs, j);
        const std::size_t second = head * d + reference::second_channel(pairing, pairs, j);
        const double c = scale * std::cos(phi), s = scale * std::sin(phi), a = x[first], b = x[second];
        sum += grad_y[first] * (a * c - b * s) + grad_y[second] * (a * s + b * c);
      }
    }
    return sum;
  }
  Placement placement() const {
    return {.batch = batch, .sequence = sequence, .heads = heads, .positions = positions};
  }
};

/// d loss() / d value, to about 1e-11 of the loss's scale.
double slope(double& value, const std::function<double()>& loss) {
  const double kept = value;
  const auto central = [&](double step) {
    value = kept + step;
    const double high = loss();
    value = kept - step;
    const double low = loss();
    value = kept;
    return (high - low) / (2 * step);
  };
  const double step = 1e-3;
  return (64 * central(step / 4) - 20 * central(step / 2) + central(step)) / 45;  // Richardson, twice
}
Doubles slopes(Doubles& values, const std::function<double()>& loss) {
  Doubles out;
  for (double& value : values) out.push_back(slope(value, loss));
  return out;
}

void expect_slopes(const Rope& rope, Model model, std::uint64_t seed) {
  TestData sample(seed);
  const std::size_t size = model.batch * model.sequence * model.heads * 2 * model.pairs;
  const Floats x = sample.floats(size), grad_y = sample.floats(size);
  const RopeGradients got = rope.gradients(x, grad_y, model.placement(), model.role);
  const auto loss = [&] { return model.loss(x, grad_y); };
  EXPECT_LE(error(got.frequencies, slopes(model.theta, loss)), 3e-7);
  EXPECT_LE(error(got.positions, slopes(model.positions, loss)), 3e-7);
  EXPECT_NEAR(got.magnitude, slope(model.magnitude, loss), 1e-6 * std::sqrt(static_cast<double>(size)));
  EXPECT_TRUE(got.alpha.empty() && got.rho.empty());
}

Doubles theta_of(const Rope& rope) { return {rope.frequencies().begin(), rope.frequencies().end()}; }

TEST_P(GradientsOn, AreTheSlopesOfTheRotation) {
  for (Pairing pairing : {Pairing::interleaved, Pairing::half}) {
    for (std::size_t pairs : {1, 3, 8, 19}) {
      for (std::size_t theta_heads : {1, 3}) {
        frequencies::Custom rule{.frequencies = {}, .magnitude = 1.25};
        for (std::size_t i = 0; i < theta_heads * pairs; ++i)
          rule.frequencies.push_back(std::pow(0.8, i) - 0.1);
        const Rope rope({.head_dim = 2 * pairs, .pairing = pairing, .frequencies = rule});
        for (bool shared : {true, false}) {
          Model model{.batch = 2,
                      .sequence = 3,
                      .heads = 3,
                      .pairs = pairs,
                      .pairing = pairing,
                      .theta = rule.frequencies,
                      .positions = {-2, 0.5, 7},
                      .magnitude = 1.25};
          if (!shared) model.positions = {-2, 0.5, 7, 3, 1, 40};
          expect_slopes(rope, model, pairs);
        }
      }
    }
  }
}

TEST_P(GradientsOn, KnowSeveralAxes) {
  const std::size_t pairs = 6;
  for (auto order : {Axes::Order::chunked, Axes::Order::interleaved}) {
    const Rope rope({.head_dim = 2 * pairs, .axes = Axes{.sections = {3, 2, 1}, .order = order}});
    Model model{.batch = 2,
                .sequence = 2,
                .heads = 2,
                .pairs = pairs,
                .axes = 3,
                .theta = theta_of(rope),
                .positions = {1, 2, 3, 4, -5, 6, 7, 8, 9, 0.5, 11, 12},
                .axis_of = {0, 0, 0, 1, 1, 2}};
    if (order == Axes::Order::interleaved) model.axis_of = {0, 1, 2, 0, 1, 0};
    expect_slopes(rope, model, 1);
    model.positions = {4, 5};  // shared by axes and batches
    expect_slopes(rope, model, 2);
  }
  // Learned mixed axes: 2 axes, 3 heads.
  frequencies::Custom mixed;
  for (std::size_t i = 0; i < 2 * 3 * pairs; ++i)
    mixed.frequencies.push_back(std::sin(static_cast<double>(i)));
  const Rope rope({.head_dim = 2 * pairs, .frequencies = mixed, .axes = Axes{.sections = {pairs, pairs}}});
  Model model{.batch = 1,
              .sequence = 3,
              .heads = 3,
              .pairs = pairs,
              .axes = 2,
              .theta = mixed.frequencies,
              .positions = {1, 2, 3, 4, 5, 6}};
  expect_slopes(rope, model, 3);
}

TEST_P(GradientsOn, IncludeTheScaleOfXPos) {
  const std::size_t pairs = 5;
  for (Role role : {Role::query, Role::key}) {
    const XPos xpos{.scale_base = 8, .centre = 1};
    const Rope rope({.head_dim = 2 * pairs, .xpos = xpos});
    expect_slopes(rope,
                  {.batch = 1,
                   .sequence = 3,
                   .heads = 2,
                   .pairs = pairs,
                   .theta = theta_of(rope),
                   .positions = {0, 3, 7.5},
                   .xpos = xpos,
                   .role = role},
                  4);
    const Rope two({.head_dim = 2 * pairs, .axes = Axes{.sections = {3, 2}}, .xpos = xpos});
    expect_slopes(two,
                  {.batch = 1,
                   .sequence = 2,
                   .heads = 2,
                   .pairs = pairs,
                   .axes = 2,
                   .theta = theta_of(two),
                   .positions = {0, 3, 7.5, -2},
                   .axis_of = {0, 0, 0, 1, 1},
                   .xpos = xpos,
                   .role = role},
                  5);
  }
}

TEST_P(GradientsOn, ReachAlphaAndRho) {
  const std::size_t pairs = 8, heads = 3;
  const struct {
    Doubles alpha, rho;
  } cases[] = {
      {{0.4}, {0.6}}, {{0.1, 0.5, 0.9}, {0.3, 0.6, 1}}, {{0.25}, {0.3, 0.6, 1}}, {{0.1, 0.5, 0.9}, {0.5}}};
  for (auto [alpha, rho] : cases) {
    const Rope rope({.head_dim = 2 * pairs, .frequencies = frequencies::ReceptiveField{500, alpha, rho}});
    Model model{
        .batch = 1, .sequence = 3, .heads = heads, .pairs = pairs, .theta = {}, .positions = {1, 5, 9}};
    TestData sample(6);
    const Floats x = sample.floats(3 * heads * 2 * pairs), grad_y = sample.floats(x.size());
    const auto loss = [&] {
      model.theta.clear();
      for (std::size_t h = 0; h < std::max(alpha.size(), rho.size()); ++h) {
        const double a = alpha[alpha.size() == 1 ? 0 : h], r = rho[rho.size() == 1 ? 0 : h];
        for (std::size_t j = 0; j < pairs; ++j) {
          const double own = std::pow(500, -static_cast<double>(j) / pairs);
          model.theta.push_back(a * std::pow(10000, -r) + (1 - a) * own);
        }
      }
      return model.loss(x, grad_y);
    };
    const RopeGradients got = rope.gradients(x, grad_y, model.placement());
    EXPECT_LE(error(got.alpha, slopes(alpha, loss)), 3e-7);
    EXPECT_LE(error(got.rho, slopes(rho, loss)), 1e-6);
  }
}

TEST_P(GradientsOn, DoNotDependOnLayoutBlocksOrWindow) {
  TestData sample(7);
  const std::size_t B = 2, S = 150, H = 3, D = 40, d = 34, offset = 3;  // more tokens than one block of sums
  const Rope rope({.head_dim = D, .rotary_dim = d, .rotary_offset = offset, .pairing = Pairing::half});
  const Floats x = sample.floats(B * S * H * D), grad_y = sample.floats(x.size());
  const Placement placement{.batch = B, .sequence = S, .heads = H, .positions = 20};
  const RopeGradients got = rope.gradients(x, grad_y, placement);

  // With magnitude 1 the transpose is the inverse.
  Floats inverse(x.size());
  rope.unrotate(grad_y, inverse, placement);
  EXPECT_EQ(got.x, inverse);

  const auto heads_first = [&](const Floats& from) {
    Floats to(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) {
      const std::size_t c = i % D, h = i / D % H, s = i / D / H % S, b = i / D / H / S;
      to[((b * H + h) * S + s) * D + c] = from[i];
    }
    return to;
  };
  Placement other = placement;
  other.layout = Layout::bhsd;
  RopeGradients again = rope.gradients(heads_first(x), heads_first(grad_y), other);
  EXPECT_EQ(again.x, heads_first(got.x));
  EXPECT_EQ(again.frequencies, got.frequencies);
  EXPECT_EQ(again.positions, got.positions);
  EXPECT_EQ(again.magnitude, got.magnitude);

  // In place, into memory that is used again.
  again.x = grad_y;
  ASSERT_TRUE(rope.try_gradients(x, again.x, placement, again).ok());
  EXPECT_EQ(again.x, got.x);
  EXPECT_EQ(again.positions, got.positions);

  // The sum over the batch of what each token listed gives.
  Doubles listed;
  for (std::size_t i = 0; i < B * S; ++i) listed.push_back(20 + static_cast<double>(i % S));
  Placement each = placement;
  each.positions = listed;
  const RopeGradients apart = rope.gradients(x, grad_y, each);
  Doubles summed(S);
  for (std::size_t i = 0; i < B * S; ++i) summed[i % S] += apart.positions[i];
  EXPECT_LE(error(got.positions, summed), 1e-14);
  EXPECT_LE(error(got.frequencies, apart.frequencies), 1e-14);

  // Strides pass over elements: those are 0.
  const Strides strides{.batch = S * H * (D + 5), .sequence = H * (D + 5), .head = D + 5};
  const auto spread = [&](const Floats& from, float between) {
    Floats to(B * S * H * (D + 5), between);
    for (std::size_t i = 0; i < from.size(); ++i) to[i / D * (D + 5) + i % D] = from[i];
    return to;
  };
  Placement strided = placement;
  strided.strides = strides;
  const RopeGradients wide = rope.gradients(spread(x, 9), spread(grad_y, 9), strided);
  EXPECT_EQ(wide.x, spread(got.x, 0));
  EXPECT_EQ(wide.frequencies, got.frequencies);
}

TEST_P(GradientsOn, TakePackedSequencesTokenByToken) {
  TestData sample(8);
  const Rope rope({.head_dim = 16});
  const std::vector<std::size_t> lengths = {0, 2, 2, 7};
  const Floats x = sample.floats(7 * 2 * 16), grad_y = sample.floats(x.size());
  const RopeGradients packed = rope.gradients(
      x, grad_y,
      {.sequence = 7, .heads = 2, .layout = Layout::thd, .cumulative_lengths = lengths, .positions = 3});
  const Doubles positions = {3, 4, 3, 4, 5, 6, 7};
  const RopeGradients listed = rope.gradients(x, grad_y, {.sequence = 7, .heads = 2, .positions = positions});
  EXPECT_EQ(packed.x, listed.x);
  EXPECT_EQ(packed.positions, listed.positions);
  EXPECT_LE(error(packed.frequencies, listed.frequencies), 1e-14);
}

TEST_P(GradientsOn, TakeHalvesAsTheFloat32TheyStandFor) {
  TestData sample(9);
  for (Pairing pairing : {Pairing::interleaved, Pairing::half}) {
    const std::size_t D = 50;
    const Rope rope({.head_dim = D, .rotary_dim = 44, .rotary_offset = 1, .pairing = pairing});
    for (DType dtype : {DType::float16, DType::bfloat16}) {
      std::vector<std::uint16_t> halves[2];
      Floats wide[2];
      for (int i = 0; i < 2; ++i) {
        for (float value : sample.floats(4 * 3 * D)) {
          const auto half = dtype == DType::float16
                                ? to_float16(value)
                                : static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16);
          halves[i].push_back(half);
          wide[i].push_back(dtype == DType::float16 ? from_float16(half) : from_bfloat16(half));
        }
      }
      const Placement placement{.sequence = 4, .heads = 3, .positions = 5};
      const RopeGradients expected = rope.gradients(wide[0], wide[1], placement);
      const RopeGradients got = rope.gradients({halves[0].data(), halves[0].size(), dtype},
                                               {halves[1].data(), halves[1].size(), dtype}, placement);
      EXPECT_EQ(got.x, expected.x);
      EXPECT_EQ(got.frequencies, expected.frequencies);
      EXPECT_EQ(got.positions, expected.positions);
    }
  }
}

TEST_P(GradientsOn, SumInFloat64) {
  // A million equal terms: a float32 sum would stop growing, or lose the digits.
  const std::size_t tokens = 100000, heads = 10;
  const Rope rope({.head_dim = 2, .frequencies = frequencies::Custom{.frequencies = {0.0}}});
  Floats x, grad_y;
  for (std::size_t i = 0; i < tokens * heads; ++i) {
    x.insert(x.end(), {1.1F, 0.3F});
    grad_y.insert(grad_y.end(), {0.7F, 0.2F});
  }
  const RopeGradients got = rope.gradients(x, grad_y, {.sequence = tokens, .heads = heads, .positions = 0});
  const double angle = static_cast<double>(0.2F) * 1.1F - static_cast<double>(0.7F) * 0.3F;
  const double scale = static_cast<double>(0.7F) * 1.1F + static_cast<double>(0.2F) * 0.3F;
  const double n = static_cast<double>(tokens);
  EXPECT_NEAR(got.frequencies[0] / (angle * 10 * n * (n - 1) / 2), 1, 1e-11);
  EXPECT_NEAR(got.magnitude / (scale * 10 * n), 1, 1e-11);
}

TEST_P(GradientsOn, KeepNaNInItsPair) {
  const Rope rope({.head_dim = 24});
  Floats x(24, 1.0F), grad_y(24, 0.5F);
  x[7] = std::nanf("");
  const RopeGradients got = rope.gradients(x, grad_y, {.sequence = 1, .heads = 1, .positions = 3});
  for (float value : got.x) EXPECT_TRUE(std::isfinite(value));
  for (std::size_t j = 0; j < 12; ++j) EXPECT_EQ(std::isnan(got.frequencies[j]), j == 3);
  EXPECT_TRUE(std::isnan(got.positions[0]) && std::isnan(got.magnitude));
}

TEST(Gradients, SayWhatIsWrongAndLeaveTheResultAlone) {
  const Rope rope({.head_dim = 4});
  Floats x(8), grad_y(8);
  std::vector<std::uint16_t> half(8);
  RopeGradients out;
  out.positions = {7};
  const Placement placement{.sequence = 2, .heads = 1};
  const auto message = [&](ArrayRef a, ArrayRef b, const Placement& where) {
    return rope.try_gradients(a, b, where, out).message();
  };
  EXPECT_EQ(message(x, Floats(7), placement),
            "gradients: `grad_y` is an array of 7 elements; allowed: 8 elements, as `x` has");
  EXPECT_EQ(message(x, ArrayRef::float16(half), placement),
            "gradients: `grad_y` is of another element type; allowed: the element type of `x`");
  EXPECT_NE(message(Floats(9), Floats(9), placement).find("gradients: `x` is an array of 9 elements"),
            std::string::npos);
  Placement far = placement;
  far.positions = Positions(INFINITY);
  EXPECT_NE(message(x, grad_y, far).find("gradients: `positions` is Infinity"), std::string::npos);
  EXPECT_EQ(out.positions, Doubles{7});
  EXPECT_TRUE(rope.try_gradients(x, grad_y, placement, out).ok());
}

TEST(Gradients, SumTheSameBitsOnEveryArchitecture) {
  TestData sample(10);
  const Floats x = sample.floats(9 * 5 * 70), grad_y = sample.floats(x.size());
  const std::string before(architecture());
  Doubles expected;
  for (std::string_view name : architectures()) {
    use_architecture(name);
    const RopeGradients got = Rope({.head_dim = 70, .pairing = Pairing::half})
                                  .gradients(x, grad_y, {.sequence = 9, .heads = 5, .positions = 77});
    if (expected.empty()) expected = got.frequencies;
    EXPECT_EQ(got.frequencies, expected) << name;
  }
  use_architecture(before);
}

}  // namespace gradients_test
}  // namespace ropewalk
