// Decoders of more families against tests/golden/decoders-2: values of the families' own classes in float64.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "each_architecture.hpp"
#include "golden_folders.hpp"
#include "ropewalk/decoder.hpp"

namespace decoder_families_test {

using namespace ropewalk;
using Ids = std::vector<std::int32_t>;

struct Golden {
  Decoder model;
  nlohmann::json expected;
};

Golden read(const std::string& name, Precision precision = Precision::float32) {
  const std::string folder = "decoders-2/" + name;
  return {Decoder(checkpoint::text(folder + "/config.json"), golden::weights_in(folder),
                  {.precision = precision, .context = 64}),
          golden::read(folder + "/expected.json")};
}

/// The largest difference, as a share of the largest value.
double distance(std::span<const float> actual, const std::vector<double>& expected) {
  EXPECT_EQ(actual.size(), expected.size());
  if (actual.size() != expected.size()) return INFINITY;
  double worst = 0, largest = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double difference = std::fabs(double{actual[i]} - expected[i]);
    if (!(difference <= worst)) worst = difference;  // NaN wins
    largest = std::max(largest, std::fabs(expected[i]));
  }
  return worst / largest;
}

class MoreDecoders : public EachArchitecture {};
ON_EACH_ARCHITECTURE(MoreDecoders);

TEST_P(MoreDecoders, LogitsEqualTheReferenceAtOnceAndInPieces) {
  const std::vector<std::string> names = golden::folders_in("decoders-2");
  EXPECT_GE(names.size(), 15u);
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    const auto [model, expected] = read(name);
    const Ids ids = expected["ids"];
    KeyCache cache = model.cache(), other = model.cache(), raw = model.cache({.keys = StoredKeys::raw});
    const double at_once = distance(cache.feed(ids, {.all = true}), expected["logits"]);
    std::vector<float> together;
    for (std::size_t at = 0; const std::size_t size : expected["pieces"]["sizes"]) {
      const auto some = other.feed(std::span(ids).subspan(at, size), {.all = true});
      together.insert(together.end(), some.begin(), some.end());
      at += size;
    }
    const double in_pieces = distance(together, expected["logits"]);
    const double with_raw_keys = distance(raw.feed(ids, {.all = true}), expected["logits"]);
    EXPECT_LE(at_once, 2e-5);
    EXPECT_LE(in_pieces, 2e-5);
    EXPECT_LE(with_raw_keys, 2e-5);
    std::printf("  %s %s: at once %.1e, in pieces %.1e, raw keys %.1e\n", GetParam().c_str(), name.c_str(),
                at_once, in_pieces, with_raw_keys);
  }
}

TEST(MoreDecoders, GreedyTokensEqualTheReference) {
  for (const std::string& name : golden::folders_in("decoders-2")) {
    SCOPED_TRACE(name);
    const auto [model, expected] = read(name);
    KeyCache cache = model.cache();
    Sampler sampler = raise(Sampler::make({}));
    cache.feed(expected["greedy"]["prompt"].get<Ids>());
    for (const std::int32_t token : expected["greedy"]["tokens"].get<Ids>()) {
      const Sample sample = cache.sample(sampler);
      ASSERT_EQ(sample.id, token);
      cache.feed({{sample.id}});
    }
  }
}

/// Dropping a start leaves a text of its own, up to what its tokens have seen of the start: the first layer's
/// keys, which saw nothing, have the bits of a text that was fed without it.
TEST(MoreDecoders, ACacheWhoseStartIsDroppedGoesOn) {
  for (const std::string& name : golden::folders_in("decoders-2")) {
    SCOPED_TRACE(name);
    const auto [model, expected] = read(name);
    const Ids ids = expected["ids"];
    KeyCache cache = model.cache(), fresh = model.cache();
    cache.feed(ids);
    if (name == "gpt2") {
      EXPECT_EQ(
          cache.try_drop(0, 5).message(),
          "drop: `cache` is of a model with learned positions; allowed: a model whose keys rotate, since a "
          "position that was added to a word vector cannot be changed; trim the cache and feed what follows");
      EXPECT_EQ(cache.length(), ids.size());
      continue;
    }
    if (name == "lfm2") continue;  // The first layer has no keys; see the test below.
    cache.drop(0, 5);
    fresh.feed(std::span(ids).subspan(5));
    const auto moved = cache.keys(0), own = fresh.keys(0);
    ASSERT_EQ(moved.size(), own.size());
    double worst = 0;
    for (std::size_t i = 0; i < own.size(); ++i)
      worst = std::max(worst, std::fabs(double{moved[i]} - double{own[i]}));
    EXPECT_LE(worst, 2e-5);
  }
}

/// A short convolution sees the two tokens before its own, which the cache keeps for every token: so a cache can be trimmed,
/// copied, saved and extended anywhere, in pieces of any size.
TEST_P(MoreDecoders, ACacheWithConvolutionsCanBeCutAnywhere) {
  const auto [model, expected] = read("lfm2");
  const Ids ids = expected["ids"];
  for (const CacheType type : {CacheType::float32, CacheType::float16, CacheType::int8}) {
    KeyCache whole = model.cache({.type = type});
    const auto all = whole.feed(ids, {.all = true});
    const std::vector<float> logits(all.begin(), all.end());
    const std::size_t vocabulary = logits.size() / ids.size();
    for (const std::size_t kept : {0, 1, 2, 3, 7, 20}) {
      KeyCache cache = model.cache({.type = type});
      cache.feed(ids);
      cache.trim(kept);
      KeyCache fork = cache.fork(), restored = model.restore(cache.save());
      for (KeyCache* each : {&cache, &fork, &restored}) {
        for (std::size_t at = kept; at < ids.size(); ++at) {
          const auto found = each->feed(std::span(ids).subspan(at, 1));
          ASSERT_TRUE(std::ranges::equal(found, std::span(logits).subspan(at * vocabulary, vocabulary)))
              << kept << ", " << at;
        }
      }
    }
  }
  KeyCache cache = model.cache();
  cache.feed(ids);
  std::vector<float> keys(cache.key_elements(0));
  EXPECT_EQ(cache.try_keys(0, keys).message(),
            "keys: `layer` is 0; allowed: a layer that attends: this one is a convolution");
}

}  // namespace decoder_families_test
