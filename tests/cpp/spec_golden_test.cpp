// Specs that are filled by hand, against tests/golden/decoders, which an independent reference computed in
// float64: each sets something that no other does.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "checkpoint.hpp"
#include "each_architecture.hpp"
#include "golden.hpp"
#include "model/model.hpp"
#include "model_pass.hpp"
#include "ropewalk/encoder.hpp"

namespace spec_golden_test {

using namespace ropewalk;

struct Case {
  const char* name;
  /// Its names of tensors.
  const char* family;
  double limit;
  std::function<void(Spec&)> change;
};

/// The spec that the cases share: Llama's layers with the sizes of the files.
Spec decoder() {
  Spec spec;
  spec.vocabulary = 53;
  spec.hidden = 32;
  spec.embedding = {.token_types = 0, .norm = false};
  spec.norm = {.kind = NormKind::rms, .eps = 1e-6, .bias = false};
  spec.placement = NormPlacement::pre;
  spec.final_norm = true;
  spec.attention = {.heads = 4, .key_heads = 2, .bias = false, .output_bias = false, .causal = true};
  spec.feed_forward = {
      .width = 40, .activation = Activation::silu, .gated = true, .bias = false, .output_bias = false};
  spec.heads = {{.kind = "causal_lm", .bias = false, .tied = true}};
  return spec;
}

RopeOptions half(std::size_t head_dim, double base) {
  return {.head_dim = head_dim, .pairing = Pairing::half, .frequencies = frequencies::Default{.base = base}};
}

void make_gemma(Spec& spec, std::size_t layers) {
  spec.norm.kind = NormKind::rms_plus_one;
  spec.placement = NormPlacement::sandwich;
  spec.attention.head_dim = 16;
  spec.feed_forward.activation = Activation::gelu_tanh;
  spec.embedding.scale = std::sqrt(static_cast<double>(spec.hidden));
  spec.embedding.rounds_scale = true;
  spec.layers.assign(layers, {});
}

const Case cases[] = {
    // Sandwich norms, a cap on scores and one on logits, head_dim that is not C/H, a factor of the word
    // vectors.
    {"gemma2", "gemma2", 5e-5,
     [](Spec& spec) {
       make_gemma(spec, 3);
       spec.attention.scale = 1 / std::sqrt(20.0);
       spec.attention.soft_cap = 4;
       spec.positions = positions::Rope{.ropes = {half(16, 10000)}};
       spec.layers[0].window = spec.layers[2].window = 7;
       spec.heads[0].soft_cap = 3;
     }},
    // Norms of queries and keys, two ropes, a factor that is rounded to bfloat16.
    {"gemma3-bf16", "gemma3", 5e-5,
     [](Spec& spec) {
       spec.hidden = 40;
       make_gemma(spec, 3);
       spec.attention.qk_norm = spec.norm;
       spec.attention.scale = 1 / std::sqrt(24.0);
       RopeOptions full = half(16, 1000000);
       full.frequencies = frequencies::Linear{.base = 1000000, .factor = 8};
       spec.positions = positions::Rope{.ropes = {half(16, 10000), full}};
       spec.layers[0].window = spec.layers[2].window = 9;
       spec.layers[1].rope = 1;
     }},
    // Attention and feed-forward side by side, projections head by head, a quarter of each head rotates.
    {"gpt-neox", "gpt_neox", 2e-5,
     [](Spec& spec) {
       spec.vocabulary = 59;
       spec.norm = {.eps = 1e-5};
       spec.placement = NormPlacement::parallel;
       spec.attention = {.heads = 2, .packing = AttentionSpec::Packing::per_head, .causal = true};
       spec.feed_forward = {.width = 64};
       RopeOptions rope = half(16, 10000);
       rope.rotary_dim = 4;
       spec.positions = positions::Rope{.ropes = {rope}};
       spec.layers.assign(2, {});
       spec.heads[0].tied = false;
     }},
    // A layer that does not rotate.
    {"smollm3", "smollm3", 2e-5,
     [](Spec& spec) {
       spec.positions = positions::Rope{.ropes = {half(8, 5000000)}};
       spec.layers.assign(4, {});
       spec.layers[3].rope.reset();
     }},
};

/// Qwen3: norms of queries and keys, and head_dim that is not C/H.
Spec trained() {
  Spec spec = decoder();
  spec.family = "qwen3";
  spec.vocabulary = 23;
  spec.hidden = 16;
  spec.attention.head_dim = 6;
  spec.attention.qk_norm = spec.norm;
  spec.feed_forward.width = 24;
  spec.positions = positions::Rope{.ropes = {half(6, 1000000)}};
  spec.layers.assign(2, {});
  spec.hidden_dropout = spec.attention_dropout = 0;
  return spec;
}

std::vector<std::byte> weights(const std::string& folder) {
  return checkpoint::bytes(folder + "/model.safetensors");
}

double distance(std::span<const float> actual, const std::vector<double>& expected) {
  EXPECT_EQ(actual.size(), expected.size());
  if (actual.size() != expected.size()) return INFINITY;
  double worst = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double difference = std::fabs(double{actual[i]} - expected[i]);
    if (!(difference <= worst)) worst = difference;  // NaN wins
  }
  return worst;
}

class GoldenSpecs : public EachArchitecture {};
ON_EACH_ARCHITECTURE(GoldenSpecs);

TEST_P(GoldenSpecs, HiddenStatesAndLogitsEqualTheReference) {
  for (const Case& each : cases) {
    SCOPED_TRACE(each.name);
    const std::string folder = std::string("decoders/") + each.name;
    Spec spec = decoder();
    spec.family = each.family;
    each.change(spec);
    Encoder model(spec, weights(folder));
    const nlohmann::json expected = golden::read(folder + "/expected.json");
    const std::vector<std::int32_t> ids = expected["ids"];
    const std::vector<std::size_t> rows = expected["hidden_rows"];
    const EncoderOutput output = model.forward({ids, 1, ids.size()}, {.logits = true, .hidden_states = true});
    const auto taken = [&](std::span<const float> all) {
      std::vector<float> some;
      for (const std::size_t row : rows) {
        const auto at = all.subspan(row * spec.hidden, spec.hidden);
        some.insert(some.end(), at.begin(), at.end());
      }
      return some;
    };
    double worst = distance(taken(output.last_hidden_state), expected["final_norm"]);
    ASSERT_EQ(output.hidden_states.size(), expected["hidden_states"].size());
    for (std::size_t l = 0; l < output.hidden_states.size(); ++l)
      worst = std::max(worst, distance(taken(output.hidden_states[l]), expected["hidden_states"][l]));
    worst = std::max(worst, distance(output.logits, expected["logits"]));
    EXPECT_LE(worst, each.limit);
    std::printf("  %s %s: %.1e\n", GetParam().c_str(), each.name, worst);
  }
}

TEST_P(GoldenSpecs, GradientsEqualTheReference) {
  const std::string folder = "decoders/train-qwen3";
  const std::vector<std::byte> file = weights(folder);
  const nlohmann::json expected = golden::read(folder + "/expected.json");
  const std::vector<std::int32_t> ids = expected["input_ids"], labels = expected["labels"];
  const model::Model model = raise(model::Model::load(trained(), open_safetensors(file)));
  model::Workspace workspace;
  const model_pass::Learned found = model_pass::learn(
      model, "causal_lm", {ids, expected["shape"][0], expected["shape"][1]}, labels, {}, workspace);
  const double loss = expected["loss"];
  EXPECT_LE(std::fabs(found.loss.loss - loss) / loss, 1e-6);
  ASSERT_EQ(model.table().all().size(), expected["gradients"].size());
  double worst = 0;
  for (const model::parameters::Parameter& parameter : model.table().all()) {
    const std::vector<double> values = expected["gradients"][parameter.name];
    double largest = 0;
    for (const double value : values) largest = std::max(largest, std::fabs(value));
    const auto gradient = std::span(found.gradients).subspan(parameter.offset, parameter.size);
    worst = std::max(worst, distance(gradient, values) / largest);
    EXPECT_LE(worst, 2e-5) << parameter.name;
  }
  std::printf("  %s: gradients %.1e\n", GetParam().c_str(), worst);
}

TEST(GoldenSpec, TheFactorOfWordVectorsFollowsTheType) {
  Spec spec = decoder();
  spec.family = cases[1].family;
  cases[1].change(spec);
  const std::vector<std::byte> file = weights("decoders/gemma3-bf16");
  const nlohmann::json scale = golden::read("decoders/gemma3-bf16/expected.json")["embedding_scale"];
  EXPECT_EQ(Encoder(spec, file).spec().embedding.scale, scale["used"].get<double>());
  spec.embedding.rounds_scale = false;
  EXPECT_EQ(Encoder(spec, file).spec().embedding.scale, scale["unrounded"].get<double>());
}

}  // namespace spec_golden_test
