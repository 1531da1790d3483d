// Decoders of every family and their caches against tests/golden/decoders, which an independent reference
// computed in float64 from the same files.

#include "ropewalk/decoder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <map>
#include <numeric>

#include "checkpoint.hpp"
#include "decoder_files.hpp"
#include "each_architecture.hpp"
#include "golden.hpp"
#include "ropewalk/safetensors.hpp"

namespace decoder_test {

using namespace ropewalk;
using Ids = std::vector<std::int32_t>;

Decoder decoder(const std::string& name, Precision precision = Precision::float32) {
  return Decoder(checkpoint::text("decoders/" + name + "/config.json"), decoder_files::weights(name),
                 {.precision = precision, .context = 64});
}

/// Meta's form of a model has the logits of the other, also in scripts.
nlohmann::json expected_of(const std::string& name) {
  nlohmann::json own = golden::read("decoders/" + name + "/expected.json");
  if (!own.contains("same_as")) return own;
  nlohmann::json all =
      golden::read("decoders/" + name + "/" + own["same_as"].get<std::string>() + "/expected.json");
  all.erase("scripts_keys_after");
  all.update(own);
  return all;
}

bool is_gemma(const std::string& name) { return name.starts_with("gemma"); }
double tolerance(const std::string& name) { return is_gemma(name) ? 5e-5 : 2e-5; }

/// The largest difference.
double distance(std::span<const float> actual, const std::vector<double>& expected) {
  EXPECT_EQ(actual.size(), expected.size());
  if (actual.size() != expected.size()) return INFINITY;
  double worst = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double difference = std::fabs(double{actual[i]} - expected[i]);
    if (!(difference <= worst)) worst = difference;  // NaN wins
  }
  return worst;
}

std::vector<float> copied(std::span<const float> values) { return {values.begin(), values.end()}; }

class GoldenDecoders : public EachArchitecture {};
ON_EACH_ARCHITECTURE(GoldenDecoders);

TEST_P(GoldenDecoders, LogitsAndKeysEqualTheReference) {
  for (const std::string& name : decoder_files::cases()) {
    SCOPED_TRACE(name);
    const nlohmann::json expected = expected_of(name);
    const Decoder model = decoder(name);
    const Ids ids = expected["ids"];
    KeyCache cache = model.cache();
    const double logits = distance(cache.feed(ids, {.all = true}), expected["logits"]);
    EXPECT_LE(logits, tolerance(name));
    const double keys = distance(cache.keys(expected["cache"]["layer"]), expected["cache"]["keys"]);
    EXPECT_LE(keys, 1e-5);

    const auto& pieces = expected["pieces"];
    const bool same = pieces["same_logits"];
    KeyCache other = model.cache();
    std::vector<float> together;
    for (std::size_t at = 0; const std::size_t size : pieces["sizes"]) {
      const auto some = copied(other.feed(std::span(ids).subspan(at, size), {.all = true}));
      together.insert(together.end(), some.begin(), some.end());
      at += size;
    }
    const double in_pieces = distance(together, same ? expected["logits"] : pieces["logits"]);
    EXPECT_LE(in_pieces, tolerance(name));
    std::printf("  %s %s: logits %.1e, keys %.1e, pieces %.1e\n", GetParam().c_str(), name.c_str(), logits,
                keys, in_pieces);
  }
}

/// Runs one script; returns the largest difference of a logit.
double run(const Decoder& model, const nlohmann::json& steps, const CacheOptions& options, KeyCache& main) {
  std::map<std::string, KeyCache> forks;
  double worst = 0;
  for (const auto& step : steps) {
    const std::string op = step["op"], on = step.value("on", "main");
    KeyCache& cache = on == "main" ? main : forks.at(on);
    if (op == "feed") {
      const bool all = step.value("rows", "last") == "all";
      worst = std::max(worst, distance(cache.feed(step["ids"].get<Ids>(), {.all = all}), step["logits"]));
    } else if (op == "trim") {
      cache.trim(step["length"]);
    } else if (op == "drop") {
      cache.drop(step["from"], step["to"]);
    } else if (op == "append") {
      const Chunk chunk = model.chunk(step["ids"].get<Ids>(), options);
      cache.append(chunk, step.value("from", 0), step.value("to", chunk.length()));
    } else if (op == "rescale") {
      cache.rescale(step["rope_parameters"].dump());
    } else if (op == "fork") {
      forks.emplace(step["as"], cache.fork());
    } else {
      ADD_FAILURE() << op;
    }
    if (step.contains("length_after")) {
      EXPECT_EQ(cache.length(), step["length_after"].get<std::size_t>());
    }
  }
  return worst;
}

TEST_P(GoldenDecoders, ScriptsOfOperationsEqualTheReference) {
  std::size_t scripts = 0, compared_keys = 0;
  for (const std::string& name : decoder_files::cases()) {
    const nlohmann::json expected = expected_of(name);
    const Decoder model = decoder(name);
    double worst = 0, worst_keys = 0;
    for (const StoredKeys stored : {StoredKeys::rotated, StoredKeys::raw}) {
      for (const auto& [script, steps] : expected["scripts"].items()) {
        SCOPED_TRACE(name + " " + script + (stored == StoredKeys::raw ? " raw" : " rotated"));
        const CacheOptions options{.keys = stored};
        KeyCache cache = model.cache(options);
        const double error = run(model, steps, options, cache);
        EXPECT_LE(error, tolerance(name));
        worst = std::max(worst, error);
        ++scripts;
        if (!expected.contains("scripts_keys_after") || !expected["scripts_keys_after"].contains(script))
          continue;
        const auto& after = expected["scripts_keys_after"][script];
        const double keys = distance(cache.keys(after["layer"]), after["keys"]);
        EXPECT_LE(keys, 1e-5);
        worst_keys = std::max(worst_keys, keys);
        ++compared_keys;
      }
    }
    std::printf("  %s %s: scripts %.1e, keys %.1e\n", GetParam().c_str(), name.c_str(), worst, worst_keys);
  }
  EXPECT_GE(scripts, 90u);
  EXPECT_GE(compared_keys, 20u);
}

TEST(Decoders, GreedyTokensEqualTheReference) {
  for (const std::string& name : decoder_files::cases()) {
    SCOPED_TRACE(name);
    const nlohmann::json greedy = expected_of(name)["greedy"];
    const Decoder model = decoder(name);
    KeyCache cache = model.cache();
    Sampler sampler = raise(Sampler::make({}));
    cache.feed(greedy["prompt"].get<Ids>());
    for (const std::int32_t token : greedy["tokens"].get<Ids>()) {
      const Sample sample = cache.sample(sampler);
      ASSERT_EQ(sample.id, token);
      EXPECT_LE(sample.log_probability, 0);
      cache.feed({{sample.id}});
    }
  }
}

TEST_P(GoldenDecoders, FeedingInPiecesHasTheBitsOfFeedingAtOnce) {
  for (const std::string& name : decoder_files::cases()) {
    for (const Precision precision : {Precision::float32, Precision::int8}) {
      const Decoder model = decoder(name, precision);
      const nlohmann::json expected = expected_of(name);
      if (!expected["pieces"]["same_logits"].get<bool>()) continue;
      SCOPED_TRACE(name + (precision == Precision::int8 ? " int8" : " float32"));
      Ids ids = expected["ids"];
      KeyCache once = model.cache(), pieces = model.cache();
      const std::vector<float> at_once = copied(once.feed(ids));
      std::vector<float> last;
      for (std::size_t at = 0; const std::size_t size : {1, 2, 5, 9, 12, 1}) {
        last = copied(pieces.feed(std::span(ids).subspan(at, size)));
        at += size;
      }
      EXPECT_EQ(last, at_once);
    }
  }
}

TEST(Decoders, MetasNamesGiveTheLogitsOfHuggingFaces) {
  const nlohmann::json expected = golden::read("decoders/llama/expected.json");
  const Ids ids = expected["ids"];
  const Decoder half = decoder("llama"), meta = decoder("llama-meta");
  const Decoder params(checkpoint::text("decoders/llama-meta/params.json"),
                       decoder_files::weights("llama-meta"));
  EXPECT_EQ(params.spec().vocabulary, 61u);
  EXPECT_EQ(params.spec().feed_forward.width, 48u);
  KeyCache a = half.cache(), b = meta.cache(), c = params.cache();
  const std::vector<float> first = copied(a.feed(ids, {.all = true})),
                           second = copied(b.feed(ids, {.all = true}));
  const std::vector<float> third = copied(c.feed(ids, {.all = true}));
  EXPECT_LE(distance(second, {first.begin(), first.end()}), 2e-5);
  EXPECT_EQ(second, third);
}

TEST(Decoders, RefuseByNameWhatIsNotDone) {
  struct Refusal {
    const char *name, *key, *value, *word;
  };
  constexpr Refusal refusals[] = {
      {"llama", "hidden_act", R"("swiglu")", "hidden_act"},
      {"llama", "model_type", R"("mamba")", "model_type"},
      {"llama", "num_attention_heads", "5", "attention.key_heads"},
      {"llama", "rope_scaling", R"({"rope_type": "spiral"})", "rope_type"},
      {"qwen3", "num_key_value_heads", "3", "key_heads"},
      {"qwen2", "rope_parameters", R"({"rope_type": "mrope", "mrope_section": [1, 1, 2]})", "mrope_section"},
      {"smollm3", "no_rope_layers", "[1, 2, 1, 0]", "no_rope_layers"},
      {"smollm3", "no_rope_layers", "[1]", "no_rope_layers"},
      {"gemma3", "layer_types", R"(["full_attention"])", "layer_types"},
      {"gemma3", "query_pre_attn_scalar", "0", "query_pre_attn_scalar"},
      {"gemma2", "attn_logit_softcapping", "-1", "attn_logit_softcapping"},
      {"gpt-neox", "rotary_pct", "0.2", "rotary_pct"},
      {"gpt-neox", "hidden_act", R"("gelu_faster")", "hidden_act"},
      {"phi3-longrope", "original_max_position_embeddings", "0", "original_max_position_embeddings"},
  };
  for (const Refusal& refusal : refusals) {
    nlohmann::json config = golden::read(std::string("decoders/") + refusal.name + "/config.json");
    config[refusal.key] = nlohmann::json::parse(refusal.value);
    const Result<Decoder> made = Decoder::make(config.dump(), decoder_files::weights(refusal.name));
    ASSERT_FALSE(made.ok()) << refusal.name << " " << refusal.key;
    EXPECT_NE(made.status().message().find(refusal.word), std::string::npos) << made.status().message();
  }
  const Result<Decoder> encoder = Decoder::make(checkpoint::text("roformer/base/config.json"),
                                                checkpoint::bytes("roformer/base/model.safetensors"));
  ASSERT_FALSE(encoder.ok());
  EXPECT_NE(encoder.status().message().find("`model_type` is \"roformer\""), std::string::npos)
      << encoder.status().message();
}

TEST(KeyCaches, StayAsTheyAreAfterErrors) {
  const Decoder model = decoder("llama"), other = decoder("llama");
  KeyCache cache = model.cache();
  const Ids ids(40, 7);
  cache.feed(ids);
  const std::vector<float> keys = cache.keys(1);
  KeyCache unrotated = model.cache({.keys = StoredKeys::raw});
  unrotated.feed(ids);
  std::span<const float> logits;
  const Chunk chunk = model.chunk(ids), foreign = other.chunk(ids),
              raw = model.chunk(ids, {.keys = StoredKeys::raw});
  const Ids wrong = {3, 61}, negative = {-1};
  struct Case {
    Status status;
    const char* words;
  };
  const Case errors[] = {
      {cache.try_feed(wrong, {}, logits), "`ids[1]` is 61; allowed: 0 to 60"},
      {cache.try_feed(negative, {}, logits), "`ids[0]` is -1"},
      {cache.try_feed({}, {}, logits), "`ids` is empty"},
      {cache.try_feed(ids, {}, logits), "up to `context` = 64"},
      {cache.try_feed({{1, 2}}, {.rule_length = 41}, logits), "`rule_length` is 41"},
      {cache.try_trim(41), "`length` is 41"},
      {cache.try_drop(4, 41), "`to` is 41"},
      {cache.try_drop(5, 4), "`from` is 5"},
      {unrotated.try_drop(4, 5, {.rotate = false}), "`rotate` is false; allowed: true for raw keys"},
      {cache.try_append(chunk), "up to `context` = 64"},
      {cache.try_append(chunk, 0, 41), "`to` is 41"},
      {cache.try_append(foreign), "another decoder"},
      {cache.try_append(raw), "raw keys in float32"},
      {cache.try_rescale("[]"), "rope_parameters"},
      {cache.try_rescale(R"({"rope_type": "linear"})"), "factor"},
      {cache.try_rescale(R"({"rope_type": "linear", "factor": 2, "beta": 1})"), "beta"},
      {cache.try_keys(3, {}), "`layer` is 3"},
  };
  for (const Case& error : errors) {
    EXPECT_FALSE(error.status.ok()) << error.words;
    EXPECT_NE(error.status.message().find(error.words), std::string::npos) << error.status.message();
  }
  EXPECT_EQ(cache.length(), 40u);
  EXPECT_EQ(cache.keys(1), keys);
  EXPECT_FALSE(Decoder::make("{}", {}, {.context = 0}).ok());
}

TEST(KeyCaches, AreSavedAndRestored) {
  for (const char* name : {"llama", "gemma3", "llama-dynamic", "phi3-longrope"}) {
    for (const CacheType type : {CacheType::float32, CacheType::float16, CacheType::int8}) {
      SCOPED_TRACE(name);
      const Decoder model = decoder(name), int8 = decoder(name, Precision::int8), other = decoder("qwen2");
      KeyCache cache = model.cache({.type = type});
      const Ids ids(30, 5), more = {1, 2, 3};
      cache.feed(ids);
      cache.drop(3, 8);
      if (std::string(name) == "llama") cache.rescale(R"({"rope_type": "linear", "factor": 2})");
      const std::vector<std::byte> bytes = cache.save();
      KeyCache back = model.restore(bytes);
      EXPECT_EQ(back.explain(), cache.explain());
      EXPECT_EQ(back.bytes(), cache.bytes());
      EXPECT_TRUE(std::ranges::equal(back.tokens(), cache.tokens()));
      const std::vector<float> expected = copied(cache.feed(more));
      EXPECT_LE(distance(back.feed(more), {expected.begin(), expected.end()}),
                type == CacheType::int8 ? 1e-6 : 0);
      for (const std::size_t at :
           {std::size_t{0}, std::size_t{9}, std::size_t{40}, bytes.size() / 2, bytes.size() - 1}) {
        std::vector<std::byte> damaged = bytes;
        damaged[at] ^= std::byte{1};
        EXPECT_FALSE(model.try_restore(damaged).ok()) << at;
      }
      for (const std::size_t size : {std::size_t{0}, std::size_t{15}, std::size_t{16}, bytes.size() - 1}) {
        EXPECT_FALSE(model.try_restore(std::span(bytes).first(size)).ok()) << size;
      }
      // With a right checksum: the length of the ropes, then runs, each of its end and its shift.
      // A new rule rotates all keys, so that one run is left.
      const std::vector<std::uint64_t> runs = std::string(name) == "llama"
                                                  ? std::vector<std::uint64_t>{25, 0}
                                                  : std::vector<std::uint64_t>{3, 0, 25, 5};
      const auto place = std::ranges::search(bytes, std::as_bytes(std::span(runs))).begin() - bytes.begin();
      ASSERT_LT(static_cast<std::size_t>(place), bytes.size());
      const auto changed = [&](std::ptrdiff_t at, std::uint64_t value) {
        std::vector<std::byte> damaged = bytes;
        std::memcpy(&damaged[static_cast<std::size_t>(at)], &value, sizeof value);
        std::uint64_t sum = 0xcbf29ce484222325u;
        for (std::size_t i = 0; i + 8 < damaged.size(); ++i)
          sum = (sum ^ static_cast<std::uint64_t>(damaged[i])) * 0x100000001b3u;
        std::memcpy(&damaged[damaged.size() - 8], &sum, sizeof sum);
        return model.try_restore(damaged).ok();
      };
      const auto shift = place + 8 * static_cast<std::ptrdiff_t>(runs.size() - 1);
      EXPECT_TRUE(changed(shift, runs.back()));
      EXPECT_FALSE(changed(shift, std::uint64_t{1} << 62));
      EXPECT_FALSE(changed(shift, (std::uint64_t{1} << 63) - 1));
      EXPECT_FALSE(
          changed(place - 8, std::bit_cast<std::uint64_t>(std::numeric_limits<double>::quiet_NaN())));
      EXPECT_NE(other.try_restore(bytes).status().message().find("another model"), std::string::npos);
      EXPECT_NE(int8.try_restore(bytes).status().message().find("precision"), std::string::npos);
    }
  }
}

TEST(KeyCaches, KeepTheirRotationWhereTheyAreAskedTo) {
  const Decoder model = decoder("llama");
  Ids ids(30);
  std::iota(ids.begin(), ids.end(), 1);
  KeyCache right = model.cache();
  right.feed(ids);
  KeyCache wrong = right.fork();
  const std::vector<float> before = wrong.keys(2);
  right.drop(3, 8);
  wrong.drop(3, 8, {.rotate = false});
  const std::size_t row = before.size() / ids.size();
  const std::vector<float> after = wrong.keys(2);
  EXPECT_TRUE(std::ranges::equal(std::span(after).subspan(3 * row), std::span(before).subspan(8 * row)));
  EXPECT_NE(after, right.keys(2));
  EXPECT_NE(wrong.explain().find("1 drop without rotation"), std::string::npos) << wrong.explain();
  EXPECT_EQ(right.explain().find("without rotation"), std::string::npos);
  KeyCache back = model.restore(wrong.save());
  EXPECT_EQ(back.explain(), wrong.explain());
  const std::vector<float> expected = copied(wrong.feed({{4}}));
  EXPECT_EQ(copied(back.feed({{4}})), expected);
  EXPECT_NE(copied(right.feed({{4}})), expected);
}

TEST(KeyCaches, TakeTheMemoryThatTheySay) {
  const Decoder model(checkpoint::text("decoders/llama/config.json"), decoder_files::weights("llama"),
                      {.context = 256});
  const std::size_t heads = 2, head_dim = 8, layers = 3, of_64 = 2 * layers * heads * head_dim * 64;
  const Ids ids(64, 1);
  std::map<CacheType, std::size_t> bytes;
  for (const CacheType type : {CacheType::float16, CacheType::int8}) {
    KeyCache cache = model.cache({.type = type});
    EXPECT_EQ(cache.bytes(), 0u);
    cache.feed(ids);
    bytes[type] = cache.bytes();
    cache.feed({{1}});
    EXPECT_EQ(cache.bytes(), 2 * bytes[type]);
    cache.drop(0, 1);
    EXPECT_EQ(cache.bytes(), bytes[type]);
  }
  EXPECT_EQ(bytes[CacheType::float16], of_64 * 2);
  EXPECT_EQ(bytes[CacheType::int8], of_64 + 2 * layers * heads * 64 * 4);
}

TEST(KeyCaches, OfSmallerTypesAreNearTheExactOne) {
  for (const std::string& name : decoder_files::cases()) {
    const nlohmann::json expected = expected_of(name);
    const Decoder model = decoder(name);
    for (const auto& [type, limit] : {std::pair(CacheType::float16, 0.02), std::pair(CacheType::int8, 0.5)}) {
      for (const StoredKeys keys : {StoredKeys::rotated, StoredKeys::raw}) {
        KeyCache cache = model.cache({.keys = keys, .type = type});
        EXPECT_LE(distance(cache.feed(expected["ids"].get<Ids>(), {.all = true}), expected["logits"]), limit)
            << name;
      }
    }
  }
}

}  // namespace decoder_test
