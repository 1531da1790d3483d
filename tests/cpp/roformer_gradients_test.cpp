// Gradients of the whole model. Against tests/golden/training they are held in position_encoding_test.cpp.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/random.hpp"
#include "checkpoint.hpp"
#include "each_architecture.hpp"
#include "golden_training.hpp"
#include "made_up_model.hpp"
#include "model_pass.hpp"

namespace roformer_gradients_test {

using namespace ropewalk;
using golden::Case;
using golden::Data;
using golden::data_of;
using golden::largest;
using model::Dropout;
using model::Model;
using model::Workspace;
using model_pass::learn;

class RoFormerGradients : public EachArchitecture {};

/// Variants that no golden file holds: E != C, values rotated, tanh GELU, padding, dropout, the decoder's mask and the
/// classification head, each against differences of the loss along a random direction.
struct Variant {
  const char* name;
  const char* changes;  // keys of config.json
  bool padding = false, dropout = false, classification = false;
  double tolerance = 1e-3;
};

double directional_error(const Variant& variant) {
  nlohmann::json json = {{"vocab_size", 13},
                         {"hidden_size", 16},
                         {"num_hidden_layers", 2},
                         {"num_attention_heads", 2},
                         {"intermediate_size", 24},
                         {"type_vocab_size", 2},
                         {"max_position_embeddings", 16}};
  json.update(nlohmann::json::parse(variant.changes));
  const char* const head = variant.classification ? "sequence_classification" : "masked_lm";
  Model model = raise(Model::make(made_up::spec(json, {head})));
  Random random(11);
  model::parameters::initialise(model.table(), 0.3F, model.parameters(), [&] { return random.normal(); });
  raise(model.repack());

  Data data{2, 7, {}, {}, {}, {}};
  for (std::size_t i = 0; i < 14; ++i) {
    data.ids.push_back(static_cast<std::int32_t>(random.below(13)));
    data.types.push_back(static_cast<std::int32_t>(random.below(2)));
    data.labels.push_back(i % 3 == 1 ? static_cast<std::int32_t>(random.below(13)) : -100);
    if (variant.padding) data.mask.push_back(i >= 4 && i < 7 ? 0 : 1);
  }
  if (variant.classification) data.labels = {1, 0};

  const Dropout dropout{variant.dropout, 5};
  Workspace workspace;
  const std::vector<float> gradients =
      learn(model, head, data.input(), data.labels, dropout, workspace).gradients;

  // Along the gradient itself the derivative is its squared length, far above float32's noise.
  double slope = 0;
  for (const float g : gradients) slope += double{g} * g;
  const std::vector<float> before(model.parameters().begin(), model.parameters().end());
  const auto difference = [&](double step) {
    double at[2];
    for (int side = 0; side < 2; ++side) {
      for (std::size_t i = 0; i < before.size(); ++i) {
        model.parameters()[i] = static_cast<float>(before[i] + (side == 0 ? -step : step) * gradients[i]);
      }
      raise(model.repack());
      at[side] = learn(model, head, data.input(), data.labels, dropout, workspace, false).loss.loss;
    }
    return (at[1] - at[0]) / (2 * step);
  };
  // Richardson's extrapolation takes the third derivative out.
  const double step = 1e-3 / std::sqrt(slope);
  return std::fabs((4 * difference(step) - difference(2 * step)) / 3 / slope - 1);
}

TEST_P(RoFormerGradients, AgreeWithDifferencesOfTheLoss) {
  const Variant variants[] = {
      {"plain", "{}"},
      {"projection", R"({"embedding_size": 10})"},
      {"values rotated", R"({"rotary_value": true})"},
      {"tanh GELU", R"({"hidden_act": "gelu_new"})"},
      // The kinks at 0 cost the difference a share that shrinks with the step.
      {"relu", R"({"hidden_act": "relu"})", false, false, false, 1e-2},
      {"silu", R"({"hidden_act": "silu"})"},
      {"untied", R"({"tie_word_embeddings": false})"},
      {"decoder", R"({"is_decoder": true})"},
      {"no positions", R"({"position_encoding": "none"})"},
      {"padding", "{}", true},
      {"dropout",
       R"({"embedding_size": 10, "hidden_dropout_prob": 0.3, "attention_probs_dropout_prob": 0.2})", false,
       true},
      {"classes", R"({"num_labels": 3})", true, false, true},
      {"version 2", R"({"norm_type": "rms_norm", "use_bias": false})"},
      {"version 2 with dropout",
       R"({"norm_type": "rms_norm", "use_bias": false, "hidden_dropout_prob": 0.2})", true, true},
      {"version 2, classes", R"({"norm_type": "rms_norm", "use_bias": false})", false, false, true},
      {"no biases", R"({"use_bias": false, "embedding_size": 10})"},
      {"classes with dropout", R"({"hidden_dropout_prob": 0.3})", false, true, true},
  };
  double worst = 0;
  for (const Variant& variant : variants) {
    const double error = directional_error(variant);
    EXPECT_LT(error, variant.tolerance) << variant.name;
    worst = std::max(worst, error);
  }
  std::printf("  %s: largest disagreement %.1e\n", GetParam().c_str(), worst);
}

TEST_P(RoFormerGradients, AreTheSameAgainAndAddUp) {
  Case c("rope");
  const Data data = data_of(c.expected);
  Workspace workspace;
  const auto again = [&](std::vector<float> sum) {
    return learn(c.model, "masked_lm", data.input(), data.labels, {}, workspace, true, std::move(sum))
        .gradients;
  };
  const std::vector<float> once = again({}), twice = again(once);
  EXPECT_EQ(again({}), once);
  for (std::size_t i = 0; i < once.size(); ++i) {
    ASSERT_NEAR(twice[i], 2 * once[i], 1e-6 + 1e-5 * std::fabs(once[i]));
  }
}

TEST_P(RoFormerGradients, WithoutLabelsNothingHappens) {
  Case c("rope");
  const Data data = data_of(c.expected);
  const std::vector<std::int32_t> none(data.labels.size(), -100);
  Workspace workspace;
  const auto [loss, gradients] = learn(c.model, "masked_lm", data.input(), none, {}, workspace);
  EXPECT_EQ(loss.loss, 0);
  EXPECT_EQ(loss.counted, 0u);
  EXPECT_EQ(largest(std::vector<double>(gradients.begin(), gradients.end())), 0);
}

ON_EACH_ARCHITECTURE(RoFormerGradients);

}  // namespace roformer_gradients_test
