// Guesses change how many tokens a pass has, and nothing else: tokens, probabilities, logits and cache are those of one
// token at a time. A screen of the output matrix changes what is read of it: it leaves out probabilities alone.

#include <gtest/gtest.h>

#include <cmath>

#include "decoder_files.hpp"
#include "each_architecture.hpp"
#include "ropewalk/decoder.hpp"

namespace guesses_test {

using namespace ropewalk;

struct Written {
  std::vector<Sample> samples;
  KeyCache cache;
};

/// Those whose frequencies depend on the length, or that have a recurrent state.
bool takes_no_guesses(const std::string& name) {
  return name.ends_with("/llama-dynamic") || name.ends_with("/phi3-longrope") || name.ends_with("/qwen3_5");
}

constexpr std::size_t count = 20;
const std::vector<std::int32_t> prompt = {3, 7, 11, 7, 11, 2};

Sampler sampler_of(double temperature) {
  return Sampler::make({.temperature = temperature,
                        .top_k = 8,
                        .repetition_penalty = 1.2,
                        .repetition_window = 5,
                        .seed = 8})
      .value();
}

Written one_by_one(const Decoder& model, double temperature) {
  Written out{{}, model.cache()};
  Sampler sampler = sampler_of(temperature);
  out.cache.feed(prompt);
  while (true) {
    out.samples.push_back(out.cache.sample(sampler));
    if (out.samples.size() == count) return out;
    out.cache.feed(std::vector{out.samples.back().id});
  }
}

/// `right`: how many guesses of each pass are what will come; behind them stands one that is not.
Written by_guesses(const Decoder& model, double temperature, const std::vector<Sample>& known,
                   std::size_t right, bool and_wrong, bool takes) {
  Written out{{}, model.cache()};
  Sampler sampler = sampler_of(temperature);
  out.cache.feed(prompt);
  out.samples.push_back(out.cache.sample(sampler));
  while (out.samples.size() < count) {
    std::vector<std::int32_t> ids = {out.samples.back().id};
    const std::size_t at = out.samples.size(), left = count - at - 1;
    for (std::size_t i = 0; i < std::min(right, left); ++i) ids.push_back(known[at + i].id);
    if (and_wrong && right < left) ids.push_back((known[at + right].id + 1) % 31);
    std::vector<Sample> taken;
    EXPECT_TRUE(out.cache.try_feed_guesses(ids, sampler, taken).ok());
    EXPECT_EQ(taken.size(), takes ? std::min(right, left) + 1 : 1);
    out.samples.insert(out.samples.end(), taken.begin(), taken.end());
  }
  return out;
}

class Guesses : public EachArchitecture {};

TEST_P(Guesses, ChangeNoTokenAndNoBit) {
  int left_out = 0;
  std::vector<std::string> folders;
  for (const std::string& name : decoder_files::cases()) folders.push_back("decoders/" + name);
  for (const std::string& name : golden::folders_in("decoders-2")) folders.push_back("decoders-2/" + name);
  for (const std::string& name : folders) {
    const std::string config = checkpoint::text(name + "/config.json");
    for (const Precision precision : {Precision::float32, Precision::int8}) {
      const std::vector<std::byte> weights = golden::weights_in(name);
      const Decoder model(config, weights, {.precision = precision, .context = 64});
      const Decoder screened(config, weights, {.precision = precision, .context = 64, .screen = true});
      for (const double temperature : {0.0, 0.9}) {
        Written expected = one_by_one(model, temperature);
        for (const std::size_t right : {0, 1, 3, 7}) {
          for (const bool and_wrong : {false, true}) {
            SCOPED_TRACE(name + ", " + std::to_string(right));
            for (const Decoder* const each : {&model, &screened}) {
              Written found =
                  by_guesses(*each, temperature, expected.samples, right, and_wrong, !takes_no_guesses(name));
              for (std::size_t i = 0; i < count; ++i) {
                EXPECT_EQ(found.samples[i].id, expected.samples[i].id) << i;
                const double probability = found.samples[i].log_probability;
                if (each == &screened && std::isnan(probability)) {
                  ++left_out;
                } else {
                  EXPECT_EQ(probability, expected.samples[i].log_probability) << i;
                }
              }
              ASSERT_TRUE(std::ranges::equal(found.cache.tokens(), expected.cache.tokens()));
              EXPECT_EQ(found.cache.save(), expected.cache.save());
              // All logits are there when they are asked for, in a copy as well.
              Sampler next = sampler_of(0), again = sampler_of(0), usual = sampler_of(0);
              const Sample last = expected.cache.sample(usual);
              const std::vector<std::uint32_t> every(model.spec().vocabulary / 32 + 1, ~0U);
              Sample allowed;
              raise(found.cache.fork().try_sample(next, every, allowed));
              for (const Sample& other :
                   {allowed, found.cache.fork().sample(next), found.cache.sample(again)}) {
                EXPECT_EQ(other.id, last.id);
                EXPECT_EQ(other.log_probability, last.log_probability);
              }
            }
          }
        }
      }
    }
  }
  EXPECT_GT(left_out, 0);
}

TEST_P(Guesses, AreCheckedAsFedTokensAre) {
  const Decoder model(checkpoint::text("decoders/llama/config.json"), decoder_files::weights("llama"),
                      {.context = 8});
  KeyCache cache = model.cache();
  cache.feed(prompt);
  Sampler sampler = sampler_of(0);
  std::vector<Sample> taken;
  EXPECT_EQ(cache.try_feed_guesses(std::vector<std::int32_t>{1, 2, 3}, sampler, taken).message(),
            "feed: `ids` is 3 tokens behind 6; allowed: up to `context` = 8 tokens in all");
  EXPECT_EQ(cache.length(), prompt.size());
  EXPECT_FALSE(cache.try_feed_guesses(std::vector<std::int32_t>{1, 61}, sampler, taken).ok());
  EXPECT_FALSE(cache.try_feed_guesses({}, sampler, taken).ok());
  EXPECT_EQ(cache.length(), prompt.size());
}

ON_EACH_ARCHITECTURE(Guesses);

}  // namespace guesses_test
