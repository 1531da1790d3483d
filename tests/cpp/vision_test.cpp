// Ropes of pictures and video as the libraries that ship them compute them, and scales of queries.

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <variant>
#include <vector>

#include "each_architecture.hpp"
#include "golden.hpp"
#include "model/families/family.hpp"
#include "ropewalk/rope.hpp"
#include "test_data.hpp"

namespace ropewalk {
namespace vision_test {

class VisionOn : public EachArchitecture {};
ON_EACH_ARCHITECTURE(VisionOn);

using Floats = std::vector<float>;
using Doubles = std::vector<double>;

/// Options from what a case says of each pair: its axis, its channels, its frequency.
RopeOptions options_of(const nlohmann::json& each) {
  const auto channels = each["channels_of_pair"].get<std::vector<std::vector<std::size_t>>>();
  const std::size_t pairs = channels.size();
  const bool interleaved = channels[0][1] == 1;
  const bool section = !interleaved && channels[0][1] < pairs;
  RopeOptions options{.head_dim = each["shape"][2], .rotary_dim = 2 * pairs};
  options.pairing = interleaved ? Pairing::interleaved : Pairing::half;
  options.frequencies = frequencies::Custom{each["frequencies"].get<Doubles>()};
  const auto axis_of_pair = each["axis_of_pair"].get<std::vector<std::size_t>>();
  options.axes = Axes{.order = axis_of_pair};
  if (section) {
    options.axes = Axes{.pair_within = Axes::PairWithin::section};
    options.axes->sections.assign(each["axes"].get<std::size_t>(), 0);
    for (std::size_t axis : axis_of_pair) ++options.axes->sections[axis];
  }
  return options;
}

/// [axes, T] of [T, axes].
Doubles axis_major(const Doubles& per_token, std::size_t axes) {
  Doubles out;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    for (std::size_t i = axis; i < per_token.size(); i += axes) out.push_back(per_token[i]);
  }
  return out;
}

double largest(const Doubles& values) {
  double found = 0;
  for (double value : values) found = std::max(found, std::fabs(value));
  return found;
}

TEST_P(VisionOn, RotatesAsTheLibrariesDo) {
  const auto file = golden::read("vision/vision.json");
  for (const auto& each : file["cases"]) {
    SCOPED_TRACE(each["name"].get<std::string>());
    const Rope rope(options_of(each));
    const Floats x = each["x"].get<Floats>();
    const Doubles y = each["y"], positions = axis_major(each["positions"], each["axes"]);
    const Placement placement{
        .sequence = each["shape"][0], .heads = each["shape"][1], .positions = positions};
    Floats out(x.size()), back(x.size());
    rope.rotate(x, out, placement);
    for (std::size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(out[i], y[i], 5e-7 * largest(y)) << i;
    rope.unrotate(out, back, placement);
    for (std::size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(back[i], x[i], 1e-6) << i;
    Floats in_place = x;
    rope.rotate(in_place, in_place, placement);
    EXPECT_EQ(in_place, out);
  }
  EXPECT_EQ(file["cases"].size(), 9U);
}

/// By hand: channels (i, i + n) of each section of n pairs; channels before and behind the rotated part pass.
TEST_P(VisionOn, PairsInsideEachSectionAndLeavesTheRest) {
  RopeOptions options{.head_dim = 16, .rotary_dim = 10, .rotary_offset = 2, .pairing = Pairing::half};
  options.axes = Axes{.sections = {2, 3}, .pair_within = Axes::PairWithin::section};
  const Rope rope(options);
  const std::size_t tokens = 3, heads = 2;
  const Floats x = TestData(1).floats(tokens * heads * 16);
  const Doubles positions = {0, 1, 2, 5, 7, -3};
  Floats y(x.size());
  rope.rotate(x, y, {.sequence = tokens, .heads = heads, .positions = positions});
  const std::size_t first[] = {2, 3, 6, 7, 8}, second[] = {4, 5, 9, 10, 11};
  for (std::size_t row = 0; row < tokens * heads; ++row) {
    Floats expected(x.begin() + static_cast<std::ptrdiff_t>(row * 16),
                    x.begin() + static_cast<std::ptrdiff_t>(row * 16 + 16));
    for (std::size_t j = 0; j < 5; ++j) {
      const double phi = positions[(j < 2 ? 0 : tokens) + row / heads] * rope.frequencies()[j];
      const double a = expected[first[j]], b = expected[second[j]];
      expected[first[j]] = static_cast<float>(a * std::cos(phi) - b * std::sin(phi));
      expected[second[j]] = static_cast<float>(a * std::sin(phi) + b * std::cos(phi));
    }
    for (std::size_t i = 0; i < 16; ++i) EXPECT_NEAR(y[row * 16 + i], expected[i], 1e-6) << row << " " << i;
  }
}

TEST_P(VisionOn, HoldsTheGoldenScalesOfQueries) {
  const auto file = golden::read("vision/rope-2.json");
  for (const auto& each : file["query_scales"]) {
    SCOPED_TRACE(each["name"].get<std::string>());
    const bool llama = each["name"] == "llama4";
    RopeOptions options{.head_dim = 4};
    options.query_scale =
        llama ? QueryScale{each["attn_scale"], each["floor_scale"], 1}
              : QueryScale{each["llama_4_scaling_beta"], each["original_max_position_embeddings"]};
    const Rope rope(options);
    const Doubles positions = each["positions"], expected = each["scales"];
    Doubles scales(positions.size());
    ASSERT_TRUE(rope.try_query_scales(positions, scales).ok());
    // The file gives those of Ministral 3 in 10 digits, so that they are off by up to 5e-10.
    const double bound = llama ? 1e-12 : 5e-10;
    for (std::size_t i = 0; i < scales.size(); ++i) EXPECT_NEAR(scales[i], expected[i], bound) << i;
  }
}

TEST(Vision, HoldsTheGoldenFrequenciesOfClippedRope) {
  const auto file = golden::read("vision/rope-2.json");
  for (const auto& each : file["frequencies"]) {
    SCOPED_TRACE(each["name"].get<std::string>());
    const std::size_t pairs = each["pairs"];
    const nlohmann::json config = {{"hidden_size", 2 * pairs},    {"num_attention_heads", 1},
                                   {"num_hidden_layers", 1},      {"rope_theta", each["base"]},
                                   {"rotary_clip", each["clip"]}, {"position_encoding", "clipped-rope"}};
    const Spec spec = raise(spec_from_config(config.dump()));
    const Rope rope = raise(Rope::make(std::get<positions::Rope>(spec.positions).ropes[0]));
    const Doubles expected = each["frequencies"];
    ASSERT_EQ(rope.frequencies().size(), expected.size());
    // The file gives 10 digits, so that each is off by up to 5e-10 of itself.
    for (std::size_t j = 0; j < pairs; ++j)
      EXPECT_NEAR(rope.frequencies()[j], expected[j], 5e-10 * expected[j]) << j;
  }
}

/// Queries are those of the same rope without a scale, times the scale, passing channels too; keys have none.
TEST_P(VisionOn, ScalesQueriesAndNothingElse) {
  for (const Pairing pairing : {Pairing::interleaved, Pairing::half}) {
    RopeOptions options{.head_dim = 12, .rotary_dim = 8, .rotary_offset = 2, .pairing = pairing};
    const Rope plain(options);
    options.query_scale = QueryScale{.scale = 0.5, .length = 3, .offset = 1};
    const Rope rope(options);
    const std::size_t tokens = 9, heads = 2;
    const Placement placement{.sequence = tokens, .heads = heads, .positions = 4};
    const Floats x = TestData(2).floats(tokens * heads * 12);
    Floats without(x.size()), query(x.size()), key(x.size()), back(x.size()), moved(x.size()),
        there(x.size());
    plain.rotate(x, without, placement);
    rope.rotate(x, query, placement);
    rope.rotate(x, key, placement, Role::key);
    EXPECT_EQ(key, without);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double m = 4 + static_cast<double>(i / (heads * 12));
      const double scale = 1 + 0.5 * std::log(1 + std::floor((m + 1) / 3));
      ASSERT_NEAR(query[i], scale * without[i], 1e-6 * scale) << i;
    }
    rope.unrotate(query, back, placement);
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(back[i], x[i], 1e-6) << i;
    rope.rerotate(query, moved, placement, {.positions = 40}, Role::query);
    rope.rotate(x, there, {.sequence = tokens, .heads = heads, .positions = 40});
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(moved[i], there[i], 2e-6) << i;
    // The gradient is the transpose: <rotate(x), g> = <x, gradient(g)>.
    const Floats g = TestData(3).floats(x.size());
    const RopeGradients gradients = rope.gradients(x, g, placement);
    double left = 0, right = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      left += static_cast<double>(query[i]) * g[i];
      right += static_cast<double>(x[i]) * gradients.x[i];
    }
    EXPECT_NEAR(left, right, 1e-4);
    // Both roles in one call.
    Floats q = x, k = x;
    rope.rotate_qk(q, q, k, k, placement, heads);
    EXPECT_EQ(q, query);
    EXPECT_EQ(k, key);
  }
}

TEST(Vision, RefusesAxesThatMeanNothing) {
  const auto message = [](Axes axes, Pairing pairing = Pairing::half) {
    RopeOptions options{.head_dim = 8, .pairing = pairing};
    options.axes = std::move(axes);
    return std::string(Rope::make(options).status().message());
  };
  using List = std::vector<std::size_t>;
  const std::string each = "; allowed: the axis, 0 to 7, of each of 4 pairs";
  EXPECT_EQ(message({.order = List{0, 1, 8, 0}}), "rope: `axes.order` is [0, 1, 8, 0]" + each);
  EXPECT_EQ(message({.order = List{0, 1, 1}}), "rope: `axes.order` is [0, 1, 1]" + each);
  EXPECT_EQ(message({.sections = {2, 2}, .order = List{0, 1, 1, 0}}),
            "rope: `axes.sections` is [2, 2]; allowed: none beside a list in `axes.order`");
  EXPECT_EQ(message({}), "rope: `axes.sections` is []; allowed: 1 to 8 sections");
  const std::string section =
      "rope: `axes.pair_within` is \"section\"; allowed: \"head\", except with half pairing in "
      "chunked sections";
  EXPECT_EQ(message({.sections = {2, 2}, .pair_within = Axes::PairWithin::section}, Pairing::interleaved),
            section);
  EXPECT_EQ(message({.order = List{0, 1, 1, 0}, .pair_within = Axes::PairWithin::section}), section);
  RopeOptions options{.head_dim = 8};
  options.query_scale = QueryScale{.scale = 1, .length = 0};
  EXPECT_EQ(Rope::make(options).status().message(),
            "rope: `query_scale.length` is 0; allowed: a finite number above 0");
  options.query_scale = QueryScale{.scale = 1, .length = 4, .offset = 2};
  EXPECT_EQ(Rope::make(options).status().message(), "rope: `query_scale.offset` is 2; allowed: 0 or 1");
}

}  // namespace vision_test
}  // namespace ropewalk
