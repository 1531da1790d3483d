// The decoder in web/public/decoder writes what the grammar can make, and goes by who did what.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "checkpoint.hpp"
#include "ropewalk/decoder.hpp"
#include "tasks/english/english.hpp"

namespace shipped_decoder_test {

using namespace ropewalk;

std::string shipped(const char* name) {
  return checkpoint::text("../../web/public/decoder/" + std::string(name));
}

class ShippedDecoder : public testing::Test {
 protected:
  std::int32_t id(std::string_view token) const { return vocabulary_.at(std::string(token)); }

  /// A text behind the token that begins texts.
  std::vector<std::int32_t> ids(std::string_view text) const {
    std::vector<std::int32_t> ids = {id("<|endoftext|>")};
    while (!text.empty()) {
      const std::string_view word = text.substr(0, text.find(' '));
      text.remove_prefix(std::min(text.size(), word.size() + 1));
      ids.push_back(id(word));
    }
    return ids;
  }

  std::string next(std::string_view text) const {
    KeyCache cache = model_.cache();
    const std::span<const float> logits = cache.feed(ids(text));
    const auto best = std::max_element(logits.begin(), logits.end()) - logits.begin();
    for (const auto& [word, index] : vocabulary_.items()) {
      if (index.get<std::ptrdiff_t>() == best) return word;
    }
    return "";
  }

  nlohmann::json vocabulary_ = nlohmann::json::parse(shipped("tokenizer.json"))["model"]["vocab"];
  nlohmann::json report_ = nlohmann::json::parse(shipped("report.json"));
  trainer::English english_;
  // In 8 bits every machine computes the same logits, and so writes the same texts.
  Decoder model_{shipped("config.json"),
                 checkpoint::bytes("../../web/public/decoder/model.safetensors"),
                 {.precision = Precision::int8}};
};

TEST_F(ShippedDecoder, IsSmallAndWhole) {
  EXPECT_LT(shipped("model.safetensors").size(), 2'000'000u);
  EXPECT_LE(model_.parameter_count(), 1'800'000u);
  EXPECT_EQ(model_.parameter_count(), report_["model"]["parameters"]);
  EXPECT_TRUE(model_.notes().empty());
  EXPECT_EQ(model_.spec().vocabulary, vocabulary_.size());
  EXPECT_EQ(english_.words().size() + 2, vocabulary_.size());
  EXPECT_EQ(id("<|endoftext|>"), 0);
  for (std::size_t word = 0; word < english_.words().size(); ++word)
    EXPECT_EQ(id(english_.words()[word]), static_cast<std::int32_t>(word + 2));
}

TEST_F(ShippedDecoder, WritesTextsOfTheGrammar) {
  constexpr std::size_t texts = 150;
  std::size_t accepted = 0;
  std::set<std::vector<int>> different;
  for (std::size_t seed = 0; seed < texts; ++seed) {
    Sampler sampler = raise(Sampler::make({.temperature = 1, .seed = seed}));
    KeyCache cache = model_.cache();
    std::vector<int> words;
    for (std::int32_t id = 0; words.size() < 64;) {
      cache.feed(std::span(&id, 1));
      id = cache.sample(sampler).id;
      if (id == 0) break;
      words.push_back(id - 2);
    }
    different.insert(words);
    const bool known = std::ranges::all_of(words, [](int word) { return word >= 0; });
    accepted += known && english_.probability(words) > 0;
  }
  const double reported = report_["written"][0]["accepted"];
  std::printf("  %zu of %zu texts are of the grammar, %zu differ; reported %.3f\n", accepted, texts,
              different.size(), reported);
  EXPECT_GE(static_cast<double>(accepted) / texts, reported - 0.12);
  EXPECT_GE(reported, 0.7);
  EXPECT_GE(different.size(), texts * 9 / 10);
}

TEST_F(ShippedDecoder, IsNearTheEntropyOfTheGrammar) {
  const auto& held_out = report_["heldOut"];
  const double loss = held_out["loss"], entropy = held_out["entropyOfTheGrammar"];
  EXPECT_GT(loss, entropy);
  EXPECT_LT(loss, entropy + 0.1);
  EXPECT_GE(held_out["texts"], 1000);
  // Fifteen minutes of two cores.
  EXPECT_LT(report_["training"]["cpuSeconds"], 1800);
}

TEST_F(ShippedDecoder, GoesByTheOrderOfTheWords) {
  EXPECT_EQ(next("the captain gave the rope to the sailor . now the"), "sailor");
  EXPECT_EQ(next("the sailor gave the rope to the captain . now the"), "captain");
  EXPECT_EQ(next("the captain took the rope from the sailor . now the"), "captain");
  EXPECT_EQ(next("the sailors who saw the captain"), "were");
  EXPECT_EQ(next("the captain gave the rope to the sailor . now the sailor has the"), "rope");
}

}  // namespace shipped_decoder_test
