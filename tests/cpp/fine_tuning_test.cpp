// Training that begins with a checkpoint: heads that it lacks, regression, RoFormer-v2.

#include <gtest/gtest.h>

#include <cmath>

#include "made_up_model.hpp"
#include "ropewalk/trainer.hpp"

namespace fine_tuning_test {

using namespace ropewalk;
using made_up::Tensors;

nlohmann::json config_of(const char* changes = "{}") {
  nlohmann::json config = made_up::config(
      R"({"hidden_dropout_prob": 0, "attention_probs_dropout_prob": 0, "initializer_range": 0.1})");
  config.update(nlohmann::json::parse(changes));
  return config;
}

std::vector<float> named(const std::vector<std::byte>& file, const std::string& name) {
  const Safetensors opened = open_safetensors(file);
  const SafetensorsTensor* tensor = opened.find(name);
  if (tensor == nullptr) return {};
  std::vector<float> values(tensor->elements);
  read_float32(*tensor, values);
  return values;
}

TEST(FineTuning, AddsAHeadFromTheSeedAndSaysSo) {
  const std::string config = config_of(R"({"num_labels": 3})").dump();
  const Tensors tensors = made_up::tensors(config_of(), {"masked_lm"});
  const std::vector<std::byte> weights = made_up::file(tensors);
  const auto start = [&](std::uint64_t seed) {
    Trainer trainer({.spec = raise(spec_from_config(config)),
                     .weights = weights,
                     .seed = seed,
                     .objective = Objective::classification});
    EXPECT_EQ(
        trainer.notes(),
        std::vector<std::string>{"`weights` have no classification head: it begins with values from `seed`"});
    return trainer.save();
  };
  const std::vector<std::byte> first = start(4);
  EXPECT_EQ(first, start(4));
  EXPECT_NE(first, start(5));
  for (const auto& [name, tensor] : tensors) EXPECT_EQ(named(first, name), tensor.data) << name;
  const std::vector<float> head = named(first, "classifier.dense.weight");
  ASSERT_EQ(head.size(), 24u * 24);
  double squares = 0;
  for (const float value : head) squares += double{value} * value;
  EXPECT_NEAR(std::sqrt(squares / static_cast<double>(head.size())), 0.1, 0.01);
  EXPECT_EQ(named(first, "classifier.out_proj.bias"), std::vector<float>(3, 0.0F));

  // The saved file has the head, so there is nothing to note.
  Trainer again(
      {.spec = raise(spec_from_config(config)), .weights = first, .objective = Objective::classification});
  EXPECT_TRUE(again.notes().empty());
}

TEST(FineTuning, AddsAMaskedLanguageModelHeadToABaseModel) {
  Tensors tensors = made_up::tensors(config_of(), {"masked_lm"});
  for (const char* name :
       {"cls.predictions.bias", "cls.predictions.transform.dense.weight",
        "cls.predictions.transform.dense.bias", "cls.predictions.transform.LayerNorm.weight",
        "cls.predictions.transform.LayerNorm.bias"}) {
    ASSERT_EQ(tensors.erase(name), 1u);
  }
  const std::string config = config_of().dump();
  const std::vector<std::byte> weights = made_up::file(tensors);
  Trainer trainer({.spec = raise(spec_from_config(config)), .weights = weights});
  ASSERT_EQ(trainer.notes().size(), 1u);
  EXPECT_EQ(named(trainer.save(), "cls.predictions.transform.LayerNorm.weight"),
            std::vector<float>(24, 1.0F));
}

TEST(FineTuning, APartOfAHeadIsAnError) {
  const nlohmann::json config = config_of();
  const std::string text = config.dump();
  const Tensors whole = made_up::tensors(config, {"sequence_classification"});
  const auto message = [&](const Tensors& tensors) {
    const std::vector<std::byte> weights = made_up::file(tensors);
    const Result<Trainer> made = Trainer::make(
        {.spec = raise(spec_from_config(text)), .weights = weights, .objective = Objective::classification});
    EXPECT_FALSE(made.ok());
    return made.ok() ? "" : made.status().message();
  };
  Tensors tensors = whole;
  tensors.erase("classifier.dense.weight");
  EXPECT_EQ(message(tensors),
            "roformer: the checkpoint lacks \"classifier.dense.weight\"; allowed: every parameter of the "
            "configuration");
  tensors = whole;
  tensors["classifier.out_proj.weight"] = {{5, 24}, std::vector<float>(120)};
  EXPECT_EQ(
      message(tensors),
      "roformer: tensor \"classifier.out_proj.weight\" has the shape [5, 24]; allowed by the configuration: "
      "[2, 24]");
  tensors = whole;
  tensors.erase("roformer.embeddings.word_embeddings.weight");
  EXPECT_NE(message(tensors).find("word_embeddings"), std::string::npos);
}

TEST(FineTuning, ANewHeadBeginsANewTraining) {
  const std::string config = config_of().dump();
  Trainer masked({.spec = raise(spec_from_config(config)), .seed = 3});
  const std::vector<std::int32_t> ids = {1, 2, 3, 4}, labels = {-100, 2, -100, 4};
  for (int i = 0; i < 3; ++i) masked.train({{ids, 1, 4}, labels});
  const std::vector<std::byte> weights = masked.save({.optimizer = true});
  EXPECT_EQ(Trainer({.spec = raise(spec_from_config(config)), .weights = weights}).step(), 3u);
  EXPECT_TRUE(Trainer({.spec = raise(spec_from_config(config)), .weights = weights}).notes().empty());
  Trainer classes(
      {.spec = raise(spec_from_config(config)), .weights = weights, .objective = Objective::classification});
  EXPECT_EQ(classes.step(), 0u);
}

struct Values {
  std::vector<std::int32_t> ids;
  std::vector<float> targets;
  TrainerBatch batch() const { return {.input = {ids, targets.size(), 6}, .targets = targets}; }
};

// The value is where the 1 stands.
Values places(Random& random, std::size_t count) {
  Values result;
  for (std::size_t b = 0; b < count; ++b) {
    std::int32_t row[6] = {0, 5, 5, 5, 5, 5};
    const std::size_t at = 1 + random.below(5);
    row[at] = 1;
    result.ids.insert(result.ids.end(), row, row + 6);
    result.targets.push_back(static_cast<float>(at) / 2);
  }
  return result;
}

TEST(Regression, LearnsAValue) {
  for (const char* changes :
       {R"({"num_labels": 1})", R"({"num_labels": 1, "norm_type": "rms_norm", "use_bias": false})"}) {
    const std::string config = config_of(changes).dump();
    Trainer trainer({.spec = raise(spec_from_config(config)),
                     .seed = 2,
                     .objective = Objective::regression,
                     .optimizer = {.learning_rate = 3e-3, .warmup_steps = 20},
                     .shards = 2});
    Random random(31);
    const Values held_out = places(random, 100);
    const double before = trainer.evaluate(held_out.batch()).loss;
    for (int i = 0; i < 300; ++i) trainer.train(places(random, 32).batch());
    const Evaluation after = trainer.evaluate(held_out.batch());
    EXPECT_GT(before, 0.5);
    EXPECT_LT(after.loss, 0.02) << changes;
    EXPECT_TRUE(std::isnan(after.accuracy));

    // The loss is what the saved model's outputs give.
    Encoder model(config, trainer.save());
    const EncoderOutput output = model.forward(held_out.batch().input);
    double sum = 0;
    for (std::size_t i = 0; i < 100; ++i) {
      const double difference = double{output.class_logits[i]} - held_out.targets[i];
      sum += difference * difference / 100;
    }
    EXPECT_NEAR(after.loss, sum, 1e-6);
  }
}

TEST(Regression, GradientsAreThoseOfDifferences) {
  const nlohmann::json config = config_of(R"({"num_labels": 1})");
  const std::string text = config.dump();
  Tensors tensors = made_up::tensors(config, {"sequence_classification"});
  Random random(8);
  const Values values = places(random, 4);
  const auto loss_of = [&](const Tensors& changed) {
    const auto reference = made_up::reference(config, changed);
    const auto logits = reference.classification(reference.hidden(values.batch().input), 6);
    double sum = 0;
    for (std::size_t i = 0; i < 4; ++i) sum += std::pow(logits[i] - values.targets[i], 2) / 4;
    return sum;
  };
  const std::vector<std::byte> weights = made_up::file(tensors);
  Trainer trainer(
      {.spec = raise(spec_from_config(text)), .weights = weights, .objective = Objective::regression});
  const Gradients gradients = trainer.gradients(values.batch());
  EXPECT_NEAR(gradients.loss, loss_of(tensors), 1e-5);
  std::size_t compared = 0;
  for (const NamedGradient& each : gradients.parameters) {
    if (each.name.substr(0, 11) != "classifier." && each.name.find("layer.1.output.") == each.name.npos)
      continue;
    std::vector<float>& data = tensors[std::string(each.name)].data;
    for (const std::size_t place : {std::size_t{0}, data.size() / 2}) {
      const float kept = data[place];
      data[place] = kept + 0x1p-10F;
      const double above = loss_of(tensors);
      const float upper = data[place];
      data[place] = kept - 0x1p-10F;
      const double slope = (above - loss_of(tensors)) / (double{upper} - data[place]);
      data[place] = kept;
      EXPECT_NEAR(each.values[place], slope, 1e-4 + 1e-3 * std::fabs(slope)) << each.name;
      ++compared;
    }
  }
  EXPECT_EQ(compared, 16u);
}

TEST(Regression, RefusesWhatIsNoValue) {
  const std::string config = config_of(R"({"num_labels": 1})").dump();
  Trainer trainer({.spec = raise(spec_from_config(config)), .objective = Objective::regression});
  const std::vector<std::int32_t> ids = {1, 2, 3, 4}, labels = {0, 0};
  TrainingStep step;
  const auto refused = [&](const TrainerBatch& batch) { return trainer.try_train(batch, step).message(); };
  EXPECT_EQ(refused({.input = {ids, 2, 2}, .labels = labels}),
            "train: `targets` has 0 elements; allowed: 2, `batch`");
  const std::vector<float> bad = {1, std::nanf("")};
  EXPECT_EQ(refused({.input = {ids, 2, 2}, .targets = bad}),
            "train: `targets[1]` is NaN; allowed: a finite number");
  const std::string two = config_of().dump();
  EXPECT_EQ(Trainer::make({.spec = raise(spec_from_config(two)), .objective = Objective::regression})
                .status()
                .message(),
            "trainer: `num_labels` is 2; allowed: 1 with the objective of regression");
}

TEST(RoFormerVersion2Training, GoesOnBitForBitFromASave) {
  const std::string config = config_of(R"({"norm_type": "rms_norm", "use_bias": false})").dump();
  const std::vector<std::int32_t> ids = {1, 2, 3, 4, 5, 6}, labels = {-100, 2, -100, 4, -100, -100};
  const TrainerBatch batch{{ids, 1, 6}, labels};
  Trainer whole({.spec = raise(spec_from_config(config)), .seed = 3}),
      half({.spec = raise(spec_from_config(config)), .seed = 3});
  const double before = whole.evaluate(batch).loss;
  for (int i = 0; i < 20; ++i) whole.train(batch);
  for (int i = 0; i < 10; ++i) half.train(batch);
  const std::vector<std::byte> saved = half.save({.optimizer = true});
  // The checkpoint alone says what it is.
  const std::string silent = config_of().dump();
  Trainer rest({.spec = raise(spec_from_config(silent)), .weights = saved, .seed = 3});
  EXPECT_EQ(rest.notes().size(), 1u);
  for (int i = 0; i < 10; ++i) rest.train(batch);
  EXPECT_EQ(rest.save(), whole.save());
  EXPECT_LT(whole.evaluate(batch).loss, before / 2);
}

}  // namespace fine_tuning_test
