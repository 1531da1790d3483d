// The mathematics that one position encoding has of its own.

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "model/families/family.hpp"
#include "model/position_encoding/kinds.hpp"
#include "position_encodings.hpp"
#include "reference/position_encoding.hpp"

namespace ropewalk {
namespace position_encoding_rules_test {

using position_encodings::hidden_of;
using position_encodings::refusal;
using position_encodings::Small;

TEST(RopePerformer, DirectionsAreOrthogonalByBlocksAndFollowTheSeed) {
  constexpr std::size_t width = 8, rows = 20;
  std::vector<float> w(rows * width), same(w.size()), other(w.size());
  raise(model::position_encoding::performer_features(w, rows, width, 3, 1));
  raise(model::position_encoding::performer_features(same, rows, width, 3, 1));
  EXPECT_EQ(w, same);
  raise(model::position_encoding::performer_features(other, rows, width, 3, 0));
  EXPECT_NE(w, other);
  double squares = 0;
  for (std::size_t a = 0; a < rows; ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      double dot = 0;
      for (std::size_t c = 0; c < width; ++c) dot += double{w[a * width + c]} * w[b * width + c];
      if (a == b) {
        squares += dot;
      } else if (a / width == b / width) {
        EXPECT_NEAR(dot, 0, 1e-5);
      }
    }
  }
  EXPECT_NEAR(squares / rows, width, 3);
  EXPECT_EQ(refusal(R"({"position_encoding": "rope-performer", "performer_features": 0})"),
            "roformer: `performer_features` is 0; allowed: a whole number from 1 to 65536");
}

TEST(RopePerformer, ManyFeaturesComeNearSoftmaxAttention) {
  const auto output = [](const char* encoding) {
    Small run({encoding, R"({"performer_features": 20000, "num_hidden_layers": 1})"});
    for (float& value : run.model->parameters()) value *= 0.5F;
    raise(run.model->repack());
    return hidden_of(run, run.data.input(), 0);
  };
  const std::vector<float> exact = output("rope"), near = output("rope-performer"), far = output("none");
  double error = 0, without = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    error += std::fabs(exact[i] - near[i]);
    without += std::fabs(exact[i] - far[i]);
  }
  EXPECT_LT(error, without / 4);
}

TEST(ClippedRope, TheLastPairsFade) {
  const auto theta_of = [](const char* more) {
    nlohmann::json json = {{"hidden_size", 64}, {"num_attention_heads", 1}, {"num_hidden_layers", 1}};
    json.update(nlohmann::json::parse(more));
    const Spec spec = raise(spec_from_config(json.dump()));
    const Rope rope = raise(Rope::make(std::get<positions::Rope>(spec.positions).ropes[0]));
    return std::vector<double>(rope.frequencies().begin(), rope.frequencies().end());
  };
  const std::vector<double> own = theta_of("{}");
  for (const std::size_t clip : {2, 3, 17, 32}) {
    const std::string more =
        R"({"position_encoding": "clipped-rope", "rotary_clip": )" + std::to_string(clip) + "}";
    const std::vector<double> theta = theta_of(more.c_str());
    for (std::size_t j = 0; j < 32; ++j) {
      const std::size_t i = j + clip < 32 ? 0 : j + clip - 32;
      const double t = std::acos(-1.0) * static_cast<double>(i) / static_cast<double>(clip - 1);
      EXPECT_NEAR(theta[j], own[j] * (1 + std::cos(t)) / 2, 4e-16 * own[j]) << clip << " " << j;
    }
    EXPECT_EQ(theta[32 - clip], own[32 - clip]);
    EXPECT_EQ(theta[31], 0);
  }
  // By default the pairs that complete no turn: of 100 positions those of more than 100 a turn.
  const std::vector<double> usual =
      theta_of(R"({"position_encoding": "clipped-rope", "max_position_embeddings": 100})");
  for (std::size_t j = 0; j < 32; ++j) {
    const bool turns = own[j] * 100 >= 2 * std::acos(-1.0);
    EXPECT_TRUE(turns ? usual[j] == own[j] : usual[j] <= own[j]) << j;
  }
  EXPECT_LT(usual[31], own[31]);
  EXPECT_EQ(theta_of(R"({"position_encoding": "clipped-rope", "max_position_embeddings": 1000000})"), own);
}

TEST(DistanceBias, ADecoderDoesNotReadProfilesOfKeysAfterTheQuery) {
  constexpr const char* keys =
      R"({"is_decoder": true, "relative_extent": 4, "relative_profiles": 2, "num_hidden_layers": 1})";
  Small run({"distance-bias", keys});
  const std::vector<float> gradients = run.gradients();
  std::size_t seen = 0;
  for (const model::parameters::Parameter& p : run.model->table().all()) {
    if (p.name.find("relative_profiles") == std::string::npos) continue;
    ASSERT_EQ(p.shape, (std::vector<std::uint64_t>{2, 7}));
    for (std::size_t i = 0; i < p.size; ++i) {
      EXPECT_EQ(gradients[p.offset + i] != 0, i % 7 >= 3) << i;
      ++seen;
    }
  }
  EXPECT_EQ(seen, 14u);
}

TEST(T5Buckets, AreThoseOfThePaper) {
  // From T5's own relative_position_bucket with 32 buckets, both ways, largest distance 128.
  const std::pair<std::ptrdiff_t, std::size_t> expected[] = {
      {0, 0},     {-1, 1},     {-7, 7},   {-8, 8},   {-11, 8},  {-12, 9},  {-15, 9},  {-16, 10}, {-22, 10},
      {-23, 11},  {-31, 11},   {-32, 12}, {-45, 12}, {-46, 13}, {-63, 13}, {-64, 14}, {-90, 14}, {-91, 15},
      {-128, 15}, {-5000, 15}, {1, 17},   {7, 23},   {8, 24},   {16, 26},  {90, 30},  {91, 31},  {5000, 31}};
  for (const auto& [relative, bucket] : expected) {
    EXPECT_EQ(model::position_encoding::t5_bucket(relative), bucket) << relative;
  }
  for (std::ptrdiff_t relative = -300; relative <= 300; ++relative) {
    EXPECT_EQ(model::position_encoding::t5_bucket(relative), reference::t5_bucket(relative)) << relative;
  }
}

}  // namespace position_encoding_rules_test
}  // namespace ropewalk
