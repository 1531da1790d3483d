// Every position encoding of the model: loss, logits and gradients against tests/golden/training, checkpoints
// there and back, what no golden file holds against differences of the loss, and the mathematics that an
// encoding has of its own against plain float64 loops, themselves held to differences.

#include "model/position_encoding/position_encoding.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <optional>

#include "checkpoint.hpp"
#include "each_architecture.hpp"
#include "golden_training.hpp"
#include "model/families/family.hpp"
#include "model/model.hpp"
#include "model/position_encoding/rope_performer.hpp"
#include "model/position_encoding/t5.hpp"
#include "model_pass.hpp"
#include "nn_support.hpp"
#include "reference/position_encoding.hpp"
#include "test_data.hpp"

namespace ropewalk {
namespace position_encoding_test {

using golden::Case;
using golden::Data;
using golden::data_of;
using golden::largest;
using model::Model;
using model::Pass;
using model::Workspace;
using model_pass::encode;
using model_pass::learn;
using nn_support::scratch;

constexpr const char* golden_encodings[] = {"none",
                                            "sinusoidal",
                                            "learned",
                                            "transformer-xl",
                                            "t5",
                                            "alibi",
                                            "rope",
                                            "rope-receptive-field",
                                            "rope-linear-attention",
                                            "pope",
                                            "rope-plus-plus",
                                            "clipped-rope",
                                            "distance-bias"};

double largest_difference(std::span<const float> actual, const std::vector<double>& expected) {
  EXPECT_EQ(actual.size(), expected.size());
  double worst = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double difference = std::fabs(actual[i] - expected[i]);
    if (!(difference <= worst)) worst = difference;  // NaN wins
  }
  return worst;
}

class PositionEncodingOn : public EachArchitecture {};
ON_EACH_ARCHITECTURE(PositionEncodingOn);

TEST_P(PositionEncodingOn, LossLogitsAndGradientsEqualTheReference) {
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

/// Against differences of the loss along the gradient: padding, dropout, rotary values, rules and layouts.
struct Variant {
  const char* encoding;
  const char* changes = "{}";  // keys of config.json
  bool padding = false, dropout = false;
  // The stabilising constants of Performer's features, which its gradient takes as given, leave a trace.
  double tolerance = 1e-3;
};

struct Small {
  explicit Small(const Variant& variant, std::size_t tokens = 7) : dropout{variant.dropout, 5} {
    nlohmann::json json = {{"vocab_size", 13},        {"hidden_size", 24},
                           {"num_hidden_layers", 2},  {"num_attention_heads", 3},
                           {"intermediate_size", 24}, {"max_position_embeddings", 16}};
    json["position_encoding"] = variant.encoding;
    json.update(nlohmann::json::parse(variant.changes));
    Spec spec = raise(spec_from_config(json.dump()));
    spec.heads = {model::head_of(spec, *model::find_head_kind("masked_lm"))};
    model.emplace(raise(Model::make(spec)));
    Random random(11);
    // Larger than models begin with, and away from the zeros of u, v and alpha; but norms about 1, and
    // receptive fields so wide that a step of rho is not a turn.
    model::parameters::initialise(model->table(), 1.0F, model->parameters(), [] { return 0.0; });
    for (const bool of_positions : {false, true}) {
      for (const model::parameters::Parameter& p : model->table().all()) {
        if (p.of_positions != of_positions) continue;
        const double deviation = p.initial == model::parameters::Initial::halves ? 0.08 : 0.3;
        for (std::size_t i = p.offset; i < p.offset + p.size; ++i) {
          model->parameters()[i] += static_cast<float>(deviation * random.normal());
        }
      }
    }
    raise(model->repack());
    Random words(12);  // its own, so that they do not depend on the number of parameters
    data = {2, tokens, {}, {}, {}, {}};
    for (std::size_t i = 0; i < 2 * tokens; ++i) {
      data.ids.push_back(static_cast<std::int32_t>(words.below(13)));
      data.labels.push_back(i % 3 == 1 ? static_cast<std::int32_t>(words.below(13)) : -100);
      if (variant.padding) data.mask.push_back(i >= tokens / 2 && i < tokens ? 0 : 1);
    }
  }
  double loss() {
    return learn(*model, "masked_lm", data.input(), data.labels, dropout, workspace, false).loss.loss;
  }
  std::vector<float> gradients() {
    return learn(*model, "masked_lm", data.input(), data.labels, dropout, workspace).gradients;
  }
  std::optional<Model> model;
  Data data;
  model::Dropout dropout;
  Workspace workspace;
};

/// Along the parameters of `which` the derivative of the loss is the squared length of their gradient; one
/// minus the share of it that differences find.
double directional_error(Small& run, const std::vector<float>& gradients, bool of_positions) {
  std::vector<float> direction(gradients.size());
  double slope = 0;
  for (const model::parameters::Parameter& p : run.model->table().all()) {
    if (of_positions && !p.of_positions) continue;
    for (std::size_t i = p.offset; i < p.offset + p.size; ++i) {
      direction[i] = gradients[i];
      slope += double{gradients[i]} * gradients[i];
    }
  }
  const std::vector<float> before(run.model->parameters().begin(), run.model->parameters().end());
  const auto difference = [&](double step) {
    double at[2];
    for (int side = 0; side < 2; ++side) {
      for (std::size_t i = 0; i < before.size(); ++i) {
        run.model->parameters()[i] =
            static_cast<float>(before[i] + (side == 0 ? -step : step) * direction[i]);
      }
      raise(run.model->repack());
      at[side] = run.loss();
    }
    return (at[1] - at[0]) / (2 * step);
  };
  // Richardson's extrapolation takes the third derivative out.
  const double step = (of_positions ? 4e-3 : 1e-3) / std::sqrt(slope);
  const double error = std::fabs((4 * difference(step) - difference(2 * step)) / 3 / slope - 1);
  std::copy(before.begin(), before.end(), run.model->parameters().begin());
  raise(run.model->repack());
  return error;
}

constexpr Variant variants[] = {
    {"none", "{}", true, true},
    {"sinusoidal", R"({"embedding_size": 9})", true, true},
    {"learned", R"({"embedding_size": 10})", true, true},
    {"transformer-xl"},
    {"transformer-xl", R"({"attention_probs_dropout_prob": 0.2})", true, true},
    {"transformer-xl", R"({"is_decoder": true})"},
    {"t5", "{}", true, true},
    {"t5", R"({"is_decoder": true})"},
    {"alibi", "{}", true, true},
    {"alibi-asymmetric", "{}", true},
    {"rope", R"({"rotary_value": true, "rope_theta": 100})", true, true},
    {"rope",
     R"({"rope_scaling": {"rope_type": "yarn", "factor": 4, "original_max_position_embeddings": 16}})"},
    {"rope", R"({"rope_scaling": {"rope_type": "dynamic", "factor": 4}, "max_position_embeddings": 4})"},
    {"rope", R"({"partial_rotary_factor": 0.5, "rope_interleave": false})"},
    {"rope", R"({"rope_scaling": {"rope_type": "receptive-field", "alpha": [0, 0.3, 1], "rho": 0.5}})"},
    {"rope-receptive-field", "{}", true, true},
    {"rope-receptive-field", R"({"rotary_value": true})"},
    {"rope-receptive-field", R"({"rope_interleave": false, "partial_rotary_factor": 0.5})"},
    {"rope-receptive-field",
     R"({"rope_scaling": {"rope_type": "yarn", "factor": 4, "original_max_position_embeddings": 16}})"},
    {"rope-linear-attention"},
    {"rope-linear-attention", "{}", true, true},
    {"rope-linear-attention", R"({"rotary_value": true})", true},
    {"rope-linear-attention", R"({"is_decoder": true})", true},
    {"linear-attention", R"({"is_decoder": true, "learned_positions": true})"},
    {"rope-performer", R"({"is_decoder": true})", true, true},
    {"rope-performer", R"({"is_decoder": true, "performer_rotation": "projections"})", true},
    {"rope-performer", R"({"performer_rotation": "features"})", true},
    {"performer", R"({"is_decoder": true, "learned_positions": true})"},
    {"rope-performer", "{}", true, true, 1e-2},
    {"rope-performer", R"({"performer_features": 40, "performer_seed": 7, "rotary_value": true})", false,
     false, 1e-2},
    {"rope-linear-attention",
     R"({"rope_scaling": {"rope_type": "yarn", "factor": 4, "original_max_position_embeddings": 16}})"},
    {"pope", "{}", true, true},
    {"pope", R"({"is_decoder": true, "rope_theta": 50})", true},
    {"pope",
     R"({"rope_scaling": {"rope_type": "yarn", "factor": 4, "original_max_position_embeddings": 16}})"},
    {"rope-plus-plus", R"({"num_attention_heads": 4})", true, true},
    {"rope-plus-plus", R"({"num_attention_heads": 2, "is_decoder": true, "rope_interleave": false})", true},
    {"clipped-rope", R"({"rotary_clip": 3, "rotary_value": true})", true, true},
    {"clipped-rope", R"({"rotary_clip": 2, "is_decoder": true, "partial_rotary_factor": 0.5})"},
    {"distance-bias", R"({"relative_extent": 3, "relative_profiles": 2})", true, true},
    {"distance-bias", R"({"relative_extent": 3, "relative_profiles": 2, "is_decoder": true})"},
    {"distance-bias", R"({"relative_extent": 20})", true},
};

TEST_P(PositionEncodingOn, GradientsAgreeWithDifferencesOfTheLoss) {
  double worst = 0;
  for (const Variant& variant : variants) {
    Small run(variant);
    const std::vector<float> gradients = run.gradients();
    const bool has_own = std::ranges::any_of(run.model->table().all(),
                                             [](const auto& parameter) { return parameter.of_positions; });
    for (const bool of_positions : {false, true}) {
      if (of_positions && !has_own) continue;
      const double error = directional_error(run, gradients, of_positions);
      EXPECT_LT(error, of_positions ? 4e-3 : variant.tolerance)
          << variant.encoding << " " << variant.changes << (of_positions ? ", its own parameters" : "");
      worst = std::max(worst, error);
    }
    EXPECT_EQ(run.gradients(), gradients) << variant.encoding;
  }
  std::printf("  %s: largest disagreement %.1e\n", GetParam().c_str(), worst);
}

/// One layer's attention alone, forward and backward, against its specification in float64, whose gradient is
/// taken by differences.
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

TEST_P(PositionEncodingOn, AttentionEqualsItsSpecification) {
  for (const Specification& specification : specifications) {
    for (const bool padding : {false, true}) {
      SCOPED_TRACE(std::string(specification.encoding) + (padding ? ", padded" : ""));
      check_specification(specification, padding);
    }
  }
}

/// Hidden states of one sequence of the batch, for the tests below.
std::vector<float> hidden_of(Small& run, const EncoderInput& input, std::size_t sequence) {
  Pass pass{.compute = run.model->compute()};
  const std::size_t size = input.sequence * run.model->spec().hidden;
  const float* output = encode(*run.model, input, {}, {}, run.workspace, pass) + sequence * size;
  return {output, output + size};
}

TEST(PositionEncoding, PaddingAtTheEndIsNotSeen) {
  for (const Variant& variant : variants) {
    if (std::string(variant.changes).find("dynamic") != std::string::npos) continue;  // depends on the length
    Small run({variant.encoding, variant.changes});
    Data alone{1, 5, {1, 2, 3, 4, 5}, {}, {}, {}};
    Data padded{2, 8, {}, {}, {}, {}};
    padded.ids = {7, 6, 5, 4, 3, 2, 1, 0, 1, 2, 3, 4, 5, 9, 9, 9};
    padded.mask = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0};
    // Longer, shorter, longer: tables that were prepared for one length serve the others.
    const std::vector<float> with = hidden_of(run, padded.input(), 1),
                             without = hidden_of(run, alone.input(), 0);
    for (std::size_t i = 0; i < without.size(); ++i) {
      ASSERT_NEAR(with[i], without[i], 2e-5) << variant.encoding << " " << variant.changes;
    }
    EXPECT_EQ(hidden_of(run, padded.input(), 1), with) << variant.encoding;
    Data one{1, 1, {3}, {}, {}, {}};
    for (const float value : hidden_of(run, one.input(), 0)) ASSERT_TRUE(std::isfinite(value));
    Data unseen = alone;
    unseen.mask.assign(5, 0);
    for (const float value : hidden_of(run, unseen.input(), 0)) ASSERT_TRUE(std::isfinite(value));
  }
}

TEST(PositionEncoding, WhichEncodingsTellLeftFromRight) {
  // Reversing a sequence reverses the hidden states where only the distance counts.
  const auto mirrored = [](const char* encoding, const char* changes = "{}") {
    Small run({encoding, changes});
    Data forward{1, 6, {1, 2, 3, 4, 5, 6}, {}, {}, {}}, backward = forward;
    std::ranges::reverse(backward.ids);
    const std::vector<float> one = hidden_of(run, forward.input(), 0),
                             two = hidden_of(run, backward.input(), 0);
    double worst = 0;
    for (std::size_t i = 0; i < one.size(); ++i) {
      worst = std::max(worst, double{std::fabs(one[i] - two[(5 - i / 24) * 24 + i % 24])});
    }
    return worst;
  };
  for (const char* encoding : {"none", "alibi", "linear-attention", "performer"})
    EXPECT_LT(mirrored(encoding), 1e-5) << encoding;
  for (const char* encoding :
       {"sinusoidal", "learned", "transformer-xl", "t5", "alibi-asymmetric", "rope", "rope-receptive-field",
        "rope-linear-attention", "rope-performer", "pope", "clipped-rope", "distance-bias"}) {
    EXPECT_GT(mirrored(encoding), 1e-3) << encoding;
  }
  EXPECT_GT(mirrored("rope-plus-plus", R"({"num_attention_heads": 4})"), 1e-3);
}

TEST(PositionEncoding, SinesAreScaled) {
  const auto positions = [](const char* more) {
    Small run({"sinusoidal", more});
    raise(run.model->positions().prepare(run.model->compute(), 4));
    std::vector<float> x(4 * 24, 0.0F);
    run.model->positions().add_to_embeddings(run.model->compute(), x.data(), nullptr, 1, 4,
                                             run.model->parameters().data());
    return x;
  };
  const std::vector<float> whole = positions("{}"), quarter = positions(R"({"sinusoidal_scale": 0.25})");
  EXPECT_EQ(whole[1], 1);
  for (std::size_t i = 0; i < whole.size(); ++i) EXPECT_EQ(quarter[i], 0.25F * whole[i]);
}

TEST(PositionEncoding, WithoutRotationNothingElseDiffers) {
  // Angles of at most 1e-29 turn nothing in float32, so either of the two must give the same bits.
  for (const std::string encoding : {"linear-attention", "performer"}) {
    const auto hidden = [](const std::string& name, const char* more) {
      Small run({name.c_str(), more});
      return hidden_of(run, run.data.input(), 0);
    };
    const std::string rotating = "rope-" + encoding;
    const std::vector<float> without = hidden(encoding, "{}");
    EXPECT_EQ(without, hidden(rotating, R"({"rope_scaling": {"rope_type": "linear", "factor": 1e30}})"));
    EXPECT_NE(without, hidden(rotating, "{}"));
  }
}

TEST(PositionEncoding, ModelsBeginAlikeWhateverTheirEncoding) {
  const auto initial = [](const char* encoding) {
    Small run({encoding});
    Random random(3);
    model::parameters::initialise(run.model->table(), 0.02F, run.model->parameters(),
                                  [&] { return random.normal(); });
    std::vector<float> shared, own;
    for (const model::parameters::Parameter& p : run.model->table().all()) {
      std::vector<float>& values = p.of_positions ? own : shared;
      const std::span<const float> all = run.model->parameters();
      values.insert(values.end(), all.begin() + p.offset, all.begin() + p.offset + p.size);
    }
    return std::pair{shared, own};
  };
  const std::vector<float> shared = initial("none").first;
  EXPECT_TRUE(initial("none").second.empty());
  for (const std::string encoding : golden_encodings) {
    // RoPE++ projects half as many heads.
    if (encoding != "rope-plus-plus") EXPECT_EQ(initial(encoding.c_str()).first, shared) << encoding;
  }
  EXPECT_EQ(initial("rope-receptive-field").second,
            (std::vector<float>{0, 0, 0, 0.5, 0.5, 0.5, 0, 0, 0, 0.5, 0.5, 0.5}));
}

TEST(PositionEncoding, TheRuleOfTheConfigurationTurnsTheHeads) {
  const auto output = [](const char* encoding, const char* changes) {
    Small run({encoding, changes});
    // The receptive fields at their beginning, where nothing is mixed in.
    for (const model::parameters::Parameter& p : run.model->table().all()) {
      for (std::size_t i = 0; p.of_positions && i < p.size; ++i) run.model->parameters()[p.offset + i] = 0;
    }
    raise(run.model->repack());
    return hidden_of(run, run.data.input(), 0);
  };
  const std::vector<float> plain = output("rope", "{}");
  EXPECT_EQ(plain, output("rope", R"({"rope_theta": 10000, "rope_scaling": null})"));
  EXPECT_EQ(plain, output("rope", R"({"rope_parameters": {"rope_type": "linear", "factor": 1}})"));
  EXPECT_EQ(plain, output("rope-receptive-field", "{}"));
  EXPECT_EQ(plain, output("rope", R"({"rope_scaling": {"rope_type": "dynamic", "factor": 4}})"));
  for (const char* changes :
       {R"({"rope_theta": 500})", R"({"rope_scaling": {"rope_type": "ntk", "factor": 4}})",
        R"({"rope_scaling": {"rope_type": "dynamic", "factor": 4}, "max_position_embeddings": 4})",
        R"({"rope_interleave": false})", R"({"partial_rotary_factor": 0.5})",
        R"({"rope_scaling": {"rope_type": "receptive-field", "alpha": [0.1, 0, 0], "rho": 1}})"}) {
    EXPECT_NE(plain, output("rope", changes)) << changes;
  }
}

std::string refusal(const std::string& changes, std::size_t tokens = 4) {
  nlohmann::json json = {{"vocab_size", 13},       {"hidden_size", 24},      {"num_attention_heads", 3},
                         {"num_hidden_layers", 1}, {"intermediate_size", 8}, {"max_position_embeddings", 16}};
  json.update(nlohmann::json::parse(changes));
  const Result<Spec> spec = spec_from_config(json.dump());
  if (!spec.ok()) return spec.status().message();
  Result<Model> model = Model::make(spec.value());
  if (!model.ok()) return model.status().message();
  raise(model.value().repack());
  return model.value().positions().prepare(nn_support::compute(), tokens).message();
}

TEST(PositionEncoding, WhatCannotBeIsRefusedByName) {
  EXPECT_EQ(
      refusal(R"({"position_encoding": "spiral"})"),
      "roformer: `position_encoding` is \"spiral\"; allowed: none, sinusoidal, learned, transformer-xl, t5, "
      "alibi, alibi-asymmetric, rope, rope-receptive-field, rope-linear-attention, rope-performer, "
      "linear-attention, performer, pope, rope-plus-plus, clipped-rope, distance-bias");
  EXPECT_EQ(refusal(R"({"position_encoding": "rope-plus-plus"})"),
            "roformer: `num_attention_heads` is 3; allowed: with `position_encoding` \"rope-plus-plus\", an "
            "even number");
  for (const std::string encoding : {"rope-plus-plus", "pope"}) {
    const std::string named = R"({"position_encoding": ")" + encoding + R"(", "num_attention_heads": 2, )";
    EXPECT_EQ(refusal(named + R"("partial_rotary_factor": 0.5})"),
              "roformer: `rotary_dim` is 6; allowed: with `position_encoding` \"" + encoding +
                  "\", the whole head");
    EXPECT_NE(refusal(named + R"("rotary_value": true})").find("`rotary_value`"), std::string::npos);
  }
  EXPECT_EQ(refusal(R"({"position_encoding": "clipped-rope", "rotary_clip": 5})"),
            "roformer: `rotary_clip` is 5; allowed: at most the pairs that rotate, 4");
  EXPECT_EQ(refusal(R"({"position_encoding": "clipped-rope", "rotary_clip": 1})"),
            "roformer: `rotary_clip` is 1; allowed: a whole number from 2 to 32768");
  EXPECT_NE(refusal(R"({"position_encoding": "clipped-rope",
                        "rope_scaling": {"rope_type": "dynamic", "factor": 2}})")
                .find("rope_scaling"),
            std::string::npos);
  EXPECT_EQ(refusal(R"({"position_encoding": "distance-bias", "relative_extent": 0})"),
            "roformer: `relative_extent` is 0; allowed: a whole number from 1 to 65536");
  EXPECT_EQ(refusal(R"({"position_encoding": "distance-bias", "relative_profiles": 0})"),
            "roformer: `relative_profiles` is 0; allowed: a whole number from 1 to 65536");
  EXPECT_EQ(refusal(R"({"position_encoding": "sinusoidal", "sinusoidal_scale": 0})"),
            "roformer: `sinusoidal_scale` is 0; allowed: a number above 0");
  EXPECT_EQ(refusal(R"({"position_encoding": "learned"})", 16), "");
  EXPECT_EQ(refusal(R"({"position_encoding": "learned"})", 17),
            "roformer: `sequence` is 17; allowed: with `position_encoding` \"learned\", at most "
            "`max_position_embeddings` = 16");
  EXPECT_EQ(refusal(R"({"position_encoding": "rope-linear-attention", "num_attention_heads": 8})"),
            "roformer: `hidden_size` / `num_attention_heads` is 3; allowed: with `position_encoding` "
            "\"rope-linear-attention\", an even number");
  EXPECT_EQ(refusal(R"({"position_encoding": "rope-performer", "performer_rotation": "values"})"),
            "roformer: `performer_rotation` is \"values\"; allowed: projections or features");
  EXPECT_EQ(
      refusal(
          R"({"position_encoding": "rope-performer", "performer_rotation": "features", "performer_features": 9})"),
      "roformer: `performer_features` is 9; allowed: an even number where `performer_rotation` is "
      "\"features\"");
  EXPECT_EQ(refusal(R"({"position_encoding": "performer", "learned_positions": true})", 17),
            "roformer: `sequence` is 17; allowed: with `position_encoding` \"learned\", at most "
            "`max_position_embeddings` = 16");
  EXPECT_NE(refusal(R"({"head_dim": 6})").find("`head_dim` is 6"), std::string::npos);
  EXPECT_NE(refusal(R"({"rope_scaling": {"rope_type": "spiral"}})").find("spiral"), std::string::npos);
  EXPECT_NE(refusal(R"({"rope_scaling": {"type": "mrope", "mrope_section": [2, 2]}})").find("mrope_section"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"position_encoding": "rope-receptive-field",
                        "rope_scaling": {"rope_type": "dynamic", "factor": 2}})")
                .find("rope_scaling"),
            std::string::npos);
}

TEST(RopePerformer, DirectionsAreOrthogonalByBlocksAndFollowTheSeed) {
  constexpr std::size_t width = 8, rows = 20;
  std::vector<float> w(rows * width), same(w.size()), other(w.size());
  raise(model::position_encoding::performer_features(w, rows, width, 3, 1));
  raise(model::position_encoding::performer_features(same, rows, width, 3, 1));
  EXPECT_EQ(w, same);
  raise(model::position_encoding::performer_features(other, rows, width, 3, 0));
  EXPECT_NE(w, other);
  double squares = 0;
  for (std::size_t a = 0; a < rows; ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      double dot = 0;
      for (std::size_t c = 0; c < width; ++c) dot += double{w[a * width + c]} * w[b * width + c];
      if (a == b) {
        squares += dot;
      } else if (a / width == b / width) {
        EXPECT_NEAR(dot, 0, 1e-5);
      }
    }
  }
  EXPECT_NEAR(squares / rows, width, 3);
  EXPECT_EQ(refusal(R"({"position_encoding": "rope-performer", "performer_features": 0})"),
            "roformer: `performer_features` is 0; allowed: a whole number from 1 to 65536");
}

TEST(RopePerformer, ManyFeaturesComeNearSoftmaxAttention) {
  const auto output = [](const char* encoding) {
    Small run({encoding, R"({"performer_features": 20000, "num_hidden_layers": 1})"});
    for (float& value : run.model->parameters()) value *= 0.5F;
    raise(run.model->repack());
    return hidden_of(run, run.data.input(), 0);
  };
  const std::vector<float> exact = output("rope"), near = output("rope-performer"), far = output("none");
  double error = 0, without = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    error += std::fabs(exact[i] - near[i]);
    without += std::fabs(exact[i] - far[i]);
  }
  EXPECT_LT(error, without / 4);
}

TEST(ClippedRope, TheLastPairsFade) {
  const auto theta_of = [](const char* more) {
    nlohmann::json json = {{"hidden_size", 64}, {"num_attention_heads", 1}, {"num_hidden_layers", 1}};
    json.update(nlohmann::json::parse(more));
    const Spec spec = raise(spec_from_config(json.dump()));
    const Rope rope = raise(Rope::make(std::get<positions::Rope>(spec.positions).ropes[0]));
    return std::vector<double>(rope.frequencies().begin(), rope.frequencies().end());
  };
  const std::vector<double> own = theta_of("{}");
  for (const std::size_t clip : {2, 3, 17, 32}) {
    const std::string more =
        R"({"position_encoding": "clipped-rope", "rotary_clip": )" + std::to_string(clip) + "}";
    const std::vector<double> theta = theta_of(more.c_str());
    for (std::size_t j = 0; j < 32; ++j) {
      const std::size_t i = j + clip < 32 ? 0 : j + clip - 32;
      const double t = std::acos(-1.0) * static_cast<double>(i) / static_cast<double>(clip - 1);
      EXPECT_NEAR(theta[j], own[j] * (1 + std::cos(t)) / 2, 4e-16 * own[j]) << clip << " " << j;
    }
    EXPECT_EQ(theta[32 - clip], own[32 - clip]);
    EXPECT_EQ(theta[31], 0);
  }
  // By default the pairs that complete no turn: of 100 positions those of more than 100 a turn.
  const std::vector<double> usual =
      theta_of(R"({"position_encoding": "clipped-rope", "max_position_embeddings": 100})");
  for (std::size_t j = 0; j < 32; ++j) {
    const bool turns = own[j] * 100 >= 2 * std::acos(-1.0);
    EXPECT_TRUE(turns ? usual[j] == own[j] : usual[j] <= own[j]) << j;
  }
  EXPECT_LT(usual[31], own[31]);
  EXPECT_EQ(theta_of(R"({"position_encoding": "clipped-rope", "max_position_embeddings": 1000000})"), own);
}

TEST(DistanceBias, ADecoderDoesNotReadProfilesOfKeysAfterTheQuery) {
  constexpr const char* keys =
      R"({"is_decoder": true, "relative_extent": 4, "relative_profiles": 2, "num_hidden_layers": 1})";
  Small run({"distance-bias", keys});
  const std::vector<float> gradients = run.gradients();
  std::size_t seen = 0;
  for (const model::parameters::Parameter& p : run.model->table().all()) {
    if (p.name.find("relative_profiles") == std::string::npos) continue;
    ASSERT_EQ(p.shape, (std::vector<std::uint64_t>{2, 7}));
    for (std::size_t i = 0; i < p.size; ++i) {
      EXPECT_EQ(gradients[p.offset + i] != 0, i % 7 >= 3) << i;
      ++seen;
    }
  }
  EXPECT_EQ(seen, 14u);
}

TEST(T5Buckets, AreThoseOfThePaper) {
  // From T5's own relative_position_bucket with 32 buckets, both ways, largest distance 128.
  const std::pair<std::ptrdiff_t, std::size_t> expected[] = {
      {0, 0},     {-1, 1},     {-7, 7},   {-8, 8},   {-11, 8},  {-12, 9},  {-15, 9},  {-16, 10}, {-22, 10},
      {-23, 11},  {-31, 11},   {-32, 12}, {-45, 12}, {-46, 13}, {-63, 13}, {-64, 14}, {-90, 14}, {-91, 15},
      {-128, 15}, {-5000, 15}, {1, 17},   {7, 23},   {8, 24},   {16, 26},  {90, 30},  {91, 31},  {5000, 31}};
  for (const auto& [relative, bucket] : expected) {
    EXPECT_EQ(model::position_encoding::t5_bucket(relative), bucket) << relative;
  }
  for (std::ptrdiff_t relative = -300; relative <= 300; ++relative) {
    EXPECT_EQ(model::position_encoding::t5_bucket(relative), reference::t5_bucket(relative)) << relative;
  }
}

}  // namespace position_encoding_test
}  // namespace ropewalk
