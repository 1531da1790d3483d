// The encoder-decoder against tests/golden/decoders/train-translation, which an independent reference computed in
// float64 and Hugging Face's MarianMTModel confirmed.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "checkpoint.hpp"
#include "each_architecture.hpp"
#include "golden.hpp"
#include "translation/translator.hpp"

namespace ropewalk::translation {
namespace translation_test {

const std::string folder = "decoders/train-translation";

/// The batch of the reference.
struct Batch {
  nlohmann::json expected = golden::read(folder + "/expected.json");
  std::string config = checkpoint::text(folder + "/config.json");
  std::vector<std::byte> weights = checkpoint::bytes(folder + "/model.safetensors");
  std::vector<std::int32_t> sources = expected["input_ids"], mask = expected["attention_mask"],
                            inputs = expected["decoder_input_ids"], labels = expected["labels"];

  Sentences sentences() const {
    const auto &source = expected["shape"]["source"], &target = expected["shape"]["target"];
    return {.batch = source[0],
            .source_tokens = source[1],
            .target_tokens = target[1],
            .sources = sources,
            .source_mask = mask,
            .inputs = inputs,
            .labels = labels};
  }
  Translator translator(double smoothing = 0) const {
    return raise(Translator::make({.config = config, .weights = weights, .smoothing = smoothing}));
  }
};

double worst_difference(std::span<const float> found, const std::vector<double>& expected) {
  EXPECT_EQ(found.size(), expected.size());
  double worst = 0;
  for (std::size_t i = 0; i < std::min(found.size(), expected.size()); ++i)
    worst = std::max(worst, std::fabs(double{found[i]} - expected[i]));
  return worst;
}

void expect_gradients(const Gradients& found, double loss, const nlohmann::json& gradients) {
  EXPECT_LE(std::fabs(found.loss - loss) / loss, 1e-6);
  std::size_t compared = 0;
  for (const NamedGradient& each : found.parameters) {
    if (!gradients.contains(each.name)) continue;
    ++compared;
    const std::vector<double> values = gradients[std::string(each.name)];
    double largest = 0;
    for (const double value : values) largest = std::max(largest, std::fabs(value));
    EXPECT_LE(worst_difference(each.values, values), std::max(2e-5 * largest, 1e-6)) << each.name;
  }
  EXPECT_EQ(compared, gradients.size());
}

class TranslationOn : public EachArchitecture {};
ON_EACH_ARCHITECTURE(TranslationOn);

TEST_P(TranslationOn, MemoryLogitsLossAndGradientsEqualTheReference) {
  const Batch batch;
  Translator translator = batch.translator();
  Evaluation evaluation;
  raise(translator.try_evaluate(batch.sentences(), evaluation));
  EXPECT_NEAR(evaluation.loss, batch.expected["loss"].get<double>(), 1e-5);
  EXPECT_LE(worst_difference(translator.logits(), batch.expected["logits"]), 2e-5);
  Gradients gradients;
  raise(translator.try_gradients(batch.sentences(), gradients));
  expect_gradients(gradients, batch.expected["loss"], batch.expected["gradients"]);
  EXPECT_EQ(gradients.parameters.size(), batch.expected["gradients"].size());
  EXPECT_LE(worst_difference(translator.memory(), batch.expected["memory"]), 2e-5);
}

TEST_P(TranslationOn, SmoothedLossAndGradientsEqualTheReference) {
  const Batch batch;
  const nlohmann::json& smoothed = batch.expected["smoothed"];
  Translator translator = batch.translator(smoothed["epsilon"]);
  Gradients gradients;
  raise(translator.try_gradients(batch.sentences(), gradients));
  expect_gradients(gradients, smoothed["loss"], smoothed["gradients"]);
}

TEST_P(TranslationOn, WritesTheReferencesLikeliestWords) {
  const Batch batch;
  Translator translator = batch.translator();
  const nlohmann::json& tokens = batch.expected["greedy"]["tokens"];
  std::vector<std::vector<std::int32_t>> found;
  raise(translator.try_translate(batch.sentences(), tokens[0].size(), found));
  ASSERT_EQ(found.size(), tokens.size());
  for (std::size_t b = 0; b < found.size(); ++b) {
    std::vector<std::int32_t> expected = tokens[b];
    const auto end = std::ranges::find(expected, 1);
    expected.erase(end, expected.end());
    EXPECT_EQ(found[b], expected);
  }
}

TEST(Translation, LearnsSentencesByHeart) {
  const Batch batch;
  Translator translator = raise(
      Translator::make({.config = batch.config, .optimizer = {.learning_rate = 0.01}, .smoothing = 0.1}));
  TrainingStep step;
  for (int i = 0; i < 200; ++i) raise(translator.try_train(batch.sentences(), step));
  Evaluation evaluation;
  raise(translator.try_evaluate(batch.sentences(), evaluation));
  EXPECT_EQ(evaluation.accuracy, 1);
}

TEST(Translation, RefusesWhatDoesNotFit) {
  const Batch batch;
  Translator translator = batch.translator();
  Sentences sentences = batch.sentences();
  std::vector<std::int32_t> inputs = batch.inputs;
  inputs[3] = 27;
  sentences.inputs = inputs;
  Evaluation evaluation;
  EXPECT_EQ(translator.try_evaluate(sentences, evaluation).message(),
            "translator: `inputs` is 27; allowed: ids of the vocabulary");
}

}  // namespace translation_test
}  // namespace ropewalk::translation
