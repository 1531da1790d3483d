// Models that are filled in as a Spec, beyond what any family has: gradients against differences of the loss,
// and what windows and shared key heads must not change.

#include "ropewalk/spec.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "base/random.hpp"
#include "each_architecture.hpp"
#include "model/families/family.hpp"
#include "model/model.hpp"
#include "model_pass.hpp"

namespace spec_test {

using namespace ropewalk;
using model::Model;
using model::Workspace;
using model_pass::learn;

Spec small() {
  Spec spec;
  spec.vocabulary = 13;
  spec.hidden = 24;
  spec.attention.heads = 4;
  spec.feed_forward.width = 20;
  spec.layers.assign(2, {});
  spec.hidden_dropout = spec.attention_dropout = 0;
  return spec;
}

/// With the head that the spec says, or that for masked words.
Model made(Spec spec, std::uint64_t seed = 11) {
  if (spec.heads.empty()) spec.heads = {model::head_of(spec, *model::find_head_kind("masked_lm"))};
  Model model = raise(Model::make(spec));
  Random random(seed);
  model::parameters::initialise(model.table(), 0.3F, model.parameters(), [&] { return random.normal(); });
  raise(model.repack());
  return model;
}

struct Data {
  std::vector<std::int32_t> ids, labels, mask;
  std::size_t batch = 2, tokens = 9;
  Data() {
    Random random(12);
    for (std::size_t i = 0; i < batch * tokens; ++i) {
      ids.push_back(static_cast<std::int32_t>(random.below(13)));
      labels.push_back(i % 3 == 1 ? static_cast<std::int32_t>(random.below(13)) : -100);
      mask.push_back(i == 7 || i == 8 ? 0 : 1);
    }
  }
  EncoderInput input() const { return {ids, batch, tokens, {}, mask}; }
};

class SpecOn : public EachArchitecture {};
ON_EACH_ARCHITECTURE(SpecOn);

double directional_error(const Spec& spec) {
  Model model = made(spec);
  const Data data;
  Workspace workspace;
  const std::string head = model.spec().heads[0].kind;
  const std::vector<float> gradients = learn(model, head, data.input(), data.labels, {}, workspace).gradients;
  double slope = 0;
  for (const float g : gradients) slope += double{g} * g;
  const std::vector<float> before(model.parameters().begin(), model.parameters().end());
  const auto difference = [&](double step) {
    double at[2];
    for (int side = 0; side < 2; ++side) {
      for (std::size_t i = 0; i < before.size(); ++i) {
        model.parameters()[i] = static_cast<float>(before[i] + (side == 0 ? -step : step) * gradients[i]);
      }
      raise(model.repack());
      at[side] = learn(model, head, data.input(), data.labels, {}, workspace, false).loss.loss;
    }
    return (at[1] - at[0]) / (2 * step);
  };
  // Richardson's extrapolation takes the third derivative out.
  const double step = 1e-3 / std::sqrt(slope);
  return std::fabs((4 * difference(step) - difference(2 * step)) / 3 / slope - 1);
}

struct Variant {
  const char* name;
  std::function<void(Spec&)> change;
};

TEST_P(SpecOn, GradientsAgreeWithDifferencesOfTheLoss) {
  const Variant variants[] = {
      {"pre", [](Spec& s) { s.placement = NormPlacement::pre, s.final_norm = true; }},
      {"sandwich", [](Spec& s) { s.placement = NormPlacement::sandwich; }},
      {"parallel", [](Spec& s) { s.placement = NormPlacement::parallel, s.final_norm = true; }},
      {"after", [](Spec& s) { s.placement = NormPlacement::after, s.final_norm = true; }},
      {"parallel behind one norm",
       [](Spec& s) { s.placement = NormPlacement::parallel_shared, s.final_norm = true; }},
      {"a factor of the branches", [](Spec& s) { s.branch_scale = 0.4, s.placement = NormPlacement::pre; }},
      {"a factor of the branches, parallel",
       [](Spec& s) { s.branch_scale = 0.4, s.placement = NormPlacement::parallel_shared; }},
      {"a norm of all queries together",
       [](Spec& s) {
         s.attention.key_heads = 2;
         s.attention.qk_norm = NormSpec{.kind = NormKind::rms, .eps = 1e-6, .bias = false};
         s.attention.qk_norm_of_all_heads = true;
       }},
      {"a factor of logits and a cap",
       [](Spec& s) {
         s.possible_heads = {{.kind = "masked_lm", .tied = true, .scale = 0.5, .soft_cap = 1.5}};
       }},
      {"queries that grow with their position",
       [](Spec& s) {
         RopeOptions rope{.head_dim = s.head_dim()};
         rope.query_scale = QueryScale{.scale = 0.5, .length = 2};
         s.positions = positions::Rope{.ropes = {rope}};
       }},
      {"rms", [](Spec& s) { s.norm = {.kind = NormKind::rms, .eps = 1e-6, .bias = false}; }},
      {"rms plus one",
       [](Spec& s) { s.norm = {.kind = NormKind::rms_plus_one, .eps = 1e-6, .bias = false}; }},
      {"layer norm without bias", [](Spec& s) { s.norm.bias = false; }},
      {"grouped heads", [](Spec& s) { s.attention.key_heads = 2; }},
      {"one key head", [](Spec& s) { s.attention.key_heads = 1, s.attention.head_dim = 10; }},
      {"one tensor of projections", [](Spec& s) { s.attention.packing = AttentionSpec::Packing::blocks; }},
      {"window", [](Spec& s) { s.layers[1].window = 2; }},
      {"causal window", [](Spec& s) { s.attention.causal = true, s.layers[0].window = 3; }},
      {"a layer without rotation", [](Spec& s) { s.layers[0].rope.reset(); }},
      {"gated", [](Spec& s) { s.feed_forward.gated = true, s.feed_forward.activation = Activation::silu; }},
      {"gate and up in one",
       [](Spec& s) {
         s.feed_forward.gated = true, s.feed_forward.packing = FeedForwardSpec::Packing::gate_up;
       }},
      {"up before gate",
       [](Spec& s) {
         s.feed_forward.gated = true, s.feed_forward.packing = FeedForwardSpec::Packing::up_gate;
       }},
      {"experts",
       [](Spec& s) {
         s.feed_forward.experts = 5, s.feed_forward.active_experts = 2;
         s.layers[1].experts = true;
       }},
      {"no norm of embeddings, no types", [](Spec& s) { s.embedding = {.token_types = 0, .norm = false}; }},
      {"norms of queries and keys",
       [](Spec& s) {
         s.attention.key_heads = 2;
         s.attention.qk_norm = NormSpec{.kind = NormKind::rms, .eps = 1e-6, .bias = false};
       }},
      {"norms of queries and keys with 1 + gain and bias, before linear attention",
       [](Spec& s) {
         s.attention.qk_norm = NormSpec{.kind = NormKind::rms_plus_one, .eps = 1e-6};
         s.positions = positions::LinearAttention{};
       }},
      {"a cap on scores", [](Spec& s) { s.attention.soft_cap = 1.5; }},
      {"a cap on scores in a window",
       [](Spec& s) { s.attention.soft_cap = 0.5, s.attention.causal = true, s.layers[0].window = 3; }},
      {"the next word, by the table of words",
       [](Spec& s) {
         s.attention.causal = true;
         s.heads = {{.kind = "causal_lm", .bias = false, .tied = true}};
       }},
      {"the next word, by a matrix and a bias, with a cap",
       [](Spec& s) {
         s.attention.causal = true;
         s.heads = {{.kind = "causal_lm", .bias = true, .soft_cap = 2}};
       }},
      {"a cap on logits",
       [](Spec& s) { s.possible_heads = {{.kind = "masked_lm", .tied = true, .soft_cap = 1.5}}; }},
      {"projections head by head", [](Spec& s) { s.attention.packing = AttentionSpec::Packing::per_head; }},
      {"norms of projections head by head",
       [](Spec& s) {
         s.attention.packing = AttentionSpec::Packing::per_head;
         s.attention.qk_norm = NormSpec{.kind = NormKind::rms, .eps = 1e-6, .bias = false};
       }},
      {"a factor of the word vectors", [](Spec& s) { s.embedding.scale = 4.5; }},
      {"no norm before the first attention",
       [](Spec& s) { s.placement = NormPlacement::pre, s.layers[0].attention_norm = false; }},
  };
  for (const Variant& variant : variants) {
    Spec spec = small();
    variant.change(spec);
    EXPECT_LT(directional_error(spec), 1e-3) << variant.name;
  }
}

std::vector<float> hidden(Model& model, const std::vector<std::int32_t>& ids) {
  Workspace workspace;
  model::Pass pass{.compute = model.compute()};
  const float* const x = model_pass::encode(model, {ids, 1, ids.size()}, {}, {}, workspace, pass);
  return {x, x + ids.size() * model.spec().hidden};
}

std::vector<std::int32_t> text(std::size_t tokens) {
  std::vector<std::int32_t> ids;
  for (std::size_t i = 0; i < tokens; ++i) ids.push_back(static_cast<std::int32_t>(i * 7 % 13));
  return ids;
}

TEST_P(SpecOn, AWindowThatHoldsAllKeysChangesNoBit) {
  Spec spec = small();
  Model whole = made(spec);
  for (LayerSpec& layer : spec.layers) layer.window = 69;
  Model windowed = made(spec);
  EXPECT_EQ(hidden(windowed, text(70)), hidden(whole, text(70)));
}

TEST_P(SpecOn, WhatLiesBeyondAllWindowsIsNotSeen) {
  Spec spec = small();
  for (LayerSpec& layer : spec.layers) layer.window = 5;
  Model model = made(spec);
  const std::vector<std::int32_t> ids = text(150);
  std::vector<std::int32_t> changed = ids;
  changed[80] = (changed[80] + 1) % 13;
  const std::vector<float> one = hidden(model, ids), two = hidden(model, changed);
  for (std::size_t token = 0; token < 150; ++token) {
    const bool same =
        std::equal(one.begin() + token * 24, one.begin() + (token + 1) * 24, two.begin() + token * 24);
    const bool in_reach = token + 10 >= 80 && token <= 90;
    if (!in_reach) {
      EXPECT_TRUE(same) << token;
    } else if (token == 80) {
      EXPECT_FALSE(same);
    }
  }
}

TEST_P(SpecOn, PackingChangesNoBit) {
  Spec spec = small();
  const std::vector<float> separate = [&] {
    Model model = made(spec);
    // One tensor holds what the three held, one after the other.
    return hidden(model, text(20));
  }();
  spec.attention.packing = AttentionSpec::Packing::blocks;
  Model blocks = made(spec);
  EXPECT_EQ(hidden(blocks, text(20)), separate);

  spec.attention.packing = AttentionSpec::Packing::per_head;
  Model per_head = made(spec);
  const std::size_t head_dim = spec.head_dim(), heads = spec.attention.heads;
  for (const auto& parameter : per_head.table().all()) {
    if (parameter.name.find("qkv") == std::string::npos) continue;
    const std::size_t width = parameter.shape.size() == 2 ? spec.hidden : 1;
    for (std::size_t part = 0; part < 3; ++part) {
      for (std::size_t row = 0; row < heads * head_dim; ++row) {
        const std::size_t here = (row / head_dim * 3 + part) * head_dim + row % head_dim;
        std::copy_n(blocks.parameters().data() + parameter.offset + (part * heads * head_dim + row) * width,
                    width, per_head.parameters().data() + parameter.offset + here * width);
      }
    }
  }
  raise(per_head.repack());
  EXPECT_EQ(hidden(per_head, text(20)), separate);
}

TEST(SpecHeads, AreThoseThatTheFamilyHasNamesFor) {
  const auto kinds = [](const char* family) {
    std::vector<std::string_view> names;
    for (const model::HeadKind& kind : model::head_kinds()) {
      if (model::has_head(*model::find_family(family), kind)) names.push_back(kind.name);
    }
    return names;
  };
  using Names = std::vector<std::string_view>;
  EXPECT_EQ(kinds("bert"),
            (Names{"masked_lm", "sequence_classification", "token_classification", "span", "choice"}));
  EXPECT_EQ(kinds("eurobert"), (Names{"masked_lm", "sequence_classification", "token_classification"}));
  const auto promised = [](const std::string& config) {
    std::vector<std::string> names;
    const std::string sizes = R"("hidden_size": 8, "num_attention_heads": 2, )";
    const Spec spec = raise(spec_from_config("{" + sizes + config + "}"));
    for (const HeadSpec& head : spec.heads) names.push_back(head.kind);
    return names;
  };
  EXPECT_EQ(promised(R"("architectures": ["RoFormerForCausalLM"])"), std::vector<std::string>{"masked_lm"});
  EXPECT_EQ(promised(R"("model_type": "eurobert", "architectures": ["EuroBertForMaskedLM"])"),
            std::vector<std::string>{"masked_lm"});
  EXPECT_TRUE(
      promised(R"("model_type": "eurobert", "architectures": ["EuroBertForMultipleChoice"])").empty());
}

TEST(SpecChecks, NameTheField) {
  const auto message = [](const std::function<void(Spec&)>& change) {
    Spec spec = small();
    change(spec);
    const Result<Model> model = Model::make(spec);
    EXPECT_FALSE(model.ok());
    return model.ok() ? "" : model.status().message();
  };
  EXPECT_EQ(message([](Spec& s) { s.attention.key_heads = 3; }),
            "roformer: `attention.key_heads` is 3; allowed: a divisor of `attention.heads`, 4");
  EXPECT_EQ(message([](Spec& s) { s.attention.heads = 5; }),
            "roformer: `hidden` is 24; allowed: a multiple of `attention.heads`, 5");
  EXPECT_EQ(message([](Spec& s) { s.vocabulary = 0; }),
            "roformer: `vocabulary` is 0; allowed: a whole number from 1 to 16777216");
  EXPECT_EQ(message([](Spec& s) { s.layers[1].rope = 1; }),
            "roformer: `layers[1].rope` is 1; allowed: one of the 1 ropes, counted from 0");
  EXPECT_EQ(message([](Spec& s) {
              s.attention.packing = AttentionSpec::Packing::per_head, s.attention.key_heads = 2;
            }),
            "roformer: `attention.key_heads` is 2; allowed: `attention.heads` where `attention.packing` is "
            "per_head, 4");
  EXPECT_EQ(message([](Spec& s) { s.attention.soft_cap = -1; }),
            "roformer: `attention.soft_cap` is -1; allowed: a finite number above 0, or 0 for no cap");
  EXPECT_EQ(message([](Spec& s) { s.heads = {{.kind = "masked_lm", .soft_cap = -3}}; }),
            "roformer: `heads[].soft_cap` is -3; allowed: a finite number above 0, or 0 for no cap");
  EXPECT_EQ(message([](Spec& s) { s.embedding.scale = NAN; }),
            "roformer: `embedding.scale` is NaN; allowed: a finite number");
  EXPECT_EQ(message([](Spec& s) { s.attention.soft_cap = 50, s.positions = positions::LinearAttention{}; }),
            "roformer: `attention.soft_cap` is 50; allowed: 0 with these `positions`");
  EXPECT_NE(message([](Spec& s) { s.family = "spiral"; }).find("`family` is \"spiral\"; allowed: roformer"),
            std::string::npos);
  EXPECT_NE(message([](Spec& s) {
              s.positions = positions::T5{};
              s.layers[0].window = 4;
            }).find("`layers[].window` is 4"),
            std::string::npos);
}

}  // namespace spec_test
