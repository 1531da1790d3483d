// The trainer: it learns, repeats itself bit for bit, and every part of a step is what its formula says.
#include "ropewalk/trainer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>

#include "base/random.hpp"
#include "checkpoint.hpp"
#include "each_architecture.hpp"
#include "golden.hpp"
#include "train/optimizer_options.hpp"

namespace trainer_test {

using namespace ropewalk;

std::string tiny(const char* changes = "{}") {
  nlohmann::json json = {{"vocab_size", 12},
                         {"hidden_size", 32},
                         {"num_hidden_layers", 2},
                         {"num_attention_heads", 2},
                         {"intermediate_size", 64},
                         {"hidden_dropout_prob", 0.0},
                         {"attention_probs_dropout_prob", 0.0},
                         {"initializer_range", 0.1},
                         {"max_position_embeddings", 32}};
  json.update(nlohmann::json::parse(changes));
  return json.dump();
}

// Owns what a TrainerBatch views.
struct Batch {
  std::size_t batch = 0, tokens = 0;
  std::vector<std::int32_t> ids, types, mask, labels;
  operator TrainerBatch() const {
    return {{.input_ids = ids,
             .batch = batch,
             .sequence = tokens,
             .token_type_ids = types,
             .attention_mask = mask},
            labels};
  }
};

// Token 1 marks a place; what stands left of it is asked for at its right: `x 1 _`. Only order tells.
Batch copy_left(Random& random, std::size_t batch) {
  Batch result{batch, 8, {}, {}, {}, {}};
  for (std::size_t b = 0; b < batch; ++b) {
    std::vector<std::int32_t> row;
    for (int i = 0; i < 8; ++i) row.push_back(static_cast<std::int32_t>(2 + random.below(10)));
    std::vector<std::int32_t> labels(8, -100);
    const std::size_t at = 1 + random.below(6);
    row[at] = 1;
    labels[at + 1] = row[at - 1];
    row[at + 1] = 0;
    result.ids.insert(result.ids.end(), row.begin(), row.end());
    result.labels.insert(result.labels.end(), labels.begin(), labels.end());
  }
  return result;
}

std::vector<std::byte> train_some(const TrainerOptions& options, int steps, int first = 0) {
  Trainer trainer(options);
  Random random(21);
  for (int i = 0; i < first; ++i) copy_left(random, 16);
  for (int i = 0; i < steps; ++i) trainer.train(copy_left(random, 16));
  return trainer.save({.optimizer = true});
}

class TrainerOnEach : public EachArchitecture {};
ON_EACH_ARCHITECTURE(TrainerOnEach);

TEST_P(TrainerOnEach, LearnsWhatOnlyOrderTells) {
  const std::string config = tiny();
  Trainer trainer({.spec = raise(spec_from_config(config)),
                   .seed = 1,
                   .optimizer = {.learning_rate = 5e-3, .warmup_steps = 30, .total_steps = 400}});
  Random random(8);
  TrainingStep first, step;
  for (int i = 0; i < 400; ++i) {
    step = trainer.train(copy_left(random, 32));
    if (i == 0) first = step;
  }
  EXPECT_NEAR(first.loss, std::log(12.0), 0.6);
  const Evaluation held_out = trainer.evaluate(copy_left(random, 256));
  std::printf("  %s: loss %.3f -> %.4f, held out %.4f, accuracy %.3f\n", GetParam().c_str(), first.loss,
              step.loss, held_out.loss, held_out.accuracy);
  EXPECT_LT(held_out.loss, 0.2);
  EXPECT_GT(held_out.accuracy, 0.97);
  EXPECT_EQ(trainer.step(), 400u);
}

TEST_P(TrainerOnEach, GradientsEqualTheReference) {
  const std::string config = checkpoint::text("training/rope/config.json");
  const std::vector<std::byte> weights = checkpoint::bytes("training/rope/model.safetensors");
  const nlohmann::json expected = golden::read("training/rope/expected.json");
  const Batch batch{
      expected["shape"][0], expected["shape"][1], expected["input_ids"], expected["token_type_ids"], {},
      expected["labels"]};
  for (const std::size_t shards : {1u, 2u, 3u}) {
    SCOPED_TRACE(shards);
    Trainer trainer({.spec = raise(spec_from_config(config)), .weights = weights, .shards = shards});
    const Gradients gradients = trainer.gradients(batch);
    EXPECT_NEAR(gradients.loss, expected["loss"], 1e-6 * expected["loss"].get<double>());
    EXPECT_NEAR(trainer.evaluate(batch).loss, expected["loss"], 1e-6 * expected["loss"].get<double>());
    ASSERT_EQ(gradients.parameters.size(), expected["gradients"].size());
    for (const NamedGradient& gradient : gradients.parameters) {
      const std::vector<double> reference = expected["gradients"][std::string(gradient.name)];
      ASSERT_EQ(reference.size(), gradient.values.size()) << gradient.name;
      double largest = 1e-6, worst = 0;
      for (const double value : reference) largest = std::max(largest, std::fabs(value));
      for (std::size_t i = 0; i < reference.size(); ++i) {
        worst = std::max(worst, std::fabs(gradient.values[i] - reference[i]));
      }
      // The gradient of a key's bias is rounding alone.
      EXPECT_TRUE(largest <= 1e-6 || worst <= 1e-4 * largest) << gradient.name << worst;
    }
    EXPECT_EQ(trainer.step(), 0u);
  }
}

TEST(Trainer, SameSeedSameBits) {
  const std::string config = tiny(R"({"hidden_dropout_prob": 0.1, "attention_probs_dropout_prob": 0.1})");
  const TrainerOptions options{.spec = raise(spec_from_config(config)), .seed = 5};
  const std::vector<std::byte> once = train_some(options, 12);
  EXPECT_EQ(once, train_some(options, 12));
  TrainerOptions other = options;
  other.seed = 6;
  EXPECT_NE(once, train_some(other, 12));
}

TEST(Trainer, ThreadsChangeNoBit) {
  const std::string config = tiny(R"({"hidden_dropout_prob": 0.1})");
  TrainerOptions options{.spec = raise(spec_from_config(config)), .seed = 5, .shards = 5};
  const std::vector<std::byte> alone = train_some(options, 10);
  for (const std::size_t threads : {2u, 3u, 8u}) {
    options.threads = threads;
    EXPECT_EQ(alone, train_some(options, 10)) << threads;
  }
}

TEST(Trainer, ShardsChangeRoundingOnly) {
  const std::string config = tiny();
  Random random(22);
  const Batch batch = copy_left(random, 10);
  Trainer one({.spec = raise(spec_from_config(config)), .seed = 5});
  const Gradients whole = one.gradients(batch);
  for (const std::size_t shards : {2u, 3u, 10u, 64u}) {
    Trainer many({.spec = raise(spec_from_config(config)), .seed = 5, .shards = shards});
    const Gradients parts = many.gradients(batch);
    EXPECT_NEAR(parts.loss, whole.loss, 1e-6);
    EXPECT_EQ(parts.accuracy, whole.accuracy);
    for (std::size_t i = 0; i < parts.parameters.size(); ++i) {
      for (std::size_t j = 0; j < parts.parameters[i].values.size(); ++j) {
        ASSERT_NEAR(parts.parameters[i].values[j], whole.parameters[i].values[j], 2e-6)
            << shards << ' ' << parts.parameters[i].name;
      }
    }
  }
}

TEST(Trainer, PaddingAtTheEndChangesNothing) {
  const std::string config = tiny();
  Random random(23);
  const Batch plain = copy_left(random, 6);
  Batch padded{6, 13, {}, {}, {}, {}};
  for (std::size_t row = 0; row < 6; ++row) {
    for (std::size_t i = 0; i < 13; ++i) {
      const bool token = i < 8;
      padded.ids.push_back(token ? plain.ids[row * 8 + i] : 0);
      padded.labels.push_back(token ? plain.labels[row * 8 + i] : -100);
      padded.mask.push_back(token ? 1 : 0);
    }
  }
  Trainer a({.spec = raise(spec_from_config(config)), .seed = 5, .shards = 2}),
      b({.spec = raise(spec_from_config(config)), .seed = 5, .shards = 2});
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(a.train(plain).loss, b.train(padded).loss);
  }
  EXPECT_EQ(a.save(), b.save());
  // One sequence that is longer keeps its columns, and one without any token keeps all of them.
  padded.mask[8] = 1;
  EXPECT_NE(a.evaluate(plain).loss, b.evaluate(padded).loss);
  std::fill_n(padded.mask.begin() + 13, 13, 0);
  EXPECT_TRUE(std::isfinite(b.train(padded).loss));
}

TEST(Trainer, GoesOnBitForBitFromASave) {
  const std::string config = tiny(R"({"hidden_dropout_prob": 0.1})");
  TrainerOptions options{.spec = raise(spec_from_config(config)),
                         .seed = 5,
                         .optimizer = {.warmup_steps = 5, .total_steps = 30}};
  const std::vector<std::byte> through = train_some(options, 20);
  const std::vector<std::byte> half = train_some(options, 11);
  options.weights = half;
  EXPECT_EQ(through, train_some(options, 9, 11));
  EXPECT_EQ(Trainer(options).step(), 11u);
}

TEST(Trainer, SavesWhatRoFormerLoads) {
  const std::string config = tiny(R"({"architectures": ["RoFormerForMaskedLM"]})");
  Trainer trainer({.spec = raise(spec_from_config(config)), .seed = 5});
  Random random(24);
  const Batch batch = copy_left(random, 16);
  for (int i = 0; i < 5; ++i) trainer.train(batch);
  const Evaluation own = trainer.evaluate(batch);
  const auto loss_of = [&](const std::vector<std::byte>& file) {
    Encoder model(config, file);
    EXPECT_TRUE(model.notes().empty());
    EXPECT_EQ(model.parameter_count(), trainer.parameter_count());
    const EncoderOutput output = model.forward(TrainerBatch(batch).input);
    double loss = 0, counted = 0;
    for (std::size_t i = 0; i < batch.labels.size(); ++i) {
      if (batch.labels[i] == -100) continue;
      const std::span<const float> row = output.logits.subspan(i * 12, 12);
      double sum = 0;
      for (const float logit : row) sum += std::exp(double{logit});
      loss += std::log(sum) - row[static_cast<std::size_t>(batch.labels[i])];
      ++counted;
    }
    return loss / counted;
  };
  EXPECT_NEAR(loss_of(trainer.save()), own.loss, 1e-5);
  EXPECT_NEAR(loss_of(trainer.save({.type = SafetensorsType::F16})), own.loss, 1e-2);
  EXPECT_LT(trainer.save({.type = SafetensorsType::F16}).size(), trainer.save().size() * 6 / 10);
  // The logits of a trainer that starts from the file are those of the file.
  const std::vector<std::byte> file = trainer.save();
  EXPECT_EQ(Trainer({.spec = raise(spec_from_config(config)), .weights = file}).evaluate(batch).loss,
            own.loss);
}

// AdamW in float64, from the paper's algorithm 2, with the gradients that the trainer reports.
TEST(Trainer, StepsAsAdamW) {
  const std::string config = tiny();
  const OptimizerOptions adam{.learning_rate = 3e-3,
                              .beta1 = 0.85,
                              .beta2 = 0.97,
                              .epsilon = 1e-7,
                              .weight_decay = 0.3,
                              .clip_norm = 0.5,
                              .warmup_steps = 3,
                              .total_steps = 8};
  Trainer trainer({.spec = raise(spec_from_config(config)), .seed = 9, .optimizer = adam, .shards = 2});
  struct Reference {
    std::vector<double> value, m, v;
  };
  std::map<std::string, Reference> parameters;
  const auto weights = [&] {
    std::map<std::string, std::vector<float>> values;
    const std::vector<std::byte> file = trainer.save();
    const Safetensors tensors = open_safetensors(file);
    for (const SafetensorsTensor& tensor : tensors.tensors()) {
      std::vector<float>& out = values[tensor.name];
      out.resize(tensor.elements);
      read_float32(tensor, out);
    }
    return values;
  };
  for (const auto& [name, values] : weights()) {
    parameters[name] = {{values.begin(), values.end()},
                        std::vector<double>(values.size()),
                        std::vector<double>(values.size())};
  }
  Random random(25);
  int clipped = 0;
  for (int n = 1; n <= 8; ++n) {
    const Batch batch = copy_left(random, 8);
    const Gradients gradients = trainer.gradients(batch);
    double squares = 0;
    for (const NamedGradient& gradient : gradients.parameters) {
      for (const float g : gradient.values) squares += double{g} * g;
    }
    const double norm = std::sqrt(squares), scale = norm > 0.5 ? 0.5 / norm : 1;
    clipped += norm > 0.5 ? 1 : 0;
    const double rate = 3e-3 * (n < 3 ? n / 3.0 : (8 - n + 1) / 6.0);
    for (const NamedGradient& gradient : gradients.parameters) {
      Reference& reference = parameters[std::string(gradient.name)];
      const bool decays =
          gradient.name.ends_with(".weight") && gradient.name.find("LayerNorm") == std::string_view::npos;
      for (std::size_t i = 0; i < reference.value.size(); ++i) {
        const double g = gradient.values[i] * scale;
        reference.m[i] = 0.85 * reference.m[i] + 0.15 * g;
        reference.v[i] = 0.97 * reference.v[i] + 0.03 * g * g;
        const double m = reference.m[i] / (1 - std::pow(0.85, n)),
                     v = reference.v[i] / (1 - std::pow(0.97, n));
        reference.value[i] -= rate * (m / (std::sqrt(v) + 1e-7) + (decays ? 0.3 * reference.value[i] : 0));
      }
    }
    const TrainingStep step = trainer.train(batch);
    EXPECT_EQ(step.loss, gradients.loss);
    EXPECT_NEAR(step.gradient_norm, norm, 1e-6 * norm);
    EXPECT_NEAR(step.learning_rate, rate, 1e-15);
  }
  EXPECT_GT(clipped, 0);
  double worst = 0;
  for (const auto& [name, values] : weights()) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      worst = std::max(worst, std::fabs(values[i] - parameters[name].value[i]));
    }
  }
  std::printf("  largest difference after 8 steps %.1e\n", worst);
  EXPECT_LT(worst, 2e-6);
}

TEST(Trainer, RatesWarmUpAndFall) {
  const OptimizerOptions options{.learning_rate = 1, .warmup_steps = 4, .total_steps = 14};
  EXPECT_DOUBLE_EQ(trainer::learning_rate(options, 1), 0.25);
  EXPECT_DOUBLE_EQ(trainer::learning_rate(options, 3), 0.75);
  EXPECT_DOUBLE_EQ(trainer::learning_rate(options, 4), 1);
  EXPECT_DOUBLE_EQ(trainer::learning_rate(options, 5), 10.0 / 11);
  EXPECT_DOUBLE_EQ(trainer::learning_rate(options, 14), 1.0 / 11);
  EXPECT_EQ(trainer::learning_rate(options, 15), 0);
  // torch.optim.lr_scheduler.LinearLR(start_factor=1, end_factor=0.1, total_iters=4), from its documentation's formula.
  const OptimizerOptions floor{.learning_rate = 2, .total_steps = 4, .end_factor = 0.1};
  const double factors[] = {1, 0.775, 0.55, 0.325, 0.1, 0.1};
  for (std::uint64_t step = 1; step <= 6; ++step) {
    EXPECT_DOUBLE_EQ(trainer::learning_rate(floor, step), 2 * factors[step - 1]) << "step " << step;
  }
  OptimizerOptions constant{.learning_rate = 1};
  EXPECT_EQ(trainer::learning_rate(constant, 1), 1);
  EXPECT_EQ(trainer::learning_rate(constant, 1'000'000'000), 1);
  constant.total_steps = 2;
  EXPECT_EQ(trainer::learning_rate(constant, 1), 1);
  EXPECT_EQ(trainer::learning_rate(constant, 2), 0.5);
  const OptimizerOptions only_warm{.learning_rate = 1, .warmup_steps = 2, .total_steps = 2};
  EXPECT_EQ(trainer::learning_rate(only_warm, 2), 1);
  EXPECT_EQ(trainer::learning_rate(only_warm, 3), 0);
  EXPECT_NEAR(trainer::power(0.999, 12345), std::pow(0.999, 12345), 1e-18);
  EXPECT_EQ(trainer::power(0, 0), 1);
}

TEST(Trainer, ClassifiesWhichComesFirst) {
  const std::string config = tiny(R"({"num_labels": 2})");
  Trainer trainer({.spec = raise(spec_from_config(config)),
                   .seed = 2,
                   .objective = Objective::classification,
                   .optimizer = {.learning_rate = 3e-3, .warmup_steps = 20},
                   .shards = 2});
  Random random(26);
  const auto batch = [&](std::size_t count) {
    Batch result{count, 6, {}, {}, {}, {}};
    for (std::size_t b = 0; b < count; ++b) {
      std::int32_t row[6] = {0, 5, 5, 5, 5, 5};
      std::size_t one = 1 + random.below(5), two = 1 + random.below(5);
      if (one == two) two = one % 5 + 1;
      row[one] = 2, row[two] = 3;
      result.ids.insert(result.ids.end(), row, row + 6);
      result.labels.push_back(one < two ? 0 : 1);
    }
    return result;
  };
  for (int i = 0; i < 200; ++i) trainer.train(batch(32));
  EXPECT_GT(trainer.evaluate(batch(200)).accuracy, 0.97);
  const std::vector<std::byte> file = trainer.save();
  Encoder model(tiny(R"({"num_labels": 2, "architectures": ["RoFormerForSequenceClassification"]})"), file);
  EXPECT_EQ(model.forward(TrainerBatch(batch(3)).input).class_logits.size(), 6u);
}

TEST(Trainer, RefusesOptionsByName) {
  const std::string config = tiny();
  const auto message = [&](auto change) {
    TrainerOptions options{.spec = raise(spec_from_config(config))};
    change(options);
    const Result<Trainer> made = Trainer::make(options);
    EXPECT_FALSE(made.ok());
    return made.status().message();
  };
  EXPECT_EQ(message([](TrainerOptions& o) { o.optimizer.learning_rate = -1; }),
            "trainer: `optimizer.learning_rate` is -1; allowed: a finite number of at least 0");
  EXPECT_EQ(message([](TrainerOptions& o) { o.optimizer.beta1 = 1; }),
            "trainer: `optimizer.beta1` is 1; allowed: a number from 0, below 1");
  EXPECT_EQ(message([](TrainerOptions& o) { o.optimizer.beta2 = std::nan(""); }),
            "trainer: `optimizer.beta2` is NaN; allowed: a number from 0, below 1");
  EXPECT_EQ(message([](TrainerOptions& o) { o.optimizer.epsilon = 0; }),
            "trainer: `optimizer.epsilon` is 0; allowed: a number from 1e-30, below 1");
  EXPECT_EQ(message([](TrainerOptions& o) { o.optimizer.weight_decay = -0.5; }),
            "trainer: `optimizer.weight_decay` is -0.5; allowed: a finite number of at least 0");
  EXPECT_EQ(message([](TrainerOptions& o) { o.optimizer.clip_norm = HUGE_VAL; }),
            "trainer: `optimizer.clip_norm` is Infinity; allowed: a finite number of at least 0");
  EXPECT_EQ(message([](TrainerOptions& o) { o.optimizer.end_factor = 1.5; }),
            "trainer: `optimizer.end_factor` is 1.5; allowed: a number from 0 to 1");
  EXPECT_EQ(message([](TrainerOptions& o) { o.optimizer.warmup_steps = 5, o.optimizer.total_steps = 4; }),
            "trainer: `optimizer.total_steps` is 4; allowed: 0, or at least `warmup_steps` = 5");
  EXPECT_EQ(message([](TrainerOptions& o) { o.shards = 0; }),
            "trainer: `shards` is 0; allowed: a whole number from 1 to 1024");
  EXPECT_EQ(message([](TrainerOptions& o) { o.threads = 1000; }),
            "trainer: `threads` is 1000; allowed: a whole number from 1 to 256");
  EXPECT_EQ(message([](TrainerOptions& o) { o.spec.attention.heads = 7; }),
            "roformer: `hidden` is 32; allowed: a multiple of `attention.heads`, 7");
}

TEST(Trainer, RefusesBatchesByNameAndGoesOn) {
  const std::string config = tiny();
  Trainer trainer({.spec = raise(spec_from_config(config)), .seed = 5}),
      twin({.spec = raise(spec_from_config(config)), .seed = 5});
  Random random(27);
  const Batch good = copy_left(random, 4);
  const auto message = [&](auto change) {
    Batch batch = good;
    change(batch);
    TrainingStep step;
    const Status status = trainer.try_train(batch, step);
    EXPECT_EQ(status.code(), Status::Code::range);
    EXPECT_EQ(step.loss, 0);
    return status.message();
  };
  EXPECT_EQ(message([](Batch& b) { b.labels[3] = 12; }),
            "train: `labels[3]` is 12; allowed: 0 to 11, the ids, or -100 for nothing to learn");
  EXPECT_EQ(message([](Batch& b) { b.labels[0] = -1; }),
            "train: `labels[0]` is -1; allowed: 0 to 11, the ids, or -100 for nothing to learn");
  EXPECT_EQ(message([](Batch& b) { b.labels.pop_back(); }),
            "train: `labels` has 31 elements; allowed: 32, `batch` * `sequence`");
  EXPECT_EQ(message([](Batch& b) { std::fill(b.labels.begin(), b.labels.end(), -100); }),
            "train: `labels` are all -100; allowed: at least one label that is not");
  EXPECT_EQ(message([](Batch& b) { b.ids[1] = 99; }).substr(0, 29), "train: `input_ids[1]` is 99; ");
  EXPECT_EQ(message([](Batch& b) { b.batch = 0; }).substr(0, 20), "train: `batch` is 0;");
  Evaluation evaluation;
  EXPECT_EQ(trainer.try_evaluate({TrainerBatch(good).input, {}}, evaluation).message().substr(0, 19),
            "evaluate: `labels` ");
  EXPECT_EQ(trainer.try_save({.type = SafetensorsType::BF16}).status().message(),
            "save: `type` is BF16; allowed: F32 or F16");
  EXPECT_EQ(trainer.try_save({.type = SafetensorsType::F16, .optimizer = true}).status().message(),
            "save: `optimizer` is true; allowed: false with `type` F16, since moments need float32");
  EXPECT_EQ(trainer.step(), 0u);
  trainer.train(good);
  twin.train(good);
  EXPECT_EQ(trainer.save(), twin.save());
}

TEST(Trainer, RefusesAStepThatWouldRuinTheWeights) {
  const std::string config = tiny();
  Trainer trainer({.spec = raise(spec_from_config(config)),
                   .seed = 5,
                   .optimizer = {.learning_rate = 1e38, .weight_decay = 0}});
  Random random(28);
  const Batch batch = copy_left(random, 4);
  trainer.train(batch);
  const std::vector<std::byte> before = trainer.save();
  TrainingStep step;
  const Status status = trainer.try_train(batch, step);
  EXPECT_EQ(status.code(), Status::Code::range);
  EXPECT_EQ(status.message().substr(0, 33), "train: the gradient of step 2 is ") << status.message();
  EXPECT_EQ(trainer.save(), before);
  EXPECT_EQ(trainer.step(), 1u);
}

}  // namespace trainer_test
