// Sampling from some of the tokens: the choice is that of logits without the others, the probability the model's own.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "decoder_files.hpp"
#include "ropewalk/decoder.hpp"

namespace allowed_test {

using namespace ropewalk;

std::vector<std::uint32_t> bits(std::span<const std::int32_t> ids) {
  std::vector<std::uint32_t> words(2);
  for (const std::int32_t id : ids)
    words[static_cast<std::size_t>(id) / 32] |= 1u << (static_cast<unsigned>(id) % 32);
  return words;
}

Sampler sampler_of(double temperature, std::uint64_t seed = 1) {
  return raise(Sampler::make({.temperature = temperature, .repetition_penalty = 1.3, .seed = seed}));
}

class Allowed : public testing::Test {
 protected:
  Decoder model{checkpoint::text("decoders/llama/config.json"), decoder_files::weights("llama")};
  KeyCache cache = model.cache();
  const std::vector<std::int32_t> prompt = {1, 7, 33, 7};
};

TEST_F(Allowed, TakesTheBestOfThoseThatAreLeft) {
  const std::span<const float> logits = cache.feed(prompt);
  double highest = -std::numeric_limits<double>::infinity(), sum = 0;
  for (const float each : logits) highest = std::max<double>(highest, each);
  for (const float each : logits) sum += std::exp(each - highest);
  for (std::int32_t a = 0; a < 60; ++a) {
    const std::vector<std::int32_t> pair = {a, 60};
    Sampler greedy = raise(Sampler::make({}));
    Sample sample;
    raise(cache.try_sample(greedy, bits(pair), sample));
    const auto logit = [&](std::int32_t id) { return logits[static_cast<std::size_t>(id)]; };
    EXPECT_EQ(sample.id, logit(60) > logit(a) ? 60 : a);
    EXPECT_NEAR(sample.log_probability, logit(sample.id) - highest - std::log(sum), 1e-12);
  }
}

TEST_F(Allowed, DrawsAsFromLogitsWithoutTheOthers) {
  const std::vector<std::int32_t> left = {2, 7, 31, 32, 33, 59};
  const std::span<const float> fed = cache.feed(prompt);
  std::vector<float> logits(fed.size(), -std::numeric_limits<float>::infinity());
  for (const std::int32_t id : left) logits[static_cast<std::size_t>(id)] = fed[static_cast<std::size_t>(id)];
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Sampler a = sampler_of(2, seed), b = sampler_of(2, seed);
    Sample found, expected;
    raise(cache.try_sample(a, bits(left), found));
    raise(b.try_sample(logits, prompt, expected));
    EXPECT_EQ(found.id, expected.id);
  }
}

TEST_F(Allowed, IsPlainSamplingWhereAllAreAllowed) {
  cache.feed(prompt);
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Sampler a = sampler_of(1, seed), b = sampler_of(1, seed);
    Sample found, expected;
    raise(cache.try_sample(a, std::vector<std::uint32_t>{~0u, ~0u}, found));
    raise(cache.try_sample(b, expected));
    EXPECT_EQ(found.id, expected.id);
    EXPECT_NEAR(found.log_probability, expected.log_probability, 1e-12);
  }
}

TEST_F(Allowed, RefusesWhereNothingIsLeft) {
  Sampler sampler = sampler_of(0);
  Sample sample;
  EXPECT_EQ(cache.try_sample(sampler, std::vector<std::uint32_t>{1}, sample).message(),
            "sample: `cache` is never fed; allowed: a cache that was fed");
  cache.feed(prompt);
  const std::string none = "sample: `allowed` is empty; allowed: at least one token of the vocabulary";
  EXPECT_EQ(cache.try_sample(sampler, {}, sample).message(), none);
  // Token 61 and those behind it are not in the vocabulary.
  EXPECT_EQ(cache.try_sample(sampler, std::vector<std::uint32_t>{0, 1u << 29, ~0u}, sample).message(), none);
}

}  // namespace allowed_test
