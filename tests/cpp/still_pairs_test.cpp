// Caches without parts of the rotation, against models whose files say the same in another way; decoder_property_test.cpp
// has them against a naive model.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "decoder_files.hpp"
#include "each_architecture.hpp"
#include "golden.hpp"
#include "ropewalk/decoder.hpp"

namespace still_pairs_test {

using namespace ropewalk;
using Ids = std::vector<std::int32_t>;
using Parts = std::vector<RotationPart>;

const Ids ids = {7, 3, 41, 3, 12, 35, 9, 9, 30, 3, 41, 20, 1, 38, 17, 3};

Decoder decoder(const nlohmann::json& config, const std::string& folder) {
  return Decoder(config.dump(), golden::weights_in(folder), {.context = 64});
}
Decoder decoder(const std::string& folder) { return decoder(golden::read(folder + "/config.json"), folder); }
std::vector<float> fed(const Decoder& model, const CacheOptions& options) {
  const std::span<const float> logits = model.cache(options).feed(ids, {.all = true});
  return {logits.begin(), logits.end()};
}
double distance(std::span<const float> a, std::span<const float> b) {
  EXPECT_EQ(a.size(), b.size());
  double worst = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    worst = std::max(worst, std::fabs(double{a[i]} - double{b[i]}));
  return worst;
}

/// config.json of the golden Llama, whose four pairs have the given factors; a factor of 1e300 leaves no angle at all.
nlohmann::json llama_with(const std::vector<double>& factors, double attention_factor) {
  nlohmann::json config = golden::read("decoders/llama/config.json");
  config["rope_scaling"] = {{"rope_type", "longrope"},
                            {"short_factor", factors},
                            {"long_factor", factors},
                            {"original_max_position_embeddings", 64},
                            {"attention_factor", attention_factor}};
  return config;
}
constexpr double none = 1e300;

class StillPairs : public EachArchitecture {};
ON_EACH_ARCHITECTURE(StillPairs);

TEST_P(StillPairs, HaveTheBitsOfFrequenciesThatAreZero) {
  for (const double scaling : {1.0, 1.25}) {
    const Decoder all = decoder(llama_with({1, 1, 1, 1}, scaling), "decoders/llama");
    for (std::size_t pair = 0; pair < 4; ++pair) {
      std::vector<double> factors(4, 1.0);
      factors[pair] = none;
      const Decoder less = decoder(llama_with(factors, scaling), "decoders/llama");
      for (const StoredKeys keys : {StoredKeys::rotated, StoredKeys::raw}) {
        EXPECT_EQ(fed(all, {.keys = keys, .without_rotation = {{.pair = pair}}}), fed(less, {.keys = keys}));
        EXPECT_NE(fed(all, {.keys = keys}), fed(less, {.keys = keys}));
      }
    }
  }
}

TEST_P(StillPairs, OfAllLayersAreAModelWithoutPositions) {
  nlohmann::json config = golden::read("decoders/smollm3/config.json");
  const std::size_t layers = config["num_hidden_layers"];
  config["no_rope_layers"] = std::vector<int>(layers, 1);
  const Decoder all = decoder(config, "decoders/smollm3");
  for (std::size_t layer = 0; layer < layers; ++layer) {
    config["no_rope_layers"] = std::vector<int>(layers, 1);
    config["no_rope_layers"][layer] = 0;
    const Decoder less = decoder(config, "decoders/smollm3");
    EXPECT_EQ(fed(all, {.without_rotation = {{.layer = layer}}}), fed(less, {}));
    EXPECT_NE(fed(all, {}), fed(less, {}));
  }
  config["no_rope_layers"] = std::vector<int>(layers, 0);
  EXPECT_EQ(fed(all, {.without_rotation = {{}}}), fed(decoder(config, "decoders/smollm3"), {}));
}

TEST_P(StillPairs, TurnToOtherFrequenciesWithTheOthers) {
  const Decoder all = decoder(llama_with({1, 1, 1, 1}, 1.25), "decoders/llama"),
                less = decoder(llama_with({1, 1, none, 1}, 1.25), "decoders/llama");
  for (const StoredKeys keys : {StoredKeys::rotated, StoredKeys::raw}) {
    KeyCache a = all.cache({.keys = keys, .without_rotation = {{.pair = 2}}}), b = less.cache({.keys = keys});
    a.feed(ids);
    b.feed(ids);
    a.rescale(llama_with({2, 3, 4, 5}, 1.5)["rope_scaling"].dump());
    b.rescale(llama_with({2, 3, none, 5}, 1.5)["rope_scaling"].dump());
    for (std::size_t layer = 0; layer < 3; ++layer) EXPECT_LE(distance(a.keys(layer), b.keys(layer)), 1e-6);
    const std::span<const float> first = a.feed(ids);
    const std::vector<float> logits(first.begin(), first.end());
    EXPECT_LE(distance(logits, b.feed(ids)), 1e-5);
  }
}

/// Where nothing rotates, keys that are not rotated on behind a drop are those that are: in every family.
TEST_P(StillPairs, LeaveNoPositionInAnyFamily) {
  std::size_t rotating = 0;
  for (const std::string parent : {"decoders", "decoders-2"}) {
    for (const std::string& name : golden::folders_in(parent)) {
      if (name.starts_with("train-")) continue;
      SCOPED_TRACE(name);
      const Decoder model = decoder(parent + "/" + name);
      Result<KeyCache> made = model.try_cache({.keys = StoredKeys::rotated, .without_rotation = {{}}});
      if (!made.ok()) {
        EXPECT_NE(made.status().message().find("nothing: no layer rotates"), std::string::npos);
        continue;
      }
      const auto change = [&](const CacheOptions& options) {
        KeyCache moved = model.cache(options), kept = model.cache(options);
        for (KeyCache* cache : {&moved, &kept}) cache->feed(ids);
        if (!moved.try_drop(2, 5).ok()) return 0.0;
        kept.drop(2, 5, {.rotate = false});
        const std::span<const float> first = moved.feed({{5}});
        const std::vector<float> logits(first.begin(), first.end());
        return distance(logits, kept.feed({{5}}));
      };
      EXPECT_LE(change({.keys = StoredKeys::rotated, .without_rotation = {{}}}), 2e-5);
      rotating += change({.keys = StoredKeys::rotated}) > 2e-4;
    }
  }
  EXPECT_GE(rotating, 20u);
}

TEST(StillPairs, AreRefusedByNameWhereTheModelHasNone) {
  struct Refusal {
    const char* folder;
    Parts parts;
    const char* words;
  };
  const Refusal refusals[] = {
      {"decoders/llama", {{.layer = 3}}, "cache: `without_rotation[0].layer` is 3; allowed: 0 to 2"},
      {"decoders/llama", {{}, {.key_head = 2}}, "`without_rotation[1].key_head` is 2; allowed: 0 to 1"},
      {"decoders/llama", {{.layer = 1, .pair = 4}}, "`without_rotation[0].pair` is 4; allowed: 0 to 3"},
      {"decoders/gpt-neox", {{.pair = 2}}, "`without_rotation[0].pair` is 2"},
      {"decoders/smollm3", {{.layer = 3}}, "allowed: a layer that rotates keys of its own"},
      {"decoders-2/gpt2", {{}}, "`without_rotation` is given; allowed: nothing: no layer rotates"},
  };
  for (const auto& [folder, parts, words] : refusals) {
    const Result<KeyCache> made = decoder(folder).try_cache({.without_rotation = parts});
    ASSERT_FALSE(made.ok()) << folder;
    EXPECT_EQ(made.status().code(), Status::Code::range);
    EXPECT_NE(made.status().message().find(words), std::string::npos) << made.status().message();
  }
}

TEST(StillPairs, DoNotMixWithThoseOfOtherCaches) {
  const Decoder model = decoder("decoders/llama");
  const CacheOptions one{.without_rotation = {{.layer = 1}}}, other{.without_rotation = {{.layer = 2}}};
  // The same pairs, said in another way.
  const CacheOptions same{.without_rotation = {{.layer = 1, .key_head = 0}, {.layer = 1, .key_head = 1}}};
  KeyCache cache = model.cache(one), plain = model.cache();
  cache.feed(ids);
  const std::vector<float> keys = cache.keys(2);
  const auto refused = [](const Status& status, const char* words) {
    EXPECT_NE(status.message().find(words), std::string::npos) << status.message();
  };
  constexpr const char* mixed = "allowed: one with the `without_rotation` of the cache";
  refused(cache.try_append(model.chunk(ids)), mixed);
  refused(cache.try_append(model.chunk(ids, other)), mixed);
  refused(plain.try_append(model.chunk(ids, one)), mixed);
  refused(cache.try_save().status(), "save: `cache` is without a part of the rotation");
  EXPECT_EQ(cache.keys(2), keys);
  cache.append(model.chunk(ids, same));
  EXPECT_EQ(cache.length(), 2 * ids.size());
  // A copy leaves the same out.
  KeyCache copy = cache.fork();
  const std::span<const float> first = cache.feed({{5}});
  const std::vector<float> logits(first.begin(), first.end());
  EXPECT_EQ(distance(logits, copy.feed({{5}})), 0);
  EXPECT_NE(copy.explain().find("8 pairs of the key heads of all layers are without rotation"),
            std::string::npos)
      << copy.explain();
  EXPECT_EQ(model.cache({.without_rotation = {}}).explain(), model.cache().explain());
}

}  // namespace still_pairs_test
