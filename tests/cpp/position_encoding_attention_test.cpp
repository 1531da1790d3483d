// One layer's attention alone, forward and backward, against the specification of each position encoding in float64, whose
// gradient is taken by differences.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "each_architecture.hpp"
#include "golden_training.hpp"
#include "model/families/family.hpp"
#include "model/position_encoding/kinds.hpp"
#include "model/position_encoding/position_encoding.hpp"
#include "nn_support.hpp"
#include "reference/position_encoding.hpp"
#include "test_data.hpp"

namespace ropewalk {
namespace position_encoding_attention_test {

using golden::largest;
using nn_support::scratch;

using Projections = reference::Projections<double>;
using Parameters = std::vector<std::vector<double>>;  // in the order of the table

struct Specification {
  const char* encoding;
  // `given` is what the constants are taken from that gradients take as given.
  std::function<std::vector<double>(const Projections& x, const Parameters&, const Projections& given)>
      attend;
  const char* changes = "{}";  // keys of config.json
  std::size_t parts = 1;       // heads of attention that each head of projections makes
};

std::vector<double> performer_directions(std::size_t features, std::size_t head_dim) {
  std::vector<float> w(features * head_dim);
  raise(model::position_encoding::performer_features(w, features, head_dim, 0, 0));
  return {w.begin(), w.end()};
}

const Specification specifications[] = {
    {"t5", [](auto& x, auto& p, auto&) { return attend_t5(x, p[0]); }},
    {"alibi", [](auto& x, auto&, auto&) { return reference::attend_alibi(x, 1.0, 1.0); }},
    {"alibi-asymmetric", [](auto& x, auto&, auto&) { return reference::attend_alibi(x, 1.0, 0.5); }},
    {"transformer-xl", [](auto& x, auto& p, auto&) { return attend_transformer_xl(x, p[0], p[1], p[2]); }},
    {"rope-receptive-field", [](auto& x, auto& p, auto&) { return attend_receptive_field(x, p[0], p[1]); }},
    {"rope-linear-attention", [](auto& x, auto&, auto&) { return attend_linear(x); }},
    {"rope-performer",
     [](auto& x, auto&, auto& given) { return attend_performer(x, performer_directions(5, 4), given); }},
    {"clipped-rope", [](auto& x, auto&, auto&) { return reference::attend_clipped(x, 2); },
     R"({"rotary_clip": 2})"},
    {"pope", [](auto& x, auto& p, auto&) { return attend_pope(x, p[0]); }},
    {"rope-plus-plus", [](auto& x, auto&, auto&) { return attend_rope_plus_plus(x); }, "{}", 2},
    {"distance-bias",
     [](auto& x, auto& p, auto&) { return reference::attend_distance_bias(x, p[0], p[1], 3); },
     R"({"relative_extent": 3, "relative_profiles": 2})"},
    {"distance-bias",
     [](auto& x, auto& p, auto&) { return reference::attend_distance_bias(x, p[0], p[1], 9); },
     R"({"relative_extent": 9, "relative_profiles": 3})"},
};

std::vector<float> floats(const std::vector<double>& x) { return {x.begin(), x.end()}; }

void expect_near(const float* actual, const std::vector<double>& expected, const std::string& what) {
  const double scale = std::max(1.0, largest(expected));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_NEAR(actual[i], expected[i], 4e-6 * scale) << what << " [" << i << "]";
  }
}

/// Numeric gradient of the loss by each element of x, which is changed in place and restored.
std::vector<double> differences(std::vector<double>& x, const std::function<double()>& loss) {
  std::vector<double> gradient;
  for (double& each : x) {
    const double step = 1e-5, before = each;
    each = before + step;
    const double above = loss();
    each = before - step;
    gradient.push_back((above - loss()) / (2 * step));
    each = before;
  }
  return gradient;
}

struct Expected {
  std::vector<double> context, dqkv, dinput;
  std::vector<std::vector<double>> dvalues;  // of each parameter
};

void check_specification(const Specification& specification, bool padding) {
  Projections x{2, 4, 2, 4, {}, {}};
  const std::size_t rows = x.batch * x.tokens, hidden = x.heads * x.head_dim;
  const std::size_t wide = specification.parts * hidden;  // of the context
  TestData sample(17);
  // Whole multiples of 2^-10 are the same in both precisions.
  const auto exact = [&](std::size_t count) {
    std::vector<double> values;
    for (const float value : sample.floats(count)) values.push_back(std::round(value * 1024) / 1024);
    return values;
  };
  x.qkv = exact(rows * 3 * hidden);
  const std::vector<double> dcontext = exact(rows * wide);
  if (padding) x.keys = {1, 1, 1, 0, 0, 1, 0, 1};

  nlohmann::json config = {{"position_encoding", specification.encoding},
                           {"hidden_size", wide},
                           {"num_hidden_layers", 1},
                           {"num_attention_heads", specification.parts * x.heads},
                           {"max_position_embeddings", 16}};
  config.update(nlohmann::json::parse(specification.changes));
  auto positions = raise(model::position_encoding::make(raise(spec_from_config(config.dump()))));
  model::parameters::Table table;
  std::uint32_t slots = 0;
  const model::Names names{};
  model::Builder builder(table, names, slots);
  positions->add_parameters(builder);
  builder = builder.in_layer(0);
  positions->add_layer_parameters(builder);
  Parameters values;
  std::vector<float> weights(table.size()), gradients(table.size());
  for (const model::parameters::Parameter& p : table.all()) {
    values.push_back(exact(p.size));
    for (double& value : values.back()) {
      if (p.initial == model::parameters::Initial::halves) value = 0.5 + value / 8;
    }
    std::ranges::copy(floats(values.back()), weights.begin() + static_cast<std::ptrdiff_t>(p.offset));
  }
  if (positions->reads_input()) x.input = exact(rows * wide);
  raise(positions->update(nn_support::compute(), weights.data()));
  raise(positions->prepare(nn_support::compute(), x.tokens));

  nn::AttentionShape shape{};
  shape.batch = x.batch, shape.tokens = x.tokens, shape.head_dim = x.head_dim;
  shape.heads = specification.parts * x.heads;
  shape.scale = 0.5F;
  shape.token_stride = 3 * hidden;
  nn::AttentionTerms terms;
  if (padding) terms.key_mask = x.keys.data();
  const float nan = std::nanf("");
  std::vector<float> qkv = floats(x.qkv), context(rows * wide, nan), dqkv(qkv.size(), nan);
  std::vector<float> probs(x.batch * shape.heads * x.tokens * x.tokens, nan);
  const std::vector<float> dout = floats(dcontext), input = floats(x.input);
  std::vector<float> dinput(input.size(), nan);
  Buffer<float> forward = scratch(positions->forward_scratch(shape, true));
  positions->attend({.compute = nn_support::compute(),
                     .layer = 0,
                     .shape = shape,
                     .terms = terms,
                     .qkv = qkv.data(),
                     .context = context.data(),
                     .probs = probs.data(),
                     .scratch = forward.data(),
                     .parameters = weights.data(),
                     .x = input.data()});
  Buffer<float> backward = scratch(positions->backward_scratch(shape));
  positions->attend_backward({.compute = nn_support::compute(),
                              .layer = 0,
                              .shape = shape,
                              .terms = terms,
                              .qkv = qkv.data(),
                              .probs = positions->needs_probs() ? probs.data() : nullptr,
                              .dcontext = dout.data(),
                              .dqkv = dqkv.data(),
                              .scratch = backward.data(),
                              .parameters = weights.data(),
                              .gradients = gradients.data(),
                              .x = input.data(),
                              .dx = dinput.data()});

  // The same for every architecture, and slow.
  static std::map<std::pair<std::string, bool>, Expected> known;
  Expected& expected = known[{std::string(specification.encoding) + specification.changes, padding}];
  if (expected.context.empty()) {
    const Projections given = x;
    expected.context = specification.attend(x, values, given);
    const auto loss = [&] { return nn_support::dot(specification.attend(x, values, given), dcontext); };
    expected.dqkv = differences(x.qkv, loss);
    expected.dinput = differences(x.input, loss);
    for (std::vector<double>& each : values) expected.dvalues.push_back(differences(each, loss));
  }
  expect_near(context.data(), expected.context, "context");
  expect_near(dqkv.data(), expected.dqkv, "dqkv");
  expect_near(dinput.data(), expected.dinput, "dx");
  for (std::size_t i = 0; i < values.size(); ++i) {
    const model::parameters::Parameter& p = table.all()[i];
    expect_near(gradients.data() + p.offset, expected.dvalues[i], p.name);
  }
}

class PositionEncodingAttentionOn : public EachArchitecture {};
ON_EACH_ARCHITECTURE(PositionEncodingAttentionOn);

TEST_P(PositionEncodingAttentionOn, AttentionEqualsItsSpecification) {
  for (const Specification& specification : specifications) {
    for (const bool padding : {false, true}) {
      SCOPED_TRACE(std::string(specification.encoding) + (padding ? ", padded" : ""));
      check_specification(specification, padding);
    }
  }
}

}  // namespace position_encoding_attention_test
}  // namespace ropewalk
