// Every position encoding of the model: loss, logits and gradients against tests/golden/training, and checkpoints there and
// back.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "checkpoint.hpp"
#include "each_architecture.hpp"
#include "golden_training.hpp"
#include "model/model.hpp"
#include "model_pass.hpp"
#include "position_encodings.hpp"

namespace ropewalk {
namespace position_encoding_golden_test {

using golden::Case;
using golden::Data;
using golden::data_of;
using golden::largest;
using model::Model;
using model::Pass;
using model::Workspace;
using model_pass::encode;
using model_pass::learn;
using position_encodings::golden_encodings;

double largest_difference(std::span<const float> actual, const std::vector<double>& expected) {
  EXPECT_EQ(actual.size(), expected.size());
  double worst = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double difference = std::fabs(actual[i] - expected[i]);
    if (!(difference <= worst)) worst = difference;  // NaN wins
  }
  return worst;
}

class PositionEncodingGoldenOn : public EachArchitecture {};
ON_EACH_ARCHITECTURE(PositionEncodingGoldenOn);

TEST_P(PositionEncodingGoldenOn, LossLogitsAndGradientsEqualTheReference) {
  for (const std::string encoding : golden_encodings) {
    SCOPED_TRACE(encoding);
    Case c(encoding);
    EXPECT_TRUE(c.model.notes().empty());
    const Data data = data_of(c.expected);
    Workspace workspace;
    Pass pass{.compute = c.model.compute()};
    const float* const hidden = encode(c.model, data.input(), {.logits = true}, {}, workspace, pass);
    c.model.run_heads(pass, hidden);
    const std::vector<double> logits = c.expected["logits"];
    const double logits_error = largest_difference(c.model.outputs(pass, hidden)[1].values, logits);
    EXPECT_LE(logits_error, 5e-5);

    const auto [loss, gradients] = learn(c.model, "masked_lm", data.input(), data.labels, {}, workspace);
    const double loss_expected = c.expected["loss"];
    const double loss_error = std::fabs(loss.loss - loss_expected) / loss_expected;
    EXPECT_LE(loss_error, 1e-6);

    double worst = 0;
    std::string worst_name;
    std::size_t compared = 0;
    for (const model::parameters::Parameter& parameter : c.model.table().all()) {
      ASSERT_TRUE(c.expected["gradients"].contains(parameter.name)) << parameter.name;
      const std::vector<double> reference = c.expected["gradients"][parameter.name];
      const double difference =
          largest_difference(std::span(gradients).subspan(parameter.offset, parameter.size), reference);
      ++compared;
      // A softmax does not see a bias that all keys share: the gradient is 0 but for rounding.
      if (largest(reference) < 1e-12) {
        EXPECT_LE(difference, 1e-7) << parameter.name;
        continue;
      }
      const double error = difference / largest(reference);
      EXPECT_LE(error, 1e-4) << parameter.name;
      if (error > worst) worst_name = parameter.name;
      worst = std::max(worst, error);
    }
    EXPECT_EQ(compared, c.expected["gradients"].size());
    std::printf("  %s %s: logits %.1e, loss %.1e, gradients %.1e (%s)\n", GetParam().c_str(),
                encoding.c_str(), logits_error, loss_error, worst, worst_name.c_str());
  }
}

std::vector<std::byte> saved(const Model& model) {
  const SafetensorsLayout layout = raise(model.safetensors());
  std::vector<std::byte> file(layout.size());
  raise(layout.try_write(file));
  return file;
}

TEST(PositionEncoding, CheckpointsSurviveSavingAndLoading) {
  for (const std::string encoding : golden_encodings) {
    SCOPED_TRACE(encoding);
    Case c(encoding);
    const std::vector<std::byte> file = saved(c.model);
    const std::string config = checkpoint::text("training/" + encoding + "/config.json");
    Encoder before = raise(Encoder::make(config, c.bytes)), after = raise(Encoder::make(config, file));
    EXPECT_TRUE(after.notes().empty());
    const Data data = data_of(c.expected);
    const EncoderWants wants{.attentions = true};
    const EncoderOutput one = before.forward(data.input(), wants), two = after.forward(data.input(), wants);
    EXPECT_TRUE(std::ranges::equal(one.logits, two.logits));
    EXPECT_LE(largest_difference(one.logits, c.expected["logits"]), 5e-5);
    EXPECT_EQ(saved(raise(Model::load(c.spec, raise(Safetensors::open(file))))), file);
    // The weights of a query add up to 1 in every encoding but one, which divides by another sum.
    for (std::size_t i = 0; i < one.attentions[1].size() && encoding != "rope-linear-attention"; i += 11) {
      double sum = 0;
      for (std::size_t j = 0; j < 11; ++j) sum += one.attentions[1][i + j];
      EXPECT_NEAR(sum, 1, 1e-5);
    }
  }
}

}  // namespace position_encoding_golden_test
}  // namespace ropewalk
