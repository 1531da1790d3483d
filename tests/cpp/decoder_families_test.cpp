// Decoders of more families against tests/golden/decoders-2: values of the families' own classes in float64.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "each_architecture.hpp"
#include "golden_folders.hpp"
#include "ropewalk/decoder.hpp"
#include "ropewalk/encoder.hpp"
#include "ropewalk/safetensors.hpp"

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

/// The root of the mean square of all differences, as a share of that of the values.
double mean_distance(std::span<const float> actual, const std::vector<double>& expected) {
  EXPECT_EQ(actual.size(), expected.size());
  if (actual.size() != expected.size()) return INFINITY;
  double differences = 0, values = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    differences += std::pow(double{actual[i]} - expected[i], 2);
    values += std::pow(expected[i], 2);
  }
  return std::sqrt(differences / values);
}

/// The model's weights as float32. Each 32 neighbours of a matrix's row are rounded to 255 steps of equal size between minus
/// and plus the largest.
std::vector<std::byte> rounded_weights(const std::string& name) {
  const std::vector<std::byte> bytes = golden::weights_in("decoders-2/" + name);
  const Safetensors file = open_safetensors(bytes);
  std::vector<std::vector<float>> values;
  std::vector<SafetensorsSource> sources;
  for (const SafetensorsTensor& tensor : file.tensors()) {
    std::vector<float>& all = values.emplace_back(tensor.elements);
    read_float32(tensor, all);
    sources.push_back({tensor.name, tensor.shape, all});
    if (tensor.shape.size() != 2) continue;
    const auto columns = static_cast<std::size_t>(tensor.shape[1]);
    for (std::size_t first = 0; first < all.size();) {
      const std::size_t size = std::min<std::size_t>(32, columns - first % columns);
      const std::span<float> block = std::span(all).subspan(first, size);
      float largest = 0;
      for (const float value : block) largest = std::max(largest, std::fabs(value));
      for (float& value : block)
        if (largest > 0) value = std::round(value / largest * 127) * largest / 127;
      first += size;
    }
  }
  const SafetensorsLayout layout = raise(SafetensorsLayout::make(sources));
  std::vector<std::byte> rounded(layout.size());
  raise(layout.try_write(rounded));
  return rounded;
}

/// Models with random weights magnify small differences by different factors: 8 bits cost from 0.01 of the logits (Granite)
/// to 0.4 (Qwen 3.5). So the reference is a model in float32 whose weights alone are rounded to 8 bits: 8 bits
/// round what is multiplied with them as well, to fewer steps, which costs 1.7 to 2.5 times as much in every family.
TEST(MoreDecoders, EightBitsCostWhatRoundingCosts) {
  for (const std::string& name : golden::folders_in("decoders-2")) {
    SCOPED_TRACE(name);
    const auto [model, expected] = read(name, Precision::int8);
    const Decoder rounded(checkpoint::text("decoders-2/" + name + "/config.json"), rounded_weights(name),
                          {.context = 64});
    const Ids ids = expected["ids"];
    KeyCache of_model = model.cache(), of_rounded = rounded.cache();
    const double off = mean_distance(of_model.feed(ids, {.all = true}), expected["logits"]);
    const double of_weights = mean_distance(of_rounded.feed(ids, {.all = true}), expected["logits"]);
    std::printf("  %s in 8 bits: %.1e, rounded weights %.1e, ratio %.2f\n", name.c_str(), off, of_weights,
                off / of_weights);
    EXPECT_GT(off, of_weights);
    EXPECT_LE(off, 3 * of_weights);
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
    if (name == "lfm2" || name == "qwen3_5") continue;  // The first layer has no keys; see the tests below.
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

/// Trims, copies and saves a cache at many lengths, and feeds the rest a token at a time: the logits are those of one feed.
void cut_anywhere(const std::string& name) {
  SCOPED_TRACE(name);
  const auto [model, expected] = read(name);
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
}

/// A short convolution sees the two tokens before its own, which the cache keeps for every token: so a cache can be trimmed,
/// copied, saved and extended anywhere, in pieces of any size.
TEST_P(MoreDecoders, ACacheWithConvolutionsCanBeCutAnywhere) { cut_anywhere("lfm2"); }

/// So can one whose layers hold keys of several dimensions, or none.
TEST_P(MoreDecoders, ACacheOfGemma4CanBeCutAnywhere) {
  for (const char* name : {"gemma4", "gemma4-shared", "gemma4-keys"}) cut_anywhere(name);
}

TEST(MoreDecoders, KeysOfAConvolutionAreRefused) {
  const auto [model, expected] = read("lfm2");
  const Ids ids = expected["ids"];
  KeyCache cache = model.cache();
  cache.feed(ids);
  std::vector<float> keys(cache.key_elements(0));
  EXPECT_EQ(cache.try_keys(0, keys).message(),
            "keys: `layer` is 0; allowed: a layer that attends: this one is a convolution");
}

TEST(Gemma4, LayersThatShareKeysHoldNone) {
  const auto [model, expected] = read("gemma4-shared");
  const Ids ids = expected["ids"];
  KeyCache cache = model.cache();
  cache.feed(ids);
  // Two heads of 16 numbers in layers 0, 1 and 3, and of 24 in layer 2: keys and values of 64 tokens, 2 bytes each.
  KeyCache halves = model.cache({.type = CacheType::float16});
  halves.feed(ids);
  EXPECT_EQ(halves.bytes(), (3 * 16 + 24) * 2u * 64 * 2 * 2);
  EXPECT_EQ(cache.keys(6), cache.keys(2));
  EXPECT_EQ(cache.keys(5), cache.keys(3));
  EXPECT_NE(cache.explain().find("keys and values of earlier layers, and hold none: 4, 5, 6."),
            std::string::npos)
      << cache.explain();
  const std::vector<RopeUse> uses = model.ropes();
  ASSERT_EQ(uses.size(), 4u);
  EXPECT_NE(uses[2].explain.find("the keys and values of layer 2"), std::string::npos) << uses[2].explain;
}

/// A chunk stands behind other tokens as if it had been fed there, up to what it has not seen: the first layer's keys.
TEST(Gemma4, ChunksAreAppended) {
  for (const char* name : {"gemma4", "gemma4-shared", "gemma4-keys"}) {
    SCOPED_TRACE(name);
    const auto [model, expected] = read(name);
    const Ids ids = expected["ids"];
    for (const CacheType type : {CacheType::float32, CacheType::float16}) {
      KeyCache cache = model.cache({.type = type}), whole = model.cache({.type = type});
      cache.feed(std::span(ids).first(7));
      cache.append(model.chunk(std::span(ids).subspan(7, 12), {.type = type}));
      whole.feed(std::span(ids).first(19));
      const auto moved = cache.keys(0), own = whole.keys(0);
      ASSERT_EQ(moved.size(), own.size());
      for (std::size_t i = 0; i < own.size(); ++i)
        ASSERT_NEAR(moved[i], own[i], type == CacheType::float32 ? 2e-5 : 5e-3) << i;
      EXPECT_TRUE(std::isfinite(cache.feed(std::span(ids).subspan(19, 1))[0]));
    }
  }
}

/// As Transformers writes it where there are more than ten layers.
TEST(Gemma4, NumbersOfLayersMayBeginWithZeros) {
  nlohmann::json config = nlohmann::json::parse(checkpoint::text("decoders-2/gemma4/config.json"));
  for (const char* const name : {"03", "3", "003", "0", "33", "3 "}) {
    config["per_layer_config"] = {{name, {{"head_dim", 24}}}};
    const bool is_three = std::string_view(name).ends_with("3") && std::string_view(name) != "33";
    EXPECT_EQ(Decoder::make(config.dump(), golden::weights_in("decoders-2/gemma4")).ok(), is_three) << name;
  }
}

/// As Google publishes it: the text model inside one of images, with keys for all layers without a window.
TEST(Gemma4, TheTextPartOfAnImageModelIsRead) {
  const std::string folder = "decoders-2/gemma4-keys";
  nlohmann::json text = nlohmann::json::parse(checkpoint::text(folder + "/config.json"));
  text.erase("per_layer_config");
  text["global_head_dim"] = 32;
  text["num_global_key_value_heads"] = 3;
  text["use_bidirectional_attention"] = "vision";
  const nlohmann::json whole = {{"model_type", "gemma4"},
                                {"architectures", {"Gemma4ForConditionalGeneration"}},
                                {"text_config", text},
                                {"vision_config", {{"model_type", "gemma4_vision"}}}};
  const auto bytes = golden::weights_in(folder);
  std::uint64_t size = 0;
  std::memcpy(&size, bytes.data(), sizeof(size));
  std::string header(reinterpret_cast<const char*>(bytes.data()) + sizeof(size), size);
  for (std::size_t at = 0; (at = header.find("\"model.", at)) != std::string::npos; at += 8)
    header.insert(at + 7, "language_model.");
  header.resize((header.size() + 7) / 8 * 8, ' ');
  const std::uint64_t now = header.size();
  std::vector<std::byte> renamed(sizeof(now) + now + bytes.size() - sizeof(size) - size);
  std::memcpy(renamed.data(), &now, sizeof(now));
  std::memcpy(renamed.data() + sizeof(now), header.data(), now);
  std::memcpy(renamed.data() + sizeof(now) + now, bytes.data() + sizeof(size) + size,
              bytes.size() - sizeof(size) - size);
  const Decoder model(whole.dump(), renamed, {.context = 64});
  const nlohmann::json expected = golden::read(folder + "/expected.json");
  KeyCache cache = model.cache();
  EXPECT_LE(distance(cache.feed(expected["ids"].get<Ids>(), {.all = true}), expected["logits"]), 2e-5);
  EXPECT_NE(std::ranges::find(model.notes(), "images and sounds are not read: this is the text model alone"),
            model.notes().end());
}

TEST(Gemma4, WhatIsNotReadIsRefusedByName) {
  const nlohmann::json given =
      nlohmann::json::parse(checkpoint::text("decoders-2/gemma4-shared/config.json"));
  const auto refusal = [&](const char* key, const nlohmann::json& value) {
    nlohmann::json config = given;
    config[key] = value;
    return spec_from_config(config.dump()).status().message();
  };
  const auto names = [](const std::string& message, const char* words) {
    EXPECT_NE(message.find(words), std::string::npos) << message;
  };
  names(refusal("enable_moe_block", true), "`enable_moe_block` is true; allowed: false");
  names(refusal("use_bidirectional_attention", "all"),
        "`use_bidirectional_attention` is \"all\"; allowed: \"vision\" or null");
  names(refusal("num_kv_shared_layers", 6), "`num_kv_shared_layers` is 6; allowed: few enough");
  names(refusal("num_kv_shared_layers", 7), "`num_kv_shared_layers` is 7");
  names(refusal("vocab_size_per_layer_input", 66), "`vocab_size_per_layer_input` is 66; allowed: at least");
  names(refusal("per_layer_config", {{"2", {{"sliding_window", 3}}}}), "`per_layer_config.2.sliding_window`");
  names(refusal("per_layer_config", {{"7", {{"head_dim", 24}}}}), "`per_layer_config`");
  const auto encoder =
      Encoder::make(given.dump(), golden::weights_in("decoders-2/gemma4-shared"), Precision::float32);
  names(encoder.status().message(), "this one decodes alone");
}

/// A gated delta net holds a state of all tokens so far, in float32 whatever the type of the cache. It is copied, saved and
/// begun anew; whatever needs the state of another moment is refused, and changes nothing.
TEST_P(MoreDecoders, ACacheWithAStateIsCopiedAndNotCut) {
  const auto [model, expected] = read("qwen3_5");
  const Ids ids = expected["ids"];
  for (const CacheType type : {CacheType::float32, CacheType::float16, CacheType::int8}) {
    for (const StoredKeys keys : {StoredKeys::rotated, StoredKeys::raw}) {
      const CacheOptions options{.keys = keys, .type = type};
      KeyCache whole = model.cache(options);
      const auto all = whole.feed(ids, {.all = true});
      const std::vector<float> logits(all.begin(), all.end());
      const std::size_t vocabulary = logits.size() / ids.size();
      const auto goes_on = [&](KeyCache& cache) {
        for (std::size_t at = cache.length(); at < ids.size(); ++at) {
          const auto found = cache.feed(std::span(ids).subspan(at, 1));
          ASSERT_TRUE(std::ranges::equal(found, std::span(logits).subspan(at * vocabulary, vocabulary)))
              << at;
        }
      };
      for (const std::size_t kept : {0, 1, 3, 20}) {
        SCOPED_TRACE(kept);
        const std::span<const std::int32_t> first = std::span(ids).first(kept);
        KeyCache cache = model.cache(options), joined = model.cache(options);
        if (kept > 0) {
          cache.feed(first);
          joined.append(model.chunk(first, options));
        }
        KeyCache fork = cache.fork(), restored = model.restore(cache.save());
        goes_on(fork);
        goes_on(cache);
        goes_on(restored);
        goes_on(joined);
        EXPECT_EQ(cache.save(), fork.save());
        cache.trim(ids.size());
        cache.trim(0);
        goes_on(cache);
        cache.drop(0, ids.size());
        EXPECT_EQ(cache.save(), [&] {
          KeyCache empty = model.cache(options);
          empty.feed(ids);
          empty.drop(0, ids.size());
          return empty.save();
        }());
        goes_on(cache);
      }
    }
  }
}

TEST(MoreDecoders, WhatAStateCannotDoIsRefusedByName) {
  const auto [model, expected] = read("qwen3_5");
  const Ids ids = expected["ids"];
  KeyCache cache = model.cache();
  cache.feed(ids);
  const std::vector<std::byte> before = cache.save();
  const std::string of = ": `cache` is of a model with a recurrent state; allowed: ";
  EXPECT_EQ(cache.try_trim(7).message(),
            "trim" + of + "trim to 0 or to the length that it has; fork it where a text may have to go back");
  const std::string drop = "drop" + of + "drop all tokens, or none";
  EXPECT_EQ(cache.try_drop(0, 5).message(), drop);
  EXPECT_EQ(cache.try_drop(5, ids.size()).message(), drop);
  const Chunk chunk = model.chunk(std::span(ids).first(4));
  const std::string append =
      "append" + of + "append a whole chunk to an empty cache; feed the tokens of others";
  EXPECT_EQ(cache.try_append(chunk).message(), append);
  KeyCache empty = model.cache();
  EXPECT_EQ(empty.try_append(chunk, 0, 3).message(), append);
  EXPECT_EQ(empty.try_append(chunk, 1).message(), append);
  EXPECT_EQ(empty.length(), 0u);
  std::vector<float> keys(cache.key_elements(3));
  EXPECT_EQ(cache.try_keys(0, keys).message(),
            "keys: `layer` is 0; allowed: a layer that attends: this one is a gated delta net");
  EXPECT_TRUE(cache.try_keys(3, keys).ok());
  EXPECT_TRUE(cache.try_drop(3, 3).ok());
  EXPECT_EQ(cache.save(), before);
  EXPECT_NE(
      cache.explain().find("Layers with a state of all tokens so far, in float32, so that the cache can be "
                           "copied and saved, and not cut: 0, 1, 2."),
      std::string::npos);
  const std::vector<RopeUse> ropes = model.ropes();
  ASSERT_EQ(ropes.size(), 2u);
  EXPECT_EQ(ropes[0].explain, "A gated delta net, with a state of 448 numbers: these layers have no keys.");
  EXPECT_EQ(ropes[1].layers, std::vector<std::size_t>{3});
  KeyCache halves = model.cache({.type = CacheType::float16});
  halves.feed(ids);
  EXPECT_EQ(halves.bytes(), 3 * 448 * sizeof(float) + 2 * 64 * 2 * 16 * sizeof(std::uint16_t));
}

/// Published files have the text model in an object of the configuration and under a longer name.
TEST(MoreDecoders, AQwenWithAVisionModelIsReadAsItsTextModel) {
  const nlohmann::json expected = golden::read("decoders-2/qwen3_5/expected.json");
  nlohmann::json text = golden::read("decoders-2/qwen3_5/config.json");
  text.erase("tie_word_embeddings");
  text.erase("architectures");
  nlohmann::json config = {{"model_type", "qwen3_5"},
                           {"architectures", {"Qwen3_5ForConditionalGeneration"}},
                           {"text_config", text},
                           {"vision_config", {{"depth", 2}}},
                           {"image_token_id", 60}};
  const std::vector<std::byte> file = golden::weights_in("decoders-2/qwen3_5");
  std::uint64_t length = 0;
  std::memcpy(&length, file.data(), sizeof(length));
  std::string header(reinterpret_cast<const char*>(file.data()) + 8, length);
  for (std::size_t at = 0; (at = header.find("\"model.", at)) != std::string::npos; at += 8)
    header.insert(at + 7, "language_model.");
  const std::vector<std::byte> weights = checkpoint::file(header, std::span(file).subspan(8 + length));
  const Decoder model(config.dump(), weights, {.context = 64});
  EXPECT_LE(distance(model.cache().feed(expected["ids"].get<Ids>(), {.all = true}), expected["logits"]),
            2e-5);
  EXPECT_TRUE(std::ranges::count(model.notes(), "`vision_config` of config.json is not read"));
  config.erase("text_config");
  EXPECT_EQ(spec_from_config(config.dump()).status().message(),
            "qwen3_5: `text_config` is null; allowed: the object of a text model");
}

TEST(MoreDecoders, KeysOfQwen35AreReadAndChecked) {
  const nlohmann::json config = golden::read("decoders-2/qwen3_5/config.json");
  const auto with = [&](const char* key, const nlohmann::json& value) {
    nlohmann::json changed = config;
    changed[key] = value;
    return spec_from_config(changed.dump());
  };
  nlohmann::json shorter = config;
  shorter.erase("layer_types");
  shorter["full_attention_interval"] = 2;
  const Spec spec = raise(spec_from_config(shorter.dump()));
  for (std::size_t l = 0; l < 4; ++l) EXPECT_EQ(spec.layers[l].gated_delta_net, l % 2 == 0) << l;
  EXPECT_EQ(spec.gated_delta_net.state(), 448u);
  EXPECT_FALSE(raise(with("attn_output_gate", false)).attention.output_gate);
  EXPECT_EQ(with("layer_types", {"linear_attention"}).status().message(),
            "qwen3_5_text: `layer_types` is an array of 1; allowed: as many of \"full_attention\" and "
            "\"linear_attention\" as there are layers");
  EXPECT_FALSE(with("linear_conv_kernel_dim", 65).ok());
  nlohmann::json uneven = config;
  uneven["linear_num_key_heads"] = 3;
  EXPECT_EQ(Decoder::make(uneven.dump(), golden::weights_in("decoders-2/qwen3_5")).status().message(),
            "qwen3_5_text: `gated_delta_net.key_heads` is 3; allowed: a divisor of "
            "`gated_delta_net.value_heads`, 4");
}

}  // namespace decoder_families_test
