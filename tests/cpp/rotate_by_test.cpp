// Rotation by given angles: golden values, gradients, and the errors of the call.

#include "ropewalk/rotate_by.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "each_architecture.hpp"
#include "golden.hpp"
#include "ropewalk/rope.hpp"
#include "test_data.hpp"

namespace ropewalk {
namespace rotate_by_test {

class RotateByOn : public EachArchitecture {};
ON_EACH_ARCHITECTURE(RotateByOn);

using Floats = std::vector<float>;
using Doubles = std::vector<double>;

template <class Values>
void expect_near(const Values& found, const Doubles& expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  double largest = 0;
  for (double value : expected) largest = std::max(largest, std::fabs(value));
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], tolerance * largest) << i;
}

GivenAngles shape_of(const nlohmann::json& each) {
  return {.batch = each["shape"][0],
          .sequence = each["shape"][1],
          .heads = each["shape"][2],
          .dimension = each["shape"][3],
          .pairs = each["pairs"],
          .pairing = each["pairing"] == "half" ? Pairing::half : Pairing::interleaved};
}

TEST_P(RotateByOn, HoldsTheGoldenValuesAndGradients) {
  const auto file = golden::read("vision/rope-2.json");
  for (const auto& each : file["given_angles"]) {
    SCOPED_TRACE(each["name"].get<std::string>());
    const GivenAngles shape = shape_of(each);
    const Floats x = each["x"].get<Floats>(), grad_y = each["grad_y"].get<Floats>();
    const Doubles angles = each["angles"];
    Floats y(x.size()), grad_x(x.size());
    rotate_by(x, angles, shape, y);
    expect_near(y, each["y"], 5e-7);
    Doubles grad_angles(angles.size());
    rotate_by_gradient(x, angles, grad_y, shape, grad_x, grad_angles);
    expect_near(grad_x, each["grad_x"], 5e-7);
    expect_near(grad_angles, each["grad_angles"], 5e-7);
    Floats in_place = x;
    rotate_by(in_place, angles, shape, in_place);
    EXPECT_EQ(in_place, y);
  }
  EXPECT_EQ(file["given_angles"].size(), 3U);
}

/// More tokens than one block of angles holds, against a rope whose angles are the same.
TEST_P(RotateByOn, GivesWhatARopeGivesForItsAngles) {
  const std::size_t sequence = 700, heads = 3, dimension = 20, pairs = 9;
  for (const Pairing pairing : {Pairing::interleaved, Pairing::half}) {
    const Rope rope({.head_dim = dimension, .rotary_dim = 2 * pairs, .pairing = pairing});
    const Floats x = TestData(1).floats(sequence * heads * dimension);
    Doubles angles;
    for (std::size_t m = 0; m < sequence; ++m) {
      for (const double theta : rope.frequencies()) angles.push_back(static_cast<double>(m) * theta);
    }
    Floats by_rope(x.size()), by_angles(x.size());
    rope.rotate(x, by_rope, {.sequence = sequence, .heads = heads});
    rotate_by(x, angles, {1, sequence, heads, dimension, pairs, pairing}, by_angles);
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(by_angles[i], by_rope[i], 1e-6) << i;
  }
}

TEST(RotateBy, RefusesWhatDoesNotAgreeAndWritesNothing) {
  const GivenAngles shape{.sequence = 2, .heads = 3, .dimension = 6, .pairs = 2};
  const Floats x(36, 1.0f);
  Floats out(36, 7.0f);
  const auto message = [&](const Floats& input, const Doubles& angles, GivenAngles wrong) {
    out.resize(input.size(), 7.0f);
    const Status status = try_rotate_by(input, angles, wrong, out);
    EXPECT_FALSE(status.ok());
    return std::string(status.message());
  };
  EXPECT_EQ(message(x, Doubles(4), {.sequence = 2, .heads = 3, .dimension = 6, .pairs = 4}),
            "rotate_by: `pairs` is 4; allowed: a whole number from 1 to dimension / 2");
  EXPECT_EQ(message(Floats(35), Doubles(4), shape),
            "rotate_by: `x` has 35 elements; allowed: batch * sequence * heads * dimension");
  EXPECT_EQ(message(x, Doubles(5), shape),
            "rotate_by: `angles` has 5 elements; allowed: batch * sequence * heads * pairs, or batch * "
            "sequence * pairs");
  EXPECT_EQ(message(x, {0, 0, std::numeric_limits<double>::quiet_NaN(), 0}, shape),
            "rotate_by: `angles` is NaN; allowed: finite numbers of radians, at most 2^45");
  EXPECT_EQ(message(x, {0, 0, 1e300, 0}, shape),
            "rotate_by: `angles` is 1e+300; allowed: finite numbers of radians, at most 2^45");
  EXPECT_EQ(out, Floats(out.size(), 7.0f));
}

}  // namespace rotate_by_test
}  // namespace ropewalk
