// Properties of models with each position encoding: what they can see, how they begin, and what the configuration changes.

#include "model/position_encoding/position_encoding.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "model/model.hpp"
#include "position_encodings.hpp"

namespace ropewalk {
namespace position_encoding_test {

using golden::Data;
using position_encodings::golden_encodings;
using position_encodings::hidden_of;
using position_encodings::Small;
using position_encodings::Variant;
using position_encodings::variants;

TEST(PositionEncoding, PaddingAtTheEndIsNotSeen) {
  for (const Variant& variant : variants) {
    if (std::string(variant.changes).find("dynamic") != std::string::npos) continue;  // depends on the length
    Small run({variant.encoding, variant.changes});
    Data alone{1, 5, {1, 2, 3, 4, 5}, {}, {}, {}};
    Data padded{2, 8, {}, {}, {}, {}};
    padded.ids = {7, 6, 5, 4, 3, 2, 1, 0, 1, 2, 3, 4, 5, 9, 9, 9};
    padded.mask = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0};
    // Longer, shorter, longer: tables that were prepared for one length serve the others.
    const std::vector<float> with = hidden_of(run, padded.input(), 1),
                             without = hidden_of(run, alone.input(), 0);
    for (std::size_t i = 0; i < without.size(); ++i) {
      ASSERT_NEAR(with[i], without[i], 2e-5) << variant.encoding << " " << variant.changes;
    }
    EXPECT_EQ(hidden_of(run, padded.input(), 1), with) << variant.encoding;
    Data one{1, 1, {3}, {}, {}, {}};
    for (const float value : hidden_of(run, one.input(), 0)) ASSERT_TRUE(std::isfinite(value));
    Data unseen = alone;
    unseen.mask.assign(5, 0);
    for (const float value : hidden_of(run, unseen.input(), 0)) ASSERT_TRUE(std::isfinite(value));
  }
}

TEST(PositionEncoding, WhichEncodingsTellLeftFromRight) {
  // Reversing a sequence reverses the hidden states where only the distance counts.
  const auto mirrored = [](const char* encoding, const char* changes = "{}") {
    Small run({encoding, changes});
    Data forward{1, 6, {1, 2, 3, 4, 5, 6}, {}, {}, {}}, backward = forward;
    std::ranges::reverse(backward.ids);
    const std::vector<float> one = hidden_of(run, forward.input(), 0),
                             two = hidden_of(run, backward.input(), 0);
    double worst = 0;
    for (std::size_t i = 0; i < one.size(); ++i) {
      worst = std::max(worst, double{std::fabs(one[i] - two[(5 - i / 24) * 24 + i % 24])});
    }
    return worst;
  };
  for (const char* encoding : {"none", "alibi", "linear-attention", "performer"})
    EXPECT_LT(mirrored(encoding), 1e-5) << encoding;
  for (const char* encoding :
       {"sinusoidal", "learned", "transformer-xl", "t5", "alibi-asymmetric", "rope", "rope-receptive-field",
        "rope-linear-attention", "rope-performer", "pope", "clipped-rope", "distance-bias"}) {
    EXPECT_GT(mirrored(encoding), 1e-3) << encoding;
  }
  EXPECT_GT(mirrored("rope-plus-plus", R"({"num_attention_heads": 4})"), 1e-3);
}

TEST(PositionEncoding, SinesAreScaled) {
  const auto positions = [](const char* more) {
    Small run({"sinusoidal", more});
    raise(run.model->positions().prepare(run.model->compute(), 4));
    std::vector<float> x(4 * 24, 0.0F);
    run.model->positions().add_to_embeddings(run.model->compute(), x.data(), nullptr, 1, 4,
                                             run.model->parameters().data());
    return x;
  };
  const std::vector<float> whole = positions("{}"), quarter = positions(R"({"sinusoidal_scale": 0.25})");
  EXPECT_EQ(whole[1], 1);
  for (std::size_t i = 0; i < whole.size(); ++i) EXPECT_EQ(quarter[i], 0.25F * whole[i]);
}

TEST(PositionEncoding, WithoutRotationNothingElseDiffers) {
  // Angles of at most 1e-29 turn nothing in float32, so either of the two must give the same bits.
  for (const std::string encoding : {"linear-attention", "performer"}) {
    const auto hidden = [](const std::string& name, const char* more) {
      Small run({name.c_str(), more});
      return hidden_of(run, run.data.input(), 0);
    };
    const std::string rotating = "rope-" + encoding;
    const std::vector<float> without = hidden(encoding, "{}");
    EXPECT_EQ(without, hidden(rotating, R"({"rope_scaling": {"rope_type": "linear", "factor": 1e30}})"));
    EXPECT_NE(without, hidden(rotating, "{}"));
  }
}

TEST(PositionEncoding, ModelsBeginAlikeWhateverTheirEncoding) {
  const auto initial = [](const char* encoding) {
    Small run({encoding});
    Random random(3);
    model::parameters::initialise(run.model->table(), 0.02F, run.model->parameters(),
                                  [&] { return random.normal(); });
    std::vector<float> shared, own;
    for (const model::parameters::Parameter& p : run.model->table().all()) {
      std::vector<float>& values = p.of_positions ? own : shared;
      const std::span<const float> all = run.model->parameters();
      values.insert(values.end(), all.begin() + p.offset, all.begin() + p.offset + p.size);
    }
    return std::pair{shared, own};
  };
  const std::vector<float> shared = initial("none").first;
  EXPECT_TRUE(initial("none").second.empty());
  for (const std::string encoding : golden_encodings) {
    // RoPE++ projects half as many heads.
    if (encoding != "rope-plus-plus") EXPECT_EQ(initial(encoding.c_str()).first, shared) << encoding;
  }
  EXPECT_EQ(initial("rope-receptive-field").second,
            (std::vector<float>{0, 0, 0, 0.5, 0.5, 0.5, 0, 0, 0, 0.5, 0.5, 0.5}));
}

TEST(PositionEncoding, TheRuleOfTheConfigurationTurnsTheHeads) {
  const auto output = [](const char* encoding, const char* changes) {
    Small run({encoding, changes});
    // The receptive fields at their beginning, where nothing is mixed in.
    for (const model::parameters::Parameter& p : run.model->table().all()) {
      for (std::size_t i = 0; p.of_positions && i < p.size; ++i) run.model->parameters()[p.offset + i] = 0;
    }
    raise(run.model->repack());
    return hidden_of(run, run.data.input(), 0);
  };
  const std::vector<float> plain = output("rope", "{}");
  EXPECT_EQ(plain, output("rope", R"({"rope_theta": 10000, "rope_scaling": null})"));
  EXPECT_EQ(plain, output("rope", R"({"rope_parameters": {"rope_type": "linear", "factor": 1}})"));
  EXPECT_EQ(plain, output("rope-receptive-field", "{}"));
  EXPECT_EQ(plain, output("rope", R"({"rope_scaling": {"rope_type": "dynamic", "factor": 4}})"));
  for (const char* changes :
       {R"({"rope_theta": 500})", R"({"rope_scaling": {"rope_type": "ntk", "factor": 4}})",
        R"({"rope_scaling": {"rope_type": "dynamic", "factor": 4}, "max_position_embeddings": 4})",
        R"({"rope_interleave": false})", R"({"partial_rotary_factor": 0.5})",
        R"({"rope_scaling": {"rope_type": "receptive-field", "alpha": [0.1, 0, 0], "rho": 1}})"}) {
    EXPECT_NE(plain, output("rope", changes)) << changes;
  }
}

}  // namespace position_encoding_test
}  // namespace ropewalk
