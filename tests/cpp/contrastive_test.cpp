// The contrastive objective: against a float64 computation of its own, against differences of the loss, and what it
// refuses.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "each_architecture.hpp"
#include "model/parameters/table.hpp"
#include "nn/loss.hpp"
#include "ropewalk/encoder.hpp"
#include "ropewalk/trainer.hpp"

namespace contrastive_test {

using namespace ropewalk;

const char* const roformer = R"({"model_type": "roformer", "vocab_size": 23, "hidden_size": 16,
  "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 24, "type_vocab_size": 2,
  "max_position_embeddings": 16, "hidden_dropout_prob": 0, "attention_probs_dropout_prob": 0,
  "initializer_range": 0.3})";
const char* const bert =
    R"({"model_type": "bert", "vocab_size": 23, "hidden_size": 16, "num_hidden_layers": 2,
  "num_attention_heads": 2, "intermediate_size": 24, "type_vocab_size": 2, "max_position_embeddings": 16,
  "hidden_dropout_prob": 0, "attention_probs_dropout_prob": 0, "initializer_range": 0.3})";
const char* const modernbert = R"({"model_type": "modernbert", "vocab_size": 23, "hidden_size": 16,
  "num_hidden_layers": 4, "num_attention_heads": 2, "intermediate_size": 24, "max_position_embeddings": 16,
  "global_attn_every_n_layers": 3, "local_attention": 4, "global_rope_theta": 160000.0,
  "local_rope_theta": 10000.0, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "cls_token_id": 1,
  "sep_token_id": 2, "initializer_range": 0.3})";

constexpr std::size_t sequences = 10, tokens = 7, width = 16;

struct Data {
  std::vector<std::int32_t> ids, mask;
  EncoderInput input() const {
    return {.input_ids = ids, .batch = sequences, .sequence = tokens, .attention_mask = mask};
  }
};

// Sequences of different lengths, two of which fill the row; a gap within one.
Data data() {
  Data made;
  Random random(3);
  for (std::size_t b = 0; b < sequences; ++b) {
    const std::size_t length = b < 2 ? tokens : 2 + random.below(tokens - 2);
    for (std::size_t t = 0; t < tokens; ++t) {
      made.ids.push_back(static_cast<std::int32_t>(3 + random.below(20)));
      made.mask.push_back(t < length && !(b == 1 && t == 3) ? 1 : 0);
    }
  }
  return made;
}

TrainerOptions options_of(const char* config, ContrastiveOptions contrastive,
                          std::span<const std::byte> weights = {}) {
  return {.spec = raise(spec_from_config(config)),
          .weights = weights,
          .seed = 5,
          .objective = Objective::contrastive,
          .contrastive = contrastive,
          .shards = 3,
          .threads = 2};
}

// The definition, in float64 and without a thought for speed.
struct Reference {
  double loss = 0, accuracy = 0;
};

std::vector<double> pooled(Pooling pooling, const float* hidden, const std::int32_t* mask) {
  std::vector<double> sum(width, pooling == Pooling::max ? -INFINITY : 0.0);
  double weights = 0;
  std::size_t count = 0, last = 0;
  for (std::size_t t = 0; t < tokens; ++t) {
    if (mask[t] == 0) continue;
    ++count;
    last = t;
    const double weight = pooling == Pooling::weightedmean ? static_cast<double>(t + 1) : 1;
    weights += weight;
    for (std::size_t c = 0; c < width; ++c) {
      const double x = double{hidden[t * width + c]};
      sum[c] = pooling == Pooling::max ? std::max(sum[c], x) : sum[c] + weight * x;
    }
  }
  for (std::size_t c = 0; c < width; ++c) {
    if (pooling == Pooling::cls) sum[c] = double{hidden[c]};
    if (pooling == Pooling::last) sum[c] = double{hidden[last * width + c]};
    if (pooling == Pooling::mean || pooling == Pooling::weightedmean) sum[c] /= weights;
    if (pooling == Pooling::mean_sqrt_len) sum[c] /= std::sqrt(static_cast<double>(count));
  }
  return sum;
}

double cosine(const std::vector<double>& a, const std::vector<double>& b) {
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t c = 0; c < a.size(); ++c) {
    ab += a[c] * b[c];
    aa += a[c] * a[c];
    bb += b[c] * b[c];
  }
  return ab / std::sqrt(aa * bb);
}

Reference reference(const char* config, std::span<const std::byte> weights, const Data& given,
                    const ContrastiveOptions& options) {
  Encoder encoder = raise(Encoder::make(config, weights, Precision::float32));
  EncoderOutput output;
  raise(encoder.try_forward(given.input(), {}, output));
  std::vector<std::vector<double>> vectors;
  for (std::size_t b = 0; b < sequences; ++b) {
    vectors.push_back(pooled(options.pooling, output.last_hidden_state.data() + b * tokens * width,
                             given.mask.data() + b * tokens));
  }
  Reference result;
  const std::size_t pairs = sequences / 2, directions = options.symmetric ? 2 : 1;
  for (std::size_t direction = 0; direction < directions; ++direction) {
    for (std::size_t i = 0; i < pairs; ++i) {
      double sum = 0, own = 0, best = -INFINITY;
      for (std::size_t j = 0; j < pairs; ++j) {
        const double score =
            cosine(vectors[2 * i + direction], vectors[2 * j + 1 - direction]) / options.temperature;
        sum += std::exp(score);
        best = std::max(best, score);
        if (i == j) own = score;
      }
      const double share = 1 / static_cast<double>(pairs * directions);
      result.loss += share * (std::log(sum) - own);
      result.accuracy += own == best ? share : 0;
    }
  }
  return result;
}

class ContrastiveTraining : public EachArchitecture {};
ON_EACH_ARCHITECTURE(ContrastiveTraining);

TEST_P(ContrastiveTraining, LossEqualsTheDefinition) {
  const Data given = data();
  for (const char* config : {roformer, bert, modernbert}) {
    for (const ContrastiveOptions options : {ContrastiveOptions{},
                                             {.temperature = 0.5, .symmetric = false},
                                             {.temperature = 0.2, .pooling = Pooling::cls},
                                             {.temperature = 0.2, .pooling = Pooling::max},
                                             {.temperature = 0.2, .pooling = Pooling::mean_sqrt_len},
                                             {.temperature = 0.2, .pooling = Pooling::weightedmean},
                                             {.temperature = 0.2, .pooling = Pooling::last}}) {
      Trainer trainer(options_of(config, options));
      const Evaluation found = trainer.evaluate({.input = given.input()});
      const Reference expected = reference(config, trainer.save(), given, options);
      EXPECT_LE(std::fabs(found.loss - expected.loss), 1e-5 * std::max(1.0, expected.loss))
          << config << name_of(options.pooling);
      EXPECT_NEAR(found.accuracy, expected.accuracy, 1e-9);
    }
  }
}

// Along its own gradient the loss falls by the gradient's squared length, in the definition as well.
TEST_P(ContrastiveTraining, GradientsEqualDifferencesOfTheDefinition) {
  const Data given = data();
  for (const char* config : {roformer, bert, modernbert}) {
    for (const ContrastiveOptions options : {ContrastiveOptions{.temperature = 0.3},
                                             {.temperature = 0.5, .symmetric = false},
                                             {.temperature = 0.3, .pooling = Pooling::cls},
                                             {.temperature = 0.3, .pooling = Pooling::mean_sqrt_len},
                                             {.temperature = 0.3, .pooling = Pooling::weightedmean},
                                             {.temperature = 0.3, .pooling = Pooling::max},
                                             {.temperature = 0.3, .pooling = Pooling::last}}) {
      Trainer trainer(options_of(config, options));
      const std::vector<std::byte> weights = trainer.save();
      const Gradients found = trainer.gradients({.input = given.input()});
      double slope = 0;
      for (const NamedGradient& each : found.parameters)
        for (const float g : each.values) slope += double{g} * double{g};
      ASSERT_GT(slope, 0);

      const Safetensors file = raise(Safetensors::open(weights));
      const auto moved = [&](double step) {
        std::vector<std::vector<float>> values;
        std::vector<SafetensorsSource> sources;
        for (const NamedGradient& each : found.parameters) {
          std::vector<float> value(each.values.size());
          raise(try_read_float32(*file.find(each.name), value));
          for (std::size_t i = 0; i < value.size(); ++i)
            value[i] = static_cast<float>(double{value[i]} + step * double{each.values[i]});
          values.push_back(std::move(value));
        }
        for (std::size_t i = 0; i < values.size(); ++i)
          sources.push_back({found.parameters[i].name, found.parameters[i].shape, values[i]});
        const SafetensorsLayout layout = raise(SafetensorsLayout::make(sources, SafetensorsType::F32));
        std::vector<std::byte> bytes(layout.size());
        raise(layout.try_write(bytes));
        return reference(config, bytes, given, options).loss;
      };
      const double step = 2e-3 / std::sqrt(slope);
      const double difference = (moved(step) - moved(-step)) / (2 * step);
      EXPECT_LE(std::fabs(difference - slope) / slope, 5e-3) << config << name_of(options.pooling);
    }
  }
}

TEST(ContrastiveObjective, DependsOnShardsByRoundingAlone) {
  const Data given = data();
  TrainerOptions options = options_of(roformer, {});
  Trainer three(options);
  options.shards = 1;
  Trainer one(options);
  const Gradients a = three.gradients({.input = given.input()}), b = one.gradients({.input = given.input()});
  EXPECT_NEAR(a.loss, b.loss, 1e-5 * b.loss);
  for (std::size_t i = 0; i < a.parameters.size(); ++i) {
    double largest = 0, worst = 0;
    for (std::size_t k = 0; k < a.parameters[i].values.size(); ++k) {
      largest = std::max(largest, std::fabs(double{b.parameters[i].values[k]}));
      worst =
          std::max(worst, std::fabs(double{a.parameters[i].values[k]} - double{b.parameters[i].values[k]}));
    }
    EXPECT_LE(worst, std::max(1e-4 * largest, 1e-5)) << a.parameters[i].name;
  }
}

TEST(ContrastiveObjective, LearnsWhichTextsBelongTogether) {
  const Data given = data();
  for (const char* config : {roformer, bert, modernbert}) {
    TrainerOptions options = options_of(config, {});
    options.optimizer.learning_rate = 3e-3;
    Trainer trainer(options);
    for (int i = 0; i < 150; ++i) trainer.train({.input = given.input()});
    EXPECT_EQ(trainer.evaluate({.input = given.input()}).accuracy, 1) << config;
    EXPECT_TRUE(trainer.spec().heads.empty());
  }
}

TEST(ContrastiveObjective, StartsFromACheckpointWithAnotherHead) {
  const Data given = data();
  Trainer first({.spec = raise(spec_from_config(roformer)), .seed = 1});
  const std::vector<std::byte> weights = first.save();
  Trainer second(options_of(roformer, {}, weights));
  const Reference expected = reference(roformer, weights, given, {});
  EXPECT_NEAR(second.evaluate({.input = given.input()}).loss, expected.loss, 1e-5 * expected.loss);
}

TEST(ContrastiveObjective, RefusesByName) {
  const Data given = data();
  const auto refused = [](ContrastiveOptions options) {
    const Result<Trainer> made = Trainer::make(options_of(roformer, options));
    return made.ok() ? "" : made.status().message();
  };
  EXPECT_EQ(refused({.temperature = 0}),
            "trainer: `contrastive.temperature` is 0; allowed: a number from 0.001 to 1000");
  Trainer trainer(options_of(roformer, {}));
  Evaluation evaluation;
  EncoderInput input = given.input();
  input.batch = 2;
  input.sequence = 35;
  EXPECT_EQ(trainer.try_evaluate({.input = input}, evaluation).message(),
            "evaluate: `batch` is 2; allowed: an even number of at least 4, since neighbours are pairs");
  input.batch = 5;
  input.sequence = 14;
  EXPECT_EQ(trainer.try_evaluate({.input = input}, evaluation).message(),
            "evaluate: `batch` is 5; allowed: an even number of at least 4, since neighbours are pairs");
  const std::vector<std::int32_t> labels(sequences);
  EXPECT_EQ(trainer.try_evaluate({.input = given.input(), .labels = labels}, evaluation).message(),
            "evaluate: `labels` has 10 elements; allowed: 0 with the contrastive objective");
}

}  // namespace contrastive_test
