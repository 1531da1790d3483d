// Decoders from files that arrive in pieces: safetensors, shards and GGUF.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "decoder_files.hpp"
#include "feed_files.hpp"
#include "ropewalk/decoder.hpp"
#include "ropewalk/loading.hpp"

namespace decoder_loading_test {

using namespace ropewalk;
using Bytes = std::vector<std::byte>;

struct Loaded {
  Status status = {};
  ModelSize size = {};
  std::vector<float> logits = {};
};

std::vector<float> logits_of(const Decoder& model) {
  KeyCache cache = model.cache();
  const std::span<const float> logits = cache.feed({{1, 2, 3, 4, 5}}, {.all = true});
  return {logits.begin(), logits.end()};
}

/// Feeds the files to a loader, so many bytes at a time.
Loaded load(Result<DecoderLoader> made, const std::vector<Bytes>& files, std::size_t piece,
            bool known_size = true) {
  if (!made.ok()) return {made.status()};
  DecoderLoader& loader = made.value();
  const Result<ModelSize> size = feed_files(loader, files, piece, known_size);
  if (!size.ok()) return {size.status()};
  Loaded loaded;
  loaded.size = size.value();
  const Result<Decoder> finished = loader.try_finish();
  if (!finished.ok()) return {finished.status()};
  loaded.logits = logits_of(finished.value());
  return loaded;
}

std::string config_of(const std::string& name) {
  return checkpoint::text("decoders/" + name + "/config.json");
}
Bytes gguf_file(const std::string& name) { return checkpoint::bytes("gguf/" + name + ".gguf"); }

TEST(DecoderLoading, PiecesOfAnySizeGiveTheBitsOfTheWholeFile) {
  for (const std::string& name : decoder_files::cases()) {
    SCOPED_TRACE(name);
    const Bytes file = decoder_files::weights(name);
    for (const Precision precision : {Precision::float32, Precision::int8}) {
      const DecoderOptions options{.precision = precision};
      const std::vector<float> expected = logits_of(raise(Decoder::make(config_of(name), file, options)));
      for (const std::size_t piece : {std::size_t{7}, std::size_t{1000}}) {
        const Loaded found =
            load(DecoderLoader::make(config_of(name), 1, options), {file}, piece, piece != 7);
        ASSERT_TRUE(found.status.ok()) << found.status.message();
        EXPECT_EQ(found.logits, expected) << piece;
        EXPECT_EQ(found.size.download, file.size());
      }
    }
  }
}

TEST(DecoderLoading, ShardsAreOneCheckpoint) {
  std::size_t checked = 0;
  for (const std::string& name : decoder_files::cases()) {
    const std::vector<Bytes> shards = decoder_files::shards(name);
    if (shards.size() < 2) continue;
    SCOPED_TRACE(name);
    const Loaded whole = load(DecoderLoader::make(config_of(name), 1), {decoder_files::weights(name)}, 333);
    const Loaded cut = load(DecoderLoader::make(config_of(name), shards.size()), shards, 333);
    ASSERT_TRUE(cut.status.ok()) << cut.status.message();
    EXPECT_EQ(cut.logits, whole.logits);
    EXPECT_EQ(cut.size.parameters, whole.size.parameters);
    EXPECT_EQ(cut.size.loaded, whole.size.loaded);
    ++checked;
  }
  EXPECT_GE(checked, 1u);
}

TEST(DecoderLoading, PiecesOfGgufGiveTheBitsOfTheWholeFile) {
  for (const char* name :
       {"llama-f32", "llama-q8_0", "llama-q4_0-rope-freqs", "llama-k", "qwen2-f16", "qwen2-bf16"}) {
    SCOPED_TRACE(name);
    const Bytes file = gguf_file(name);
    for (const Precision precision : {Precision::float32, Precision::int8}) {
      const DecoderOptions options{.precision = precision};
      const std::vector<float> expected = logits_of(raise(Decoder::make_gguf(file, options)));
      for (const std::size_t piece : {std::size_t{13}, std::size_t{1000}, file.size()}) {
        const Loaded found = load(DecoderLoader::make_gguf(options), {file}, piece, piece != 13);
        ASSERT_TRUE(found.status.ok()) << found.status.message();
        EXPECT_EQ(found.logits, expected) << piece;
        EXPECT_LE(found.size.download, file.size());
      }
      // Cut anywhere, whether or not it is known where.
      for (const std::size_t size :
           {std::size_t{0}, std::size_t{3}, std::size_t{100}, file.size() / 2, file.size() - 40}) {
        for (const bool known : {true, false}) {
          const Bytes cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
          EXPECT_EQ(load(DecoderLoader::make_gguf(options), {cut}, 64, known).status.code(),
                    Status::Code::malformed)
              << size;
        }
      }
    }
  }
}

TEST(DecoderLoading, HostileGgufFilesAreRefusedFromAStream) {
  const nlohmann::json list = golden::read("gguf/hostile/hostile.json");
  for (const auto& each : list["files"]) {
    const std::string name = each["file"];
    const Bytes file = checkpoint::bytes("gguf/hostile/" + name);
    for (const bool known : {true, false}) {
      const Status status = load(DecoderLoader::make_gguf(), {file}, 500, known).status;
      EXPECT_FALSE(status.ok()) << name << ": " << each["why"];
      EXPECT_FALSE(status.message().empty()) << name;
    }
  }
}

TEST(DecoderLoading, SizesCountEachWeightOnce) {
  for (const char* name : {"llama-f32", "llama-q8_0", "qwen2-bf16"}) {
    for (const Precision precision : {Precision::float32, Precision::int8}) {
      const ModelSize size =
          load(DecoderLoader::make_gguf({.precision = precision}), {gguf_file(name)}, 4096).size;
      EXPECT_GE(size.loaded, size.parameters * (precision == Precision::int8 ? 1 : 2)) << name;
      EXPECT_GT(size.peak, size.loaded) << name;
    }
  }
}

TEST(DecoderLoading, MemoryThatIsNotThereIsSaidBeforehand) {
  const Bytes file = gguf_file("qwen2-f16");
  DecoderLoader loader = raise(DecoderLoader::make_gguf());
  raise(loader.try_read_header(0, file));
  const ModelSize size = raise(loader.try_match());
  EXPECT_NE(raise(loader.try_gguf_tokenizer()).find('{'), std::string::npos);
  const Status status = loader.try_reserve(1000);
  EXPECT_EQ(status.code(), Status::Code::out_of_memory);
  EXPECT_EQ(status.message(), "qwen2: loading needs " + std::to_string(size.peak) +
                                  " bytes of memory; allowed: 1000, which can be had");
}

}  // namespace decoder_loading_test
