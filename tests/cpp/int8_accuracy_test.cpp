// The error of 8-bit weights on models whose weights are like those of trained ones: normal, of standard deviation 0.06.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ostream>
#include <span>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/random.hpp"
#include "model/model.hpp"
#include "ropewalk/encoder.hpp"
#include "ropewalk/safetensors.hpp"

namespace int8_accuracy_test {

using namespace ropewalk;

constexpr std::size_t texts = 1000, vocabulary = 1000;

struct Shape {
  const char* family;
  std::size_t hidden, layers, feed_forward;
  /// The least that is expected: on average, and at worst.
  double mean, worst;
};
void PrintTo(const Shape& shape, std::ostream* out) {
  *out << shape.family << " " << shape.hidden << " x " << shape.layers;
}

/// A model.safetensors with weights N(0, 0.06^2) and neutral norms.
std::vector<std::byte> random_checkpoint(const Spec& spec) {
  model::Model model = raise(model::Model::make(spec));
  Random random(11);
  model::parameters::initialise(model.table(), 0.06F, model.parameters(), [&] { return random.normal(); });
  const SafetensorsLayout layout = raise(model.safetensors());
  std::vector<std::byte> bytes(layout.size());
  raise(layout.try_write(bytes));
  return bytes;
}

double dot(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += double{a[i]} * b[i];
  return sum;
}

std::vector<float> sum_of_rows(std::span<const float> rows, std::size_t hidden) {
  std::vector<float> sum(hidden);
  for (std::size_t i = 0; i < rows.size(); ++i) sum[i % hidden] += rows[i];
  return sum;
}

/// Squares of errors and of values, of the hidden states before the first layer and after each one.
struct Errors {
  explicit Errors(std::size_t layers) : error(layers + 1), size(layers + 1) {}
  std::vector<double> error, size;
  void add(const EncoderOutput& exact, const EncoderOutput& near) {
    for (std::size_t l = 0; l < size.size(); ++l) {
      for (std::size_t i = 0; i < exact.hidden_states[l].size(); ++i) {
        const double value = exact.hidden_states[l][i], difference = value - near.hidden_states[l][i];
        error[l] += difference * difference;
        size[l] += value * value;
      }
    }
  }
  double of(std::size_t layer) const { return std::sqrt(error[layer] / size[layer]); }
};

class Int8Accuracy : public testing::TestWithParam<Shape> {};

TEST_P(Int8Accuracy, VectorsKeepTheirDirection) {
#if defined(__wasm__)
  GTEST_SKIP() << "int8_bits_test.cpp shows that WebAssembly has the same bits, and this takes a while";
#endif
  const auto& [family, hidden, layers, feed_forward, least_mean, least] = GetParam();
  const nlohmann::json config = {{"model_type", family},         {"vocab_size", vocabulary},
                                 {"hidden_size", hidden},        {"num_hidden_layers", layers},
                                 {"num_attention_heads", 4},     {"intermediate_size", feed_forward},
                                 {"max_position_embeddings", 64}};
  Spec spec = raise(spec_from_config(config.dump()));
  spec.heads.clear();
  const std::vector<std::byte> checkpoint = random_checkpoint(spec);
  Encoder exact(spec, checkpoint), near(spec, checkpoint, Precision::int8);
  Random random(5);
  Errors errors(layers);
  double mean = 0, worst = 1;
  for (std::size_t text = 0; text < texts; ++text) {
    std::vector<std::int32_t> ids(4 + random.below(9));
    for (std::int32_t& id : ids) id = static_cast<std::int32_t>(1 + random.below(vocabulary - 1));
    const EncoderInput input{.input_ids = ids, .sequence = ids.size()};
    const EncoderWants wants{.logits = false, .hidden_states = text < 100};
    const EncoderOutput expected = exact.forward(input, wants), found = near.forward(input, wants);
    if (wants.hidden_states) errors.add(expected, found);
    // Vectors by mean pooling, whose length does not matter.
    const std::vector<float> a = sum_of_rows(expected.last_hidden_state, hidden),
                             b = sum_of_rows(found.last_hidden_state, hidden);
    const double cosine = dot(a, b) / std::sqrt(dot(a, a) * dot(b, b));
    mean += cosine / texts;
    worst = std::min(worst, cosine);
  }
  std::printf("  %s, %zu wide: cosine to float32 %.5f on average, %.5f at worst; errors of words and layers:",
              family, hidden, mean, worst);
  for (std::size_t l = 0; l <= layers; ++l) {
    std::printf(" %.4f", errors.of(l));
    EXPECT_GT(errors.of(l), 0) << l;
    EXPECT_LT(errors.of(l), 0.1) << l;
  }
  std::printf("\n");
  EXPECT_GE(mean, least_mean);
  EXPECT_GE(worst, least);
}

// The first two have the shapes of tests/golden/encoders. Errors of layers add up, and grow with the width: the weights
// are as large, so that branches weigh more beside what they are added to.
INSTANTIATE_TEST_SUITE_P(Shapes, Int8Accuracy,
                         testing::Values(Shape{"bert", 32, 3, 40, 0.999, 0.995},
                                         Shape{"modernbert", 32, 4, 24, 0.999, 0.995},
                                         Shape{"bert", 256, 6, 768, 0.998, 0.995},
                                         Shape{"modernbert", 256, 6, 768, 0.997, 0.995}));

}  // namespace int8_accuracy_test
