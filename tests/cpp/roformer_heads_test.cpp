// Every head against the whole model in float64, for both versions; and checkpoints whose heads are not
// right.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "each_architecture.hpp"
#include "made_up_model.hpp"

namespace roformer_heads_test {

using namespace ropewalk;
using made_up::Batch;
using made_up::Tensors;
using Heads = std::initializer_list<std::string_view>;

constexpr const char* version_2 = R"({"norm_type": "rms_norm", "use_bias": false, "hidden_act": "relu"})";

nlohmann::json config_of(const char* changes, const char* architecture, std::size_t labels = 3) {
  nlohmann::json config = made_up::config(changes);
  config["architectures"] = {architecture};
  config["num_labels"] = labels;
  return config;
}

double worst(std::span<const float> actual, const std::vector<double>& expected) {
  EXPECT_EQ(actual.size(), expected.size());
  double most = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double error = std::fabs(static_cast<double>(actual[i]) - expected[i]);
    if (!(error <= most)) most = error;
  }
  return most;
}

class RoFormerHeads : public EachArchitecture {};
ON_EACH_ARCHITECTURE(RoFormerHeads);

TEST_P(RoFormerHeads, EqualTheReferenceInBothVersions) {
  const Batch batch;
  double most = 0;
  for (const char* changes : {"{}", R"({"embedding_size": 16, "rotary_value": true, "hidden_act": "silu"})",
                              R"({"layer_norm_eps": 1e-5})", version_2}) {
    SCOPED_TRACE(changes);
    const auto check = [&](const char* architecture, const Heads& heads, auto compare) {
      const nlohmann::json config = config_of(changes, architecture);
      const Tensors tensors = made_up::tensors(config, heads);
      Encoder model(config.dump(), made_up::file(tensors));
      EXPECT_EQ(model.notes().size(), changes == version_2 ? 1u : 0u);
      const EncoderOutput output = model.forward(batch.input());
      const auto reference = made_up::reference(config, tensors);
      const auto hidden = reference.hidden(batch.input());
      most = std::max(most, worst(output.last_hidden_state, hidden));
      most = std::max(most, compare(output, reference, hidden));
    };
    check("RoFormerForMaskedLM", {"masked_lm"}, [](auto& output, auto& reference, auto& hidden) {
      EXPECT_EQ(output.logits.size(), 2u * 5 * 31);
      EXPECT_TRUE(output.class_logits.empty() && output.token_logits.empty() && output.start_logits.empty());
      return worst(output.logits, reference.masked_lm(hidden));
    });
    check("RoFormerForSequenceClassification", {"sequence_classification"},
          [](auto& output, auto& reference, auto& hidden) {
            EXPECT_EQ(output.class_logits.size(), 2u * 3);
            return worst(output.class_logits, reference.classification(hidden, 5));
          });
    check("RoFormerForTokenClassification", {"token_classification"},
          [](auto& output, auto& reference, auto& hidden) {
            EXPECT_EQ(output.token_logits.size(), 2u * 5 * 3);
            EXPECT_TRUE(output.logits.empty() && output.choice_logits.empty());
            return worst(output.token_logits, reference.token_classification(hidden));
          });
    check("RoFormerForQuestionAnswering", {"span"}, [](auto& output, auto& reference, auto& hidden) {
      EXPECT_EQ(output.start_logits.size(), 2u * 5);
      const auto spans = reference.question_answering(hidden);
      std::vector<double> starts, ends;
      for (std::size_t i = 0; i < 10; ++i) starts.push_back(spans[2 * i]), ends.push_back(spans[2 * i + 1]);
      return std::max(worst(output.start_logits, starts), worst(output.end_logits, ends));
    });
    check("RoFormerForMultipleChoice", {"choice"}, [](auto& output, auto& reference, auto& hidden) {
      EXPECT_EQ(output.choice_logits.size(), 2u);
      EXPECT_TRUE(output.token_logits.empty());
      return worst(output.choice_logits, reference.multiple_choice(hidden, 5));
    });
  }
  EXPECT_GT(most, 0);
  EXPECT_LE(most, 2e-5);
  std::printf("  %s: largest difference %.1e\n", GetParam().c_str(), most);
}

TEST(RoFormerHead, IsFoundByItsTensorsWhereTheClassIsNotNamed) {
  const auto output_of = [](const nlohmann::json& named, const Heads& heads) {
    const Tensors tensors = made_up::tensors(named, heads);
    nlohmann::json config = named;
    config.erase("architectures");
    Encoder model(config.dump(), made_up::file(tensors));
    EXPECT_TRUE(model.notes().empty());
    const EncoderOutput out = model.forward(Batch().input());
    return std::string(out.logits.empty() ? "" : "m") + (out.class_logits.empty() ? "" : "c") +
           (out.token_logits.empty() ? "" : "t") + (out.start_logits.empty() ? "" : "q") +
           (out.choice_logits.empty() ? "" : "1");
  };
  EXPECT_EQ(output_of(config_of("{}", "x"), {"masked_lm", "sequence_classification"}), "mc");
  EXPECT_EQ(output_of(config_of("{}", "x"), {"token_classification"}), "t");
  EXPECT_EQ(output_of(config_of("{}", "x"), {"span"}), "q");
  EXPECT_EQ(output_of(config_of("{}", "x"), {"choice"}), "1");
  // With one label the tensors of the two are alike, and a class for every token is what they say.
  EXPECT_EQ(output_of(config_of("{}", "x", 1), {"token_classification"}), "t");
}

std::string refusal(const nlohmann::json& config, const Tensors& tensors) {
  const Result<Encoder> made = Encoder::make(config.dump(), made_up::file(tensors));
  EXPECT_FALSE(made.ok());
  return made.ok() ? "" : made.status().message();
}

TEST(RoFormerHead, MissingTensorsAreNamed) {
  const struct {
    const char* architecture;
    std::string_view head;
    const char* tensor;
  } cases[] = {
      {"RoFormerForTokenClassification", "token_classification", "classifier.bias"},
      {"RoFormerForTokenClassification", "token_classification", "classifier.weight"},
      {"RoFormerForQuestionAnswering", "span", "qa_outputs.weight"},
      {"RoFormerForMultipleChoice", "choice", "classifier.bias"},
      {"RoFormerForSequenceClassification", "sequence_classification", "classifier.out_proj.weight"},
  };
  for (const auto& each : cases) {
    const nlohmann::json config = config_of("{}", each.architecture);
    Tensors tensors = made_up::tensors(config, {each.head});
    tensors.erase(each.tensor);
    EXPECT_EQ(refusal(config, tensors), "roformer: the checkpoint lacks \"" + std::string(each.tensor) +
                                            "\"; allowed: every parameter of the configuration");
    // The whole head, which the class promises.
    for (auto it = tensors.begin(); it != tensors.end();) {
      it = it->first.rfind("roformer.", 0) == 0 ? std::next(it) : tensors.erase(it);
    }
    EXPECT_NE(refusal(config, tensors).find(each.tensor), std::string::npos);
  }
}

TEST(RoFormerHead, WrongShapesAreNamed) {
  const nlohmann::json questions = config_of("{}", "RoFormerForQuestionAnswering");
  Tensors tensors = made_up::tensors(questions, {"span"});
  tensors["qa_outputs.weight"] = {{3, 24}, std::vector<float>(72)};
  EXPECT_EQ(
      refusal(questions, tensors),
      "roformer: tensor \"qa_outputs.weight\" has the shape [3, 24]; allowed by the configuration: [2, 24]");
  const nlohmann::json tokens = config_of("{}", "RoFormerForTokenClassification");
  tensors = made_up::tensors(tokens, {"token_classification"});
  tensors["classifier.weight"] = {{4, 24}, std::vector<float>(96)};
  EXPECT_EQ(
      refusal(tokens, tensors),
      "roformer: tensor \"classifier.weight\" has the shape [4, 24]; allowed by the configuration: [3, 24]");
  tensors["classifier.weight"] = {{}, {1.0F}};  // a scalar
  EXPECT_NE(refusal(tokens, tensors).find("has the shape []"), std::string::npos);
  // BERT's head of one layer is not RoFormer's of two.
  nlohmann::json classes = config_of("{}", "RoFormerForSequenceClassification");
  tensors = made_up::tensors(tokens, {"token_classification"});
  EXPECT_NE(refusal(classes, tensors).find("It has instead \"classifier.bias\", \"classifier.weight\""),
            std::string::npos);
}

TEST(RoFormerVersion2, IsDetectedInTheCheckpointAndSaidSo) {
  const nlohmann::json says = config_of(version_2, "RoFormerV2ForMaskedLM");
  nlohmann::json silent = says;
  silent.erase("norm_type");
  silent.erase("use_bias");
  const Tensors tensors = made_up::tensors(says, {"masked_lm"});
  for (const auto& [name, tensor] : tensors) {
    EXPECT_EQ(name.find("LayerNorm"), std::string::npos);
    EXPECT_EQ(name.find("bias"), std::string::npos) << name;
  }
  Encoder known(says.dump(), made_up::file(tensors)), found(silent.dump(), made_up::file(tensors));
  const std::vector<std::string> notes = {
      "this is a RoFormer-v2: norms are root mean squares without parameters, the masked-language-model head "
      "is "
      "the decoder alone, and layers have no biases"};
  EXPECT_EQ(known.notes(), notes);
  EXPECT_EQ(found.notes(), notes);
  const Batch batch;
  const auto a = known.forward(batch.input()).logits, b = found.forward(batch.input()).logits;
  EXPECT_EQ(std::vector<float>(a.begin(), a.end()), std::vector<float>(b.begin(), b.end()));

  // One bias too many, and it is a version 1 of which much is missing.
  Tensors mixed = tensors;
  mixed["roformer.encoder.layer.0.output.dense.bias"] = {{24}, std::vector<float>(24)};
  EXPECT_NE(refusal(silent, mixed).find("lacks \"roformer.embeddings.LayerNorm.weight\""), std::string::npos);
}

TEST(RoFormerVersion2, NeedsWordsAsWideAsHiddenStatesForItsDecoder) {
  const nlohmann::json config = config_of(R"({"norm_type": "rms_norm", "embedding_size": 16})", "x");
  const auto made = model::Model::make(made_up::spec(config, {"masked_lm"}));
  EXPECT_EQ(
      made.status().message(),
      "roformer-v2: `embedding_size` is 16; allowed: where the decoder stands alone, `hidden_size`, 24");
}

}  // namespace roformer_heads_test
