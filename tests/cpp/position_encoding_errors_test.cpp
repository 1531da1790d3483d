// Configurations of position encodings that are refused, by name.

#include <gtest/gtest.h>

#include "position_encodings.hpp"

namespace ropewalk {
namespace position_encoding_errors_test {

using position_encodings::refusal;

TEST(PositionEncoding, WhatCannotBeIsRefusedByName) {
  EXPECT_EQ(
      refusal(R"({"position_encoding": "spiral"})"),
      "roformer: `position_encoding` is \"spiral\"; allowed: none, sinusoidal, learned, transformer-xl, t5, "
      "alibi, alibi-asymmetric, rope, rope-receptive-field, rope-linear-attention, rope-performer, "
      "linear-attention, performer, pope, rope-plus-plus, clipped-rope, distance-bias");
  EXPECT_EQ(refusal(R"({"position_encoding": "rope-plus-plus"})"),
            "roformer: `num_attention_heads` is 3; allowed: with `position_encoding` \"rope-plus-plus\", an "
            "even number");
  for (const std::string encoding : {"rope-plus-plus", "pope"}) {
    const std::string named = R"({"position_encoding": ")" + encoding + R"(", "num_attention_heads": 2, )";
    EXPECT_EQ(refusal(named + R"("partial_rotary_factor": 0.5})"),
              "roformer: `rotary_dim` is 6; allowed: with `position_encoding` \"" + encoding +
                  "\", the whole head");
    EXPECT_NE(refusal(named + R"("rotary_value": true})").find("`rotary_value`"), std::string::npos);
  }
  EXPECT_EQ(refusal(R"({"position_encoding": "clipped-rope", "rotary_clip": 5})"),
            "roformer: `rotary_clip` is 5; allowed: at most the pairs that rotate, 4");
  EXPECT_EQ(refusal(R"({"position_encoding": "clipped-rope", "rotary_clip": 1})"),
            "roformer: `rotary_clip` is 1; allowed: a whole number from 2 to 32768");
  EXPECT_NE(refusal(R"({"position_encoding": "clipped-rope",
                        "rope_scaling": {"rope_type": "dynamic", "factor": 2}})")
                .find("rope_scaling"),
            std::string::npos);
  EXPECT_EQ(refusal(R"({"position_encoding": "distance-bias", "relative_extent": 0})"),
            "roformer: `relative_extent` is 0; allowed: a whole number from 1 to 65536");
  EXPECT_EQ(refusal(R"({"position_encoding": "distance-bias", "relative_profiles": 0})"),
            "roformer: `relative_profiles` is 0; allowed: a whole number from 1 to 65536");
  EXPECT_EQ(refusal(R"({"position_encoding": "sinusoidal", "sinusoidal_scale": 0})"),
            "roformer: `sinusoidal_scale` is 0; allowed: a number above 0");
  EXPECT_EQ(refusal(R"({"position_encoding": "learned"})", 16), "");
  EXPECT_EQ(refusal(R"({"position_encoding": "learned"})", 17),
            "roformer: `sequence` is 17; allowed: with `position_encoding` \"learned\", at most "
            "`max_position_embeddings` = 16");
  EXPECT_EQ(refusal(R"({"position_encoding": "rope-linear-attention", "num_attention_heads": 8})"),
            "roformer: `hidden_size` / `num_attention_heads` is 3; allowed: with `position_encoding` "
            "\"rope-linear-attention\", an even number");
  EXPECT_EQ(refusal(R"({"position_encoding": "rope-performer", "performer_rotation": "values"})"),
            "roformer: `performer_rotation` is \"values\"; allowed: projections or features");
  EXPECT_EQ(
      refusal(
          R"({"position_encoding": "rope-performer", "performer_rotation": "features", "performer_features": 9})"),
      "roformer: `performer_features` is 9; allowed: an even number where `performer_rotation` is "
      "\"features\"");
  EXPECT_EQ(refusal(R"({"position_encoding": "performer", "learned_positions": true})", 17),
            "roformer: `sequence` is 17; allowed: with `position_encoding` \"learned\", at most "
            "`max_position_embeddings` = 16");
  EXPECT_NE(refusal(R"({"head_dim": 6})").find("`head_dim` is 6"), std::string::npos);
  EXPECT_NE(refusal(R"({"rope_scaling": {"rope_type": "spiral"}})").find("spiral"), std::string::npos);
  EXPECT_NE(refusal(R"({"rope_scaling": {"type": "mrope", "mrope_section": [2, 2]}})").find("mrope_section"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"position_encoding": "rope-receptive-field",
                        "rope_scaling": {"rope_type": "dynamic", "factor": 2}})")
                .find("rope_scaling"),
            std::string::npos);
}

}  // namespace position_encoding_errors_test
}  // namespace ropewalk
