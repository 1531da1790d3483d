// The model in web/public/model fills in what a reader would, and goes by the order of the words.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "checkpoint.hpp"
#include "ropewalk/encoder.hpp"
#include "tasks/english/english.hpp"

namespace shipped_model_test {

using namespace ropewalk;

std::string shipped(const char* name) {
  return checkpoint::text("../../web/public/model/" + std::string(name));
}

class ShippedModel : public testing::Test {
 protected:
  std::int32_t id(std::string_view token) const { return vocabulary_.at(std::string(token)); }

  // Probability and word for the first [MASK], likeliest first.
  std::vector<std::pair<double, std::string>> fill(std::string_view text) {
    std::vector<std::int32_t> ids = {id("[CLS]")};
    std::size_t place = 0;
    while (!text.empty()) {
      const std::string_view word = text.substr(0, text.find(' '));
      text.remove_prefix(std::min(text.size(), word.size() + 1));
      if (word == "[MASK]" && place == 0) place = ids.size();
      ids.push_back(id(word));
    }
    ids.push_back(id("[SEP]"));
    const EncoderOutput output = model_.forward({.input_ids = ids, .batch = 1, .sequence = ids.size()});
    const std::span<const float> logits =
        output.logits.subspan(place * vocabulary_.size(), vocabulary_.size());
    double sum = 0;
    for (const float logit : logits) sum += std::exp(double{logit});
    std::vector<std::pair<double, std::string>> result;
    for (const auto& [word, index] : vocabulary_.items()) {
      result.emplace_back(std::exp(double{logits[index.get<std::size_t>()]}) / sum, word);
    }
    std::sort(result.rbegin(), result.rend());
    return result;
  }
  std::string best(std::string_view text) { return fill(text).front().second; }

  nlohmann::json tokenizer_ = nlohmann::json::parse(shipped("tokenizer.json"));
  nlohmann::json vocabulary_ = tokenizer_["model"]["vocab"];
  Encoder model_{shipped("config.json"), checkpoint::bytes("../../web/public/model/model.safetensors")};
};

TEST_F(ShippedModel, IsSmallAndWhole) {
  EXPECT_LT(shipped("model.safetensors").size(), 2'000'000u);
  EXPECT_TRUE(model_.notes().empty());
  EXPECT_EQ(model_.spec().vocabulary, vocabulary_.size());
  EXPECT_EQ(model_.spec().padding_id, 0u);
  EXPECT_EQ(id("[PAD]"), 0);
  for (const auto& token : tokenizer_["added_tokens"]) {
    EXPECT_EQ(id(token["content"].get<std::string>()), token["id"]);
    EXPECT_TRUE(token["special"]);
  }
}

TEST_F(ShippedModel, KnowsTheWordsOfTheGeneratedEnglish) {
  const trainer::English english;
  EXPECT_EQ(english.words().size() + 5, vocabulary_.size());
  for (std::size_t word = 0; word < english.words().size(); ++word) {
    EXPECT_EQ(id(english.words()[word]), static_cast<std::int32_t>(word + 5));
  }
}

TEST_F(ShippedModel, FillsInWhatOneCanGive) {
  const trainer::English english;
  const auto& lexicon = english.grammar().lexicon();
  std::set<std::string> gifts;
  for (const auto& entry : lexicon.entries) {
    if (entry.kind == "thing" && (entry.classes & lexicon.class_bit("gift")) != 0) {
      gifts.emplace(entry.forms[0]);
    }
  }
  EXPECT_GT(gifts.size(), 20u);
  for (const char* text :
       {"the captain gave the [MASK] to the sailor", "the captain gave the [MASK] to the sailor ."}) {
    const auto guesses = fill(text);
    double sum = 0;
    for (std::size_t i = 0; i < guesses.size(); ++i) {
      const bool gift = gifts.contains(guesses[i].second);
      EXPECT_TRUE(gift || i >= 10) << guesses[i].second;
      sum += gift ? guesses[i].first : 0;
    }
    EXPECT_GT(sum, 0.9) << text;
  }
}

TEST_F(ShippedModel, GoesByTheOrderOfTheWords) {
  EXPECT_EQ(best("the captain gave the rope to the sailor . now the [MASK] has the rope ."), "sailor");
  EXPECT_EQ(best("the sailor gave the rope to the captain . now the [MASK] has the rope ."), "captain");
  EXPECT_EQ(best("the captain took the rope from the sailor . now the [MASK] has the rope ."), "captain");
  EXPECT_EQ(best("the captain gave the rope to the sailor . the sailor thanked the [MASK] ."), "captain");
}

TEST_F(ShippedModel, AgreesInNumberAndGender) {
  EXPECT_EQ(best("the sailors who saw the captain [MASK] tired ."), "were");
  EXPECT_EQ(best("the sailor who saw the captains [MASK] tired ."), "was");
  EXPECT_EQ(best("the captain gave the sailor [MASK] orange ."), "the");
}

TEST_F(ShippedModel, IsNearlyAsGoodInEightBits) {
  Encoder eight{shipped("config.json"), checkpoint::bytes("../../web/public/model/model.safetensors"),
                Precision::int8};
  const trainer::English english;
  Random random(17);
  Random texts = random.fork(0), masks = random.fork(1);
  const std::size_t vocab = vocabulary_.size();
  std::size_t asked = 0, right = 0, right_in_eight = 0;
  double worst = 0, error = 0, size = 0;
  std::vector<int> words;
  for (int text = 0; text < 400; ++text) {
    english.sample(texts, words);
    std::vector<std::int32_t> ids = {id("[CLS]")};
    for (const int word : words) ids.push_back(word + 5);
    ids.push_back(id("[SEP]"));
    std::vector<std::size_t> places;
    std::vector<std::int32_t> answers;
    for (std::size_t i = 1; i + 1 < ids.size(); ++i) {
      if (!masks.chance(0.15)) continue;
      places.push_back(i);
      answers.push_back(std::exchange(ids[i], id("[MASK]")));
    }
    const EncoderInput input{.input_ids = ids, .batch = 1, .sequence = ids.size()};
    const std::span<const float> exact = model_.forward(input).logits, near = eight.forward(input).logits;
    for (std::size_t place = 0; place < places.size(); ++place) {
      const auto guess = [&](std::span<const float> logits) {
        const auto first = logits.begin() + static_cast<std::ptrdiff_t>(places[place] * vocab);
        return static_cast<std::int32_t>(
            std::max_element(first + 5, first + static_cast<std::ptrdiff_t>(vocab)) - first);
      };
      ++asked;
      right += guess(exact) == answers[place];
      right_in_eight += guess(near) == answers[place];
      for (std::size_t i = places[place] * vocab; i < (places[place] + 1) * vocab; ++i) {
        const double difference = double{exact[i]} - near[i];
        worst = std::max(worst, std::fabs(difference));
        error += difference * difference;
        size += double{exact[i]} * exact[i];
      }
    }
  }
  const double accuracy = static_cast<double>(right) / static_cast<double>(asked);
  const double in_eight = static_cast<double>(right_in_eight) / static_cast<double>(asked);
  std::printf(
      "  8 bits: %.3f of %zu hidden words, %.3f in float32; logits differ by at most %.3f, %.4f of their "
      "size\n",
      in_eight, asked, accuracy, worst, std::sqrt(error / size));
  EXPECT_GT(asked, 500u);
  EXPECT_GT(accuracy, 0.7);
  EXPECT_GE(in_eight, accuracy - 0.005);
  EXPECT_LT(worst, 1.5);
  EXPECT_LT(std::sqrt(error / size), 0.025);
  EXPECT_GT(worst, 0);
}

}  // namespace shipped_model_test
