// Decoders with 8-bit weights: the same bits on every architecture, and an error that is what their steps make. The
// hashes in tests/pins/int8-decoders.json are this code's own, as those of int8_bits_test.cpp are;
// tests/ts/int8-bits.test.ts holds WebAssembly to the same.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>

#include "decoder_files.hpp"
#include "each_architecture.hpp"
#include "golden.hpp"
#include "hash.hpp"
#include "ropewalk/decoder.hpp"

namespace decoder_int8_test {

using namespace ropewalk;

class Int8Decoders : public EachArchitecture {};
ON_EACH_ARCHITECTURE(Int8Decoders);

constexpr const char* gguf_files[] = {"llama-f32", "llama-q8_0", "llama-k", "qwen2-bf16"};

Decoder decoder(const std::string& name, Precision precision) {
  return Decoder(checkpoint::text("decoders/" + name + "/config.json"), decoder_files::weights(name),
                 {.precision = precision, .context = 64});
}
Decoder from_gguf(const std::string& name, Precision precision) {
  return raise(Decoder::make_gguf(checkpoint::bytes("gguf/" + name + ".gguf"),
                                  {.precision = precision, .context = 64}));
}

/// Hash of the logits of ids 0, 7, 14, ... modulo the vocabulary, the last one fed by itself.
std::string logits_of(const Decoder& model) {
  std::vector<std::int32_t> ids;
  for (std::size_t i = 0; i < 24; ++i)
    ids.push_back(static_cast<std::int32_t>(7 * i % model.spec().vocabulary));
  KeyCache cache = model.cache();
  cache.feed(std::span(ids).first(23));
  return hash_of(cache.feed(std::span(ids).last(1)));
}

TEST_P(Int8Decoders, HaveTheSameBitsOnEveryArchitecture) {
  std::map<std::string, std::string> found;
  for (const std::string& name : decoder_files::cases())
    found[name] = logits_of(decoder(name, Precision::int8));
  for (const std::string name : gguf_files)
    found[name + ".gguf"] = logits_of(from_gguf(name, Precision::int8));
  const char* const pins = "../pins/int8-decoders.json";
  if (std::getenv("ROPEWALK_WRITE_PINS") != nullptr)
    std::ofstream(std::string(ROPEWALK_GOLDEN) + "/" + pins) << nlohmann::json(found).dump(1) << "\n";
  const std::map<std::string, std::string> expected = golden::read(pins);
  EXPECT_EQ(found, expected);
}

/// Hash of logits and keys after every operation on a cache, in blocks that are whole, begun and shared.
std::string moved_cache_of(const Decoder& model, const CacheOptions& options) {
  const auto ids = [&](std::size_t count, std::size_t step) {
    std::vector<std::int32_t> made;
    for (std::size_t i = 0; i < count; ++i)
      made.push_back(static_cast<std::int32_t>((step * i + 3) % model.spec().vocabulary));
    return made;
  };
  Hash hash;
  KeyCache cache = model.cache(options);
  hash.add(cache.feed(ids(100, 7)));
  KeyCache fork = cache.fork();
  cache.drop(5, 12);
  hash.add(cache.feed(ids(1, 1)));
  cache.append(model.chunk(ids(40, 5), options), 3, 31);
  hash.add(cache.feed(ids(2, 1)));
  cache.trim(90);
  cache.rescale(R"({"rope_type": "linear", "factor": 2})");
  hash.add(cache.feed(ids(3, 1)));
  KeyCache restored = model.restore(cache.save());
  const std::span<const float> before = cache.feed(ids(1, 1));
  const std::vector<float> kept(before.begin(), before.end());
  const std::span<const float> after = restored.feed(ids(1, 1));
  EXPECT_EQ(std::vector<float>(after.begin(), after.end()), kept) << "a saved cache comes back as it was";
  hash.add(kept);
  fork.drop(10, 74);
  hash.add(fork.feed(ids(1, 1)));
  for (std::size_t layer = 0; layer < model.spec().layers.size(); ++layer) hash.add(cache.keys(layer));
  return hash.text();
}

TEST_P(Int8Decoders, HaveTheSameBitsAfterOperationsOnTheirCaches) {
  const Decoder model(checkpoint::text("decoders/llama/config.json"), decoder_files::weights("llama"),
                      {.precision = Precision::int8, .context = 160});
  std::map<std::string, std::string> found;
  for (const StoredKeys keys : {StoredKeys::rotated, StoredKeys::raw}) {
    const std::string stored = keys == StoredKeys::raw ? "raw" : "rotated";
    found[stored + ", float32"] = moved_cache_of(model, {keys, CacheType::float32});
    found[stored + ", float16"] = moved_cache_of(model, {keys, CacheType::float16});
    found[stored + ", int8"] = moved_cache_of(model, {keys, CacheType::int8});
  }
  const char* const pins = "../pins/int8-caches.json";
  if (std::getenv("ROPEWALK_WRITE_PINS") != nullptr)
    std::ofstream(std::string(ROPEWALK_GOLDEN) + "/" + pins) << nlohmann::json(found).dump(1) << "\n";
  const std::map<std::string, std::string> expected = golden::read(pins);
  EXPECT_EQ(found, expected);
}

/// The error of all logits as a share of their deviation from their mean.
double error_of(const Decoder& model, const nlohmann::json& expected) {
  const std::vector<std::int32_t> ids = expected["ids"];
  const std::vector<double> reference = expected["logits"];
  KeyCache cache = model.cache();
  const std::span<const float> logits = cache.feed(ids, {.all = true});
  EXPECT_EQ(logits.size(), reference.size());
  double mean = 0, size = 0, error = 0;
  for (const double value : reference) mean += value / static_cast<double>(reference.size());
  for (std::size_t i = 0; i < reference.size(); ++i) {
    size += (reference[i] - mean) * (reference[i] - mean);
    error += (logits[i] - reference[i]) * (logits[i] - reference[i]);
  }
  return std::sqrt(error / size);
}

// The golden models are small and their weights random: a wrong scale or a block that is taken for another gives 0.3 and
// more.
TEST(Int8DecoderAccuracy, IsThatOfEightBits) {
  for (const std::string& name : decoder_files::cases()) {
    nlohmann::json expected = golden::read("decoders/" + name + "/expected.json");
    if (expected.contains("same_as"))
      expected =
          golden::read("decoders/" + name + "/" + expected["same_as"].get<std::string>() + "/expected.json");
    const double error = error_of(decoder(name, Precision::int8), expected);
    std::printf("  %s: %.4f\n", name.c_str(), error);
    EXPECT_GT(error, 1e-5) << name;
    EXPECT_LT(error, 0.1) << name;
  }
  for (const std::string name : gguf_files) {
    const nlohmann::json expected = golden::read("gguf/" + name + ".json");
    const double error = error_of(from_gguf(name, Precision::int8), expected);
    std::printf("  %s.gguf: %.4f\n", name.c_str(), error);
    EXPECT_LT(error, 0.1) << name;
  }
}

}  // namespace decoder_int8_test
