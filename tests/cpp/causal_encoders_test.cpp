// Causal models as encoders: hidden states against tests/golden/decoders, scores of a reranker against
// tests/golden/encoders-2, and what is refused. tests/golden/encoders has causal models of sentence vectors.

#include <gtest/gtest.h>

#include <map>

#include "each_architecture.hpp"
#include "golden_encoders.hpp"

namespace causal_encoders_test {

using namespace golden_encoders;

/// Cases of tests/golden/decoders and their limits, as the folder's README has them.
const std::map<std::string, double> decoders = {
    {"llama", 2e-5},         {"llama3", 2e-5}, {"llama-bias-linear", 2e-5},
    {"llama-dynamic", 2e-5}, {"qwen2", 2e-5},  {"qwen2-yarn", 2e-5},
    {"qwen3", 2e-5},         {"gemma3", 5e-5}};
const std::string reranker = "encoders-2/qwen3-reranker";

nlohmann::json reranker_config(const nlohmann::json& score) {
  nlohmann::json config = golden::read(reranker + "/config.json");
  config["sentence_transformers"] = score;
  return config;
}
nlohmann::json score_of_reranker() {
  nlohmann::json score = golden::read(reranker + "/1_LogitScore/config.json");
  score["activation_fn"] = golden::read(reranker + "/config_sentence_transformers.json")["activation_fn"];
  return score;
}

class CausalEncoders : public EachArchitecture {};
ON_EACH_ARCHITECTURE(CausalEncoders);

TEST_P(CausalEncoders, HaveTheHiddenStatesOfDecoders) {
  for (const auto& [name, limit] : decoders) {
    SCOPED_TRACE(name);
    const std::string folder = "decoders/" + name;
    Encoder model(checkpoint::text(folder + "/config.json"), golden::weights_in(folder));
    const nlohmann::json expected = golden::read(folder + "/expected.json");
    const std::vector<std::int32_t> ids = expected["ids"];
    const EncoderOutput output = model.forward({ids, 1, ids.size()}, {.hidden_states = true});
    EXPECT_TRUE(output.logits.empty());
    const std::size_t width = model.spec().hidden;
    const std::vector<std::size_t> places = expected["hidden_rows"];
    const auto check = [&](const std::vector<double>& rows, std::span<const float> values) {
      std::vector<float> found;
      for (const std::size_t place : places) {
        const auto row = values.subspan(place * width, width);
        found.insert(found.end(), row.begin(), row.end());
      }
      EXPECT_LE(distance(found, rows, width, [](std::size_t) { return true; }), limit);
    };
    for (std::size_t l = 0; l < expected["hidden_states"].size(); ++l)
      check(expected["hidden_states"][l], output.hidden_states.at(l));
    check(expected["final_norm"], output.last_hidden_state);
  }
}

TEST_P(CausalEncoders, ScorePairsByTheLogitsOfTwoWords) {
  Encoder model(reranker_config(score_of_reranker()).dump(), golden::weights_in(reranker));
  const auto expected = golden::read(reranker + "/expected.json");
  for (const auto& ranking : expected["rankings"]) {
    const std::vector<std::vector<std::int32_t>> pairs = ranking["ids"];
    const std::vector<double> logits = ranking["logits"], scores = ranking["scores"];
    std::size_t longest = 0;
    for (const auto& pair : pairs) longest = std::max(longest, pair.size());
    for (const bool left : {false, true}) {
      std::vector<std::int32_t> ids, mask;
      for (const auto& pair : pairs) {
        const std::size_t padding = longest - pair.size(), before = left ? padding : 0;
        for (std::size_t i = 0; i < longest; ++i) {
          const bool counts = i >= before && i < before + pair.size();
          ids.push_back(counts ? pair[i - before] : 420);
          mask.push_back(counts ? 1 : 0);
        }
      }
      const EncoderOutput output = model.forward({ids, pairs.size(), longest, {}, mask});
      EXPECT_TRUE(output.logits.empty());
      const auto all = [](std::size_t) { return true; };
      EXPECT_LE(distance(output.class_logits, logits, 1, all), 2e-5) << left;
      EXPECT_LE(distance(output.relevance, scores, 1, all), 2e-5) << left;
    }
  }
}

TEST(CausalReranker, ReadsAMatrixOfItsOwnWhereWordsAreNotTied) {
  // The golden model of words that are tied, under the names of both.
  const std::vector<std::byte> bytes = golden::weights_in(reranker);
  const Safetensors file = open_safetensors(bytes);
  std::vector<std::vector<float>> values;
  std::vector<SafetensorsSource> sources;
  values.reserve(file.tensors().size() + 1);
  for (const SafetensorsTensor& tensor : file.tensors()) {
    values.emplace_back(tensor.elements);
    read_float32(tensor, values.back());
    sources.push_back({tensor.name, tensor.shape, values.back()});
    if (tensor.name != "model.embed_tokens.weight") continue;
    values.push_back(values.back());
    for (float& value : values.back()) value *= 2;
    sources.push_back({"lm_head.weight", tensor.shape, values.back()});
  }
  const SafetensorsLayout layout = raise(SafetensorsLayout::make(sources));
  std::vector<std::byte> untied(layout.size());
  raise(layout.try_write(untied));
  nlohmann::json config = reranker_config(score_of_reranker());
  Encoder one(config.dump(), bytes);
  config["tie_word_embeddings"] = false;
  Encoder other(config.dump(), untied);
  const std::vector<std::int32_t> ids = {1, 7, 9};
  EXPECT_FLOAT_EQ(2 * one.forward({ids, 1, 3}).class_logits[0], other.forward({ids, 1, 3}).class_logits[0]);
}

TEST(CausalReranker, ScoresByOneWordWhereThereIsNoOther) {
  const std::vector<std::byte> weights = golden::weights_in(reranker);
  const std::vector<std::int32_t> ids = {1, 7, 9};
  const auto score = [&](const nlohmann::json& words) {
    return Encoder(reranker_config(words).dump(), weights).forward({ids, 1, 3}).class_logits[0];
  };
  const float yes = score({{"true_token_id", 264}}),
              no = score({{"true_token_id", 256}, {"false_token_id", nullptr}});
  EXPECT_NEAR(score({{"true_token_id", 264}, {"false_token_id", 256}}), yes - no, 1e-5);
}

TEST(CausalReranker, RefusesWordsThatAreNotThere) {
  const auto message = [](nlohmann::json config, const nlohmann::json& score) {
    config["sentence_transformers"] = score;
    return Encoder::make(config.dump(), {}).status().message();
  };
  const nlohmann::json config = golden::read(reranker + "/config.json"),
                       bert = golden::read(folder("bert-minilm") + "/config.json");
  EXPECT_NE(message(config, {{"true_token_id", 423}}).find("`true_token_id` is 423"), std::string::npos);
  EXPECT_NE(message(config, {{"true_token_id", 1}, {"false_token_id", -1}}).find("`false_token_id`"),
            std::string::npos);
  EXPECT_NE(message(bert, {{"true_token_id", 1}}).find("a causal model"), std::string::npos);
  nlohmann::json capped = golden::read("decoders/gemma2/config.json");
  EXPECT_NE(message(capped, {{"true_token_id", 1}}).find("no cap"), std::string::npos);
}

TEST(CausalEncoder, SeesBothWaysWhereTheConfigurationSaysSo) {
  nlohmann::json config = golden::read(folder("qwen3-embedding") + "/config.json");
  const std::vector<std::byte> weights = weights_of("qwen3-embedding");
  const std::vector<std::int32_t> one = {5, 7, 9}, other = {5, 7, 8};
  const auto first = [&](const std::vector<std::int32_t>& ids) {
    return Encoder(config.dump(), weights).forward({ids, 1, 3}).last_hidden_state[0];
  };
  EXPECT_EQ(first(one), first(other));
  config["is_causal"] = false;
  EXPECT_NE(first(one), first(other));
}

}  // namespace causal_encoders_test
