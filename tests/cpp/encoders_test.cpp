// Encoders of every family against tests/golden/encoders and encoders-3, which independent references computed in float64
// from the same files.

#include <gtest/gtest.h>

#include <cstdio>
#include <map>

#include "each_architecture.hpp"
#include "golden_encoders.hpp"
#include "ropewalk/trainer.hpp"

namespace encoders_test {

using namespace golden_encoders;

/// Relative to the largest entry of a result, as the folder's README has them.
const std::map<std::string, double> limits = {{"first_hidden_state", 2e-6},
                                              {"last_hidden_state", 1e-5},
                                              {"attention", 1e-5},
                                              {"logits", 1e-5},
                                              {"scores", 5e-6},
                                              {"contacts", 5e-6}};

class GoldenEncoders : public EachArchitecture {};
ON_EACH_ARCHITECTURE(GoldenEncoders);

/// Every checkpoint of the reference is here; the folders' README list them.
TEST(Encoders, HaveAllCases) { EXPECT_EQ(cases().size(), 53u); }

TEST_P(GoldenEncoders, EqualTheReference) {
  std::set<std::string> compared;
  for (const std::string& name : cases()) {
    SCOPED_TRACE(name);
    Encoder model = encoder(name);
    std::map<std::string, double> worst;
    const nlohmann::json expected = golden::read(folder(name) + "/expected.json");
    for (const auto& json : expected["cases"]) {
      const Input input(json);
      const EncoderOutput output = model.forward(
          input.get(), {.logits = true, .hidden_states = true, .attentions = true, .contacts = true});
      const std::size_t tokens = input.sequence, heads = model.spec().attention.heads;
      const auto is_token = [&](std::size_t row) { return input.mask[row] != 0; };
      const auto check = [&](const char* what, std::span<const float> actual, std::size_t width,
                             auto&& counts) {
        if (!json.contains(what)) return;
        const double error = distance(actual, json[what], width, counts);
        EXPECT_LE(error, limits.at(what)) << what << " of " << input.batch << " x " << tokens;
        worst[what] = std::max(worst[what], error);
        compared.insert(what);
      };
      check("first_hidden_state", output.hidden_states[0], model.spec().hidden, is_token);
      check("last_hidden_state", output.last_hidden_state, model.spec().hidden, is_token);
      if (json.contains("attention")) {
        check("attention", output.attentions.at(json["attention_layer"]), tokens,
              [&](std::size_t row) { return is_token(row / (heads * tokens) * tokens + row % tokens); });
      }
      const std::size_t inner = tokens < 2 ? 0 : tokens - 2;
      check("contacts", output.contacts, inner, [](std::size_t) { return true; });
      if (!output.class_logits.empty()) {
        check("scores", output.relevance, model.spec().labels, [](std::size_t) { return true; });
        check("logits", output.class_logits, model.spec().labels, [](std::size_t) { return true; });
      } else if (!output.token_logits.empty()) {
        check("logits", output.token_logits, model.spec().labels, is_token);
      } else {
        check("logits", output.logits, model.spec().vocabulary, is_token);
      }
    }
    std::printf("  %s %s:", GetParam().c_str(), name.c_str());
    for (const auto& [what, error] : worst) std::printf(" %s %.1e", what.c_str(), error);
    std::printf("\n");
  }
  EXPECT_EQ(compared.size(), limits.size());
}

TEST_P(GoldenEncoders, LossAndGradientsEqualTheReference) {
  std::size_t models = 0;
  for (const std::string& name : cases()) {
    if (!std::filesystem::exists(std::string(ROPEWALK_GOLDEN) + "/" + folder(name) + "/training.json"))
      continue;
    SCOPED_TRACE(name);
    ++models;
    const nlohmann::json json = golden::read(folder(name) + "/training.json");
    const Input input(json);
    const std::vector<std::int32_t> labels = json["labels"];
    const std::vector<std::byte> weights = weights_of(name),
                                 file = checkpoint::bytes(folder(name) + "/gradients.safetensors");
    Trainer trainer({.spec = spec_of(name), .weights = weights});
    const Gradients found = trainer.gradients({.input = input.get(), .labels = labels});
    const double loss = json["loss"];
    EXPECT_LE(std::fabs(found.loss - loss) / loss, 2e-6);
    const Safetensors expected = open_safetensors(file);
    EXPECT_EQ(found.parameters.size(), expected.tensors().size());
    double worst = 0;
    for (const NamedGradient& gradient : found.parameters) {
      const SafetensorsTensor* tensor = expected.find(gradient.name);
      ASSERT_NE(tensor, nullptr) << gradient.name;
      std::vector<float> values(tensor->elements);
      read_float32(*tensor, values);
      const double error = distance(gradient.values, std::vector<double>(values.begin(), values.end()),
                                    values.size(), [](std::size_t) { return true; });
      EXPECT_LE(error, 2e-5) << gradient.name;
      worst = std::max(worst, error);
    }
    std::printf("  %s %s: gradients %.1e\n", GetParam().c_str(), name.c_str(), worst);
  }
  EXPECT_EQ(models, 2u);
}

TEST(Encoders, RefuseByNameWhatIsNotDone) {
  const nlohmann::json file = golden::read("encoders/refusals.json");
  std::size_t checked = 0;
  for (const auto& refusal : file["refusals"]) {
    const std::string name = refusal["case"];
    nlohmann::json config = golden::read(folder(name) + "/config.json");
    config.update(refusal["change"]);
    const Result<Spec> spec = spec_from_config(config.dump());
    const std::string word = refusal["names"];
    ++checked;
    // A decoder, where there is a family of decoders with that model_type.
    if (spec.ok() && word == "use_bidirectional_attention" && spec.value().attention.causal) continue;
    EXPECT_FALSE(spec.ok()) << name << " " << refusal["change"];
    EXPECT_NE(spec.status().message().find(word), std::string::npos) << spec.status().message();
  }
  EXPECT_EQ(checked, 25u);
}

TEST(Encoders, TheRelevanceFollowsTheConfiguration) {
  const auto relevance = [](const nlohmann::json& change) {
    nlohmann::json config = golden::read(folder("bert-reranker") + "/config.json");
    config.erase("sentence_transformers");
    config.update(change);
    return spec_from_config(config.dump());
  };
  const std::string old_key = "sbert_ce_default_activation_function",
                    sigmoid = "torch.nn.modules.activation.Sigmoid",
                    identity = "torch.nn.modules.linear.Identity";
  EXPECT_EQ(relevance(nlohmann::json::object()).value().relevance, std::nullopt);
  EXPECT_EQ(relevance({{old_key, sigmoid}}).value().relevance, Activation::sigmoid);
  const nlohmann::json both = {{old_key, identity}, {"sentence_transformers", {{"activation_fn", identity}}}};
  EXPECT_EQ(relevance(both).value().relevance, Activation::linear);
  for (const nlohmann::json& wrong :
       {nlohmann::json{{old_key, "torch.nn.modules.activation.Softmax"}},
        nlohmann::json{{old_key, identity}, {"sentence_transformers", {{"activation_fn", sigmoid}}}}}) {
    const auto spec = relevance(wrong);
    EXPECT_NE(spec.status().message().find(old_key), std::string::npos) << spec.status().message();
  }
}

TEST(Encoders, LearnedPositionsLimitTheLength) {
  const nlohmann::json file = golden::read("encoders/refusals.json");
  EXPECT_EQ(file["limits"].size(), 2u);
  for (const auto& limit : file["limits"]) {
    Encoder model = encoder(limit["case"]);
    EncoderOutput output;
    for (const char* which : {"works", "fails"}) {
      const std::vector<std::int32_t> ids(limit[which].get<std::size_t>(), 5);
      const Status status = model.try_forward({ids, 1, ids.size()}, {}, output);
      EXPECT_EQ(status.ok(), std::string(which) == "works") << status.message();
      if (!status.ok()) {
        EXPECT_NE(status.message().find("`sequence` is 41"), std::string::npos) << status.message();
      }
    }
  }
}

TEST(Encoders, APaddedBatchEqualsItsTexts) {
  for (const std::string& name : cases()) {
    SCOPED_TRACE(name);
    Encoder model = encoder(name);
    const auto padding = static_cast<std::int32_t>(model.spec().padding_id.value_or(0));
    const std::vector<std::int32_t> text = {2, 7, 9, 11, 3};
    std::vector<std::int32_t> ids = {2, 8, 8, 6, 5, 4, 9, 3}, mask(16, 1);
    ids.insert(ids.end(), text.begin(), text.end());
    for (std::size_t i = 13; i < 16; ++i) ids.push_back(padding), mask[i] = 0;
    const auto alone = model.forward({text, 1, 5}).last_hidden_state;
    const std::vector<float> expected(alone.begin(), alone.end());
    const auto both = model.forward({ids, 2, 8, {}, mask}).last_hidden_state;
    const std::size_t width = model.spec().hidden;
    for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_NEAR(both[8 * width + i], expected[i], 2e-5);
  }
}

}  // namespace encoders_test
