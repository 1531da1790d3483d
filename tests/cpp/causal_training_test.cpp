// The objective of a causal language model, against tests/golden/decoders/train-roformer-causal, which an
// independent reference computed in float64.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "checkpoint.hpp"
#include "each_architecture.hpp"
#include "golden.hpp"
#include "ropewalk/trainer.hpp"

namespace {

using namespace ropewalk;

const std::string folder = "decoders/train-roformer-causal";

Spec spec() { return raise(spec_from_config(checkpoint::text(folder + "/config.json"))); }

class CausalTraining : public EachArchitecture {};
ON_EACH_ARCHITECTURE(CausalTraining);

TEST_P(CausalTraining, LossAndGradientsEqualTheReference) {
  const std::vector<std::byte> weights = checkpoint::bytes(folder + "/model.safetensors");
  const nlohmann::json expected = golden::read(folder + "/expected.json");
  const std::vector<std::int32_t> ids = expected["input_ids"], labels = expected["labels"];
  Trainer trainer(
      {.spec = spec(), .weights = weights, .objective = Objective::causal_language_model, .shards = 2});
  const Gradients found =
      trainer.gradients({.input = {ids, expected["shape"][0], expected["shape"][1]}, .labels = labels});
  const double loss = expected["loss"];
  EXPECT_LE(std::fabs(found.loss - loss) / loss, 1e-6);
  std::size_t compared = 0;
  for (const NamedGradient& gradient : found.parameters) {
    if (!expected["gradients"].contains(gradient.name)) continue;
    ++compared;
    const std::vector<double> values = expected["gradients"][std::string(gradient.name)];
    ASSERT_EQ(values.size(), gradient.values.size());
    double largest = 0, worst = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      largest = std::max(largest, std::fabs(values[i]));
      worst = std::max(worst, std::fabs(double{gradient.values[i]} - values[i]));
    }
    EXPECT_LE(worst, std::max(2e-5 * largest, 1e-6)) << gradient.name;
  }
  EXPECT_EQ(compared, found.parameters.size());
  EXPECT_EQ(compared, expected["gradients"].size());
}

TEST(CausalObjective, LearnsTheNextTokenWhereNoLabelsAreGiven) {
  Spec small = spec();
  small.hidden_dropout = small.attention_dropout = 0;
  Trainer trainer({.spec = small, .objective = Objective::causal_language_model, .shards = 2});
  const std::vector<std::int32_t> ids = {8, 10, 3, 18, 0, 16, 4, 0, 0, 0, 0, 0, 7, 1, 2},
                                  mask = {1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 1, 1, 1},
                                  labels = {10,   3,    18,   0,    -100, 4, -100, -100,
                                            -100, -100, -100, -100, 1,    2, -100};
  const EncoderInput input{ids, 3, 5, {}, mask};
  const Gradients given = trainer.gradients({.input = input, .labels = labels});
  const double loss = given.loss, accuracy = given.accuracy;
  std::vector<std::vector<float>> expected;
  for (const NamedGradient& each : given.parameters)
    expected.emplace_back(each.values.begin(), each.values.end());
  const Gradients found = trainer.gradients({.input = input});
  EXPECT_EQ(found.loss, loss);
  EXPECT_EQ(found.accuracy, accuracy);
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_TRUE(std::ranges::equal(found.parameters[i].values, expected[i])) << found.parameters[i].name;
}

TEST(CausalObjective, LearnsATextByHeart) {
  Spec small = spec();
  Trainer trainer(
      {.spec = small, .objective = Objective::causal_language_model, .optimizer = {.learning_rate = 0.01}});
  const std::vector<std::int32_t> ids = {1, 5, 9, 2, 7, 7, 3, 11, 20, 5, 4};
  for (int i = 0; i < 150; ++i) trainer.train({.input = {ids, 1, ids.size()}});
  EXPECT_EQ(trainer.evaluate({.input = {ids, 1, ids.size()}}).accuracy, 1);
}

TEST(CausalObjective, IsRefusedByName) {
  const auto message = [](const Spec& spec, Objective objective) {
    const Result<Trainer> made = Trainer::make({.spec = spec, .objective = objective});
    return made.ok() ? "" : made.status().message();
  };
  Spec sees_all = spec();
  sees_all.attention.causal = false;
  EXPECT_EQ(
      message(sees_all, Objective::causal_language_model),
      "trainer: `objective` is \"causal-language-model\"; allowed: another one, since the tokens of this "
      "model see those after them");
  Trainer trainer({.spec = spec(), .objective = Objective::causal_language_model});
  const std::vector<std::int32_t> one = {3, 4};
  Evaluation evaluation;
  EXPECT_EQ(
      trainer.try_evaluate({.input = {one, 2, 1}}, evaluation).message(),
      "evaluate: `labels` are not given, and no token of `input_ids` follows another; allowed: a sequence "
      "of at least 2 tokens");
}

}  // namespace
