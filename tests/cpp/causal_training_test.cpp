// The objective of a causal language model, against tests/golden/decoders/train-roformer-*, which an independent
// reference computed in float64: softmax attention, and the two kinds of attention that are linear in the length.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "checkpoint.hpp"
#include "each_architecture.hpp"
#include "golden.hpp"
#include "ropewalk/trainer.hpp"

namespace causal_training_test {

using namespace ropewalk;

const std::string softmax = "decoders/train-roformer-causal";
const std::string folders[] = {softmax, "decoders/train-roformer-linear",
                               "decoders/train-roformer-performer"};

Spec spec_of(const std::string& folder) {
  return raise(spec_from_config(checkpoint::text(folder + "/config.json")));
}
Spec spec() { return spec_of(softmax); }

class CausalTraining : public EachArchitecture {};
ON_EACH_ARCHITECTURE(CausalTraining);

void expect_reference(const std::string& folder) {
  const std::vector<std::byte> weights = checkpoint::bytes(folder + "/model.safetensors");
  const nlohmann::json expected = golden::read(folder + "/expected.json");
  const std::vector<std::int32_t> ids = expected["input_ids"], labels = expected["labels"];
  Trainer trainer({.spec = spec_of(folder),
                   .weights = weights,
                   .objective = Objective::causal_language_model,
                   .shards = 2});
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

TEST_P(CausalTraining, LossAndGradientsEqualTheReference) {
  for (const std::string& folder : folders) {
    SCOPED_TRACE(folder);
    expect_reference(folder);
  }
}

TEST(CausalObjective, SavesTheDirectionsThatTheCheckpointHolds) {
  const std::string folder = folders[2];
  const std::vector<std::byte> weights = checkpoint::bytes(folder + "/model.safetensors");
  const TrainerOptions options{
      .spec = spec_of(folder), .weights = weights, .objective = Objective::causal_language_model};
  Trainer trainer(options);
  EXPECT_TRUE(trainer.notes().empty());
  const std::vector<std::byte> file = trainer.save();
  const Safetensors before = raise(Safetensors::open(weights)), after = raise(Safetensors::open(file));
  std::size_t directions = 0;
  for (const SafetensorsTensor& tensor : before.tensors()) {
    if (!tensor.name.ends_with("projection_matrix")) continue;
    ++directions;
    const SafetensorsTensor* saved = after.find(tensor.name);
    ASSERT_NE(saved, nullptr) << tensor.name;
    EXPECT_EQ(saved->shape, tensor.shape);
    EXPECT_TRUE(std::ranges::equal(saved->data, tensor.data));
  }
  EXPECT_EQ(directions, 2u);
}

TEST(CausalObjective, OfLinearAttentionDoesNotSeeLaterTokens) {
  for (const char* more :
       {R"("position_encoding": "rope-linear-attention")", R"("position_encoding": "linear-attention")",
        R"("position_encoding": "rope-performer")",
        R"("position_encoding": "rope-performer", "performer_rotation": "projections")",
        R"("position_encoding": "performer", "learned_positions": true)"}) {
    SCOPED_TRACE(more);
    const std::string config = std::string(R"({"model_type": "roformer", "is_decoder": true, "vocab_size": 20,
        "hidden_size": 8, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 12,
        "initializer_range": 0.5, "max_position_embeddings": 80, )") +
                               more + "}";
    Trainer trainer({.spec = raise(spec_from_config(config)), .objective = Objective::causal_language_model});
    std::vector<std::int32_t> ids(70), labels(70, -100);
    for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<std::int32_t>(i * 7 % 20);
    labels[40] = 3;  // beyond the first block of tokens
    const auto loss = [&] {
      return trainer.evaluate({.input = {ids, 1, ids.size()}, .labels = labels}).loss;
    };
    const double before = loss();
    ids[41] = 11, ids[69] = 2;
    EXPECT_NEAR(loss(), before, 1e-5);
    ids[2] = 17;
    EXPECT_GT(std::fabs(loss() - before), 1e-4);
  }
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

}  // namespace causal_training_test
