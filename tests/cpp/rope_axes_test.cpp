// Several position axes, xPos, packed sequences and rerotate: golden values and the properties that define them.

#include <gtest/gtest.h>

#include <cmath>

#include "each_architecture.hpp"
#include "golden.hpp"
#include "ropewalk/rope.hpp"
#include "test_data.hpp"

namespace ropewalk {
namespace rope_axes_test {

class RopeAxesOn : public EachArchitecture {};
ON_EACH_ARCHITECTURE(RopeAxesOn);

using Floats = std::vector<float>;
using Doubles = std::vector<double>;

/// Largest |y - expected| over the largest |expected|.
double error(const Floats& y, const Doubles& expected) {
  double worst = 0, largest = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    worst = std::max(worst, std::fabs(y[i] - expected[i]));
    largest = std::max(largest, std::fabs(expected[i]));
  }
  return worst / largest;
}
double error(const Floats& y, const Floats& expected) {
  return error(y, Doubles(expected.begin(), expected.end()));
}

Floats rotated(const Rope& rope, const Floats& x, const Placement& placement, Role role = Role::query) {
  Floats y(x.size());
  rope.rotate(x, y, placement, role);
  return y;
}

/// "axes per token" of the golden files, axis-major.
Doubles axis_major(const Doubles& per_token, std::size_t axes) {
  Doubles out;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    for (std::size_t i = axis; i < per_token.size(); i += axes) out.push_back(per_token[i]);
  }
  return out;
}

TEST_P(RopeAxesOn, HoldsTheGoldenAxesAndXPos) {
  const auto file = golden::read("rope/multi-axis.json");
  int checked = 0;
  for (const auto& each : file["cases"]) {
    const std::string name = each["name"];
    const std::size_t B = each["shape"][0], S = each["shape"][1], H = each["shape"][2], D = each["shape"][3];
    RopeOptions options{.head_dim = D};
    options.pairing = each["pairing"] == "half" ? Pairing::half : Pairing::interleaved;
    ++checked;
    if (name == "xpos") {
      options.xpos = XPos{.scale_base = each["scale_base"], .centre = each["centre"]};
      const Rope rope(options);
      const auto positions = each["positions"].get<Doubles>();
      const auto q = each["q"].get<Floats>(), k = each["k"].get<Floats>();
      const Placement placement{.batch = B, .sequence = S, .heads = H, .positions = positions};
      EXPECT_LE(error(rotated(rope, q, placement, Role::query), each["q_out"].get<Doubles>()), 2e-7);
      EXPECT_LE(error(rotated(rope, k, placement, Role::key), each["k_out"].get<Doubles>()), 2e-7);
      Floats q_out(q.size()), k_out(k.size());
      rope.rotate_qk(q, q_out, k, k_out, placement, H);
      EXPECT_EQ(q_out, rotated(rope, q, placement, Role::query));
      EXPECT_EQ(k_out, rotated(rope, k, placement, Role::key));
      continue;
    }
    Doubles positions;
    if (name == "axial-2d") {
      options.frequencies = frequencies::Default{.base = each["base"]};
      options.axes = Axes{.sections = {D / 4, D / 4}, .restart_frequencies = true};
      const std::size_t width = each["grid"][1];
      for (std::size_t i = 0; i < S; ++i) positions.push_back(static_cast<double>(i % width));
      for (std::size_t i = 0; i < S; ++i) positions.push_back(static_cast<double>(i / width));
    } else {
      options.axes = Axes{.sections = each["sections"].get<std::vector<std::size_t>>()};
      options.axes->order = each["interleaved"] ? Axes::Order::interleaved : Axes::Order::chunked;
      positions = axis_major(each["positions"].get<Doubles>(), options.axes->sections.size());
    }
    const Rope rope(options);
    const auto x = each["x"].get<Floats>();
    EXPECT_LE(error(rotated(rope, x, {.batch = B, .sequence = S, .heads = H, .positions = positions}),
                    each["y"].get<Doubles>()),
              2e-7)
        << name;
  }
  EXPECT_EQ(checked, 4);
}

TEST_P(RopeAxesOn, TextOnSeveralAxesIsTextOnOne) {
  // Vision-language models give text the same position on every axis.
  TestData sample(1);
  const std::size_t S = 6, D = 128;
  const auto x = sample.floats(S * D);
  Rope plain({.head_dim = D});
  for (auto order : {Axes::Order::chunked, Axes::Order::interleaved}) {
    Rope rope({.head_dim = D, .axes = Axes{.sections = {24, 20, 20}, .order = order}});
    const Doubles one = {7, 8, 9, 10, 11, 12};
    Doubles three;
    for (int axis = 0; axis < 3; ++axis) three.insert(three.end(), one.begin(), one.end());
    const Floats expected = rotated(plain, x, {.sequence = S, .heads = 1, .positions = 7});
    EXPECT_LE(error(rotated(rope, x, {.sequence = S, .heads = 1, .positions = three}), expected), 1e-7);
    EXPECT_LE(error(rotated(rope, x, {.sequence = S, .heads = 1, .positions = one}), expected), 1e-7);
    EXPECT_LE(error(rotated(rope, x, {.sequence = S, .heads = 1, .positions = 7}), expected), 1e-7);
  }
}

TEST_P(RopeAxesOn, InterleavedSectionsLeaveTheLastPairsToTheFirstAxis) {
  // Qwen3-VL's [24, 20, 20]: pairs 60 to 63 stay with time.
  const std::size_t D = 128;
  Rope rope({.head_dim = D, .axes = Axes{.sections = {24, 20, 20}, .order = Axes::Order::interleaved}});
  Floats cos(D / 2), sin(D / 2), cos_t(D / 2), sin_t(D / 2);
  rope.table(Doubles{5, 0, 0}, cos, sin);
  Rope({.head_dim = D}).table(Doubles{5}, cos_t, sin_t);
  for (std::size_t j = 0; j < D / 2; ++j) {
    const bool time = j % 3 == 0 || j >= 60;
    EXPECT_FLOAT_EQ(cos[j], time ? cos_t[j] : 1) << j;
    EXPECT_FLOAT_EQ(sin[j], time ? sin_t[j] : 0) << j;
  }
}

TEST_P(RopeAxesOn, MixedAxesAddTheirAngles) {
  TestData sample(2);
  const std::size_t S = 4, H = 2, D = 8, pairs = D / 2;
  Doubles theta, xs, ys, both;
  for (std::size_t i = 0; i < 2 * H * pairs; ++i) theta.push_back(std::sin(static_cast<double>(i)));
  for (std::size_t i = 0; i < S; ++i)
    xs.push_back(static_cast<double>(i)), ys.push_back(2.5 * static_cast<double>(i));
  both = xs;
  both.insert(both.end(), ys.begin(), ys.end());
  Rope mixed({.head_dim = D,
              .frequencies = frequencies::Custom{.frequencies = theta},
              .axes = Axes{.sections = {pairs, pairs}}});
  EXPECT_EQ(mixed.width(), H * pairs);
  const auto half = theta.begin() + static_cast<std::ptrdiff_t>(H * pairs);
  Rope along_x(
      {.head_dim = D, .frequencies = frequencies::Custom{.frequencies = Doubles(theta.begin(), half)}});
  Rope along_y(
      {.head_dim = D, .frequencies = frequencies::Custom{.frequencies = Doubles(half, theta.end())}});
  const auto x = sample.floats(S * H * D);
  const Floats expected = rotated(along_y, rotated(along_x, x, {.sequence = S, .heads = H, .positions = xs}),
                                  {.sequence = S, .heads = H, .positions = ys});
  EXPECT_LE(error(rotated(mixed, x, {.sequence = S, .heads = H, .positions = both}), expected), 3e-7);
}

TEST_P(RopeAxesOn, PackedSequencesStartAnew) {
  TestData sample(3);
  const std::size_t H = 2, D = 32;
  const std::vector<std::size_t> cuts = {0, 5, 5, 12, 13};
  const Rope rope({.head_dim = D});
  const auto x = sample.floats(13 * H * D);
  const Floats packed = rotated(
      rope, x,
      {.sequence = 13, .heads = H, .layout = Layout::thd, .cumulative_lengths = cuts, .positions = 3});
  Doubles listed;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    for (std::size_t t = cuts[i]; t < cuts[i + 1]; ++t)
      listed.push_back(3 + static_cast<double>(t - cuts[i]));
  }
  EXPECT_EQ(packed, rotated(rope, x, {.sequence = 13, .heads = H, .positions = listed}));
  EXPECT_EQ(packed, rotated(rope, x,
                            {.sequence = 13,
                             .heads = H,
                             .layout = Layout::thd,
                             .cumulative_lengths = cuts,
                             .positions = listed}));
}

TEST_P(RopeAxesOn, RerotateIsUnrotateThenRotate) {
  TestData sample(4);
  const std::size_t B = 2, S = 9, H = 3, D = 64;
  const auto x = sample.floats(B * S * H * D);
  frequencies::LongRope longrope{.short_factor = Doubles(32, 1.5),
                                 .long_factor = Doubles(32, 9),
                                 .original_max_positions = 4096,
                                 .sequence_length = 4096,
                                 .factor = 32};
  const Rope short_rope({.head_dim = D, .frequencies = longrope});
  longrope.sequence_length = 4097;
  const Rope long_rope({.head_dim = D, .frequencies = longrope});
  EXPECT_GT(short_rope.magnitude(), 1.1);
  Doubles irregular;
  for (std::size_t i = 0; i < B * S; ++i) irregular.push_back(100 - 3.25 * static_cast<double>(i));
  for (const Rope* to : {&short_rope, &long_rope}) {
    for (const Positions& target : {Positions(-7.0), Positions(5000.5), Positions(irregular)}) {
      const Placement at{.batch = B, .sequence = S, .heads = H, .positions = 4000};
      const Floats cached = rotated(short_rope, x, at);
      Floats moved(x.size());
      short_rope.rerotate(cached, moved, at, {.positions = target, .rope = to});
      const Floats expected = rotated(*to, x, {.batch = B, .sequence = S, .heads = H, .positions = target});
      EXPECT_LE(error(moved, expected), 4e-7);
    }
  }
}

TEST_P(RopeAxesOn, ManyShiftsFromTheOriginDriftNoMoreThanOne) {
  TestData sample(5);
  const std::size_t S = 16, D = 64;
  const Rope rope({.head_dim = D});
  const auto x = sample.floats(S * D);
  const Floats cached = rotated(rope, x, {.sequence = S, .heads = 1, .positions = 5000});
  Floats chained = cached, moved(cached.size());
  for (int shift = 1; shift <= 1000; ++shift) {
    rope.rerotate(cached, moved, {.sequence = S, .heads = 1, .positions = 5000},
                  {.positions = 5000.0 - shift});
    rope.rerotate(chained, chained, {.sequence = S, .heads = 1, .positions = 5001.0 - shift},
                  {.positions = 5000.0 - shift});
  }
  const Floats expected = rotated(rope, x, {.sequence = S, .heads = 1, .positions = 4000});
  EXPECT_LE(error(moved, expected), 2e-7);
  EXPECT_LE(error(chained, expected), 1e-4);  // what the docstring warns of
}

TEST_P(RopeAxesOn, XPosScoresDependOnDistanceAlone) {
  TestData sample(6);
  const std::size_t D = 32;
  const Rope rope({.head_dim = D, .xpos = XPos{}});
  const auto q = sample.floats(D), k = sample.floats(D);
  const auto score = [&](double m, double n) {
    const Floats a = rotated(rope, q, {.sequence = 1, .heads = 1, .positions = m}, Role::query);
    const Floats b = rotated(rope, k, {.sequence = 1, .heads = 1, .positions = n}, Role::key);
    double sum = 0;
    for (std::size_t i = 0; i < D; ++i) sum += static_cast<double>(a[i]) * b[i];
    return sum;
  };
  for (double n : {0.0, 100.0, 4000.0}) EXPECT_NEAR(score(n + 50, n), score(50, 0), 1e-4) << n;
  const Placement at{.sequence = 1, .heads = 1, .positions = 900};
  Floats cached = rotated(rope, k, at, Role::key), back(D);
  rope.unrotate(cached, back, at, Role::key);
  EXPECT_LE(error(back, k), 3e-7);
  rope.rerotate(cached, cached, at, {.positions = 20});
  EXPECT_LE(error(cached, rotated(rope, k, {.sequence = 1, .heads = 1, .positions = 20}, Role::key)), 3e-7);
}

}  // namespace rope_axes_test
}  // namespace ropewalk
