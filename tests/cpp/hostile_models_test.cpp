// Calls for encoders, decoders, GGUF files, caches and sampling that ask for what cannot be: each gives the Status that
// its header documents, leaves what it was given as it was, and the next call works. Under AddressSanitizer nothing
// may leak. tests/ts/hostile-models.test.ts does the same through the package, hostile_test.cpp for ropes.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

#include "checkpoint.hpp"
#include "decoder_files.hpp"
#include "golden_encoders.hpp"
#include "made_up_model.hpp"
#include "ropewalk/decoder.hpp"
#include "ropewalk/encoder.hpp"
#include "ropewalk/loading.hpp"
#include "ropewalk/safetensors.hpp"
#include "ropewalk/sampling.hpp"
#include "ropewalk/sentence.hpp"

namespace ropewalk {
namespace hostile_models_test {

using Ids = std::vector<std::int32_t>;
using Bytes = std::vector<std::byte>;
using Code = Status::Code;

constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
constexpr std::size_t context = 16;

/// The configurations of a small encoder and a small decoder, with `changes`.
std::string encoder_config(const char* changes = "{}") { return made_up::config(changes).dump(); }
std::string decoder_config(const char* changes = "{}") {
  nlohmann::json json = nlohmann::json::parse(checkpoint::text("decoders/llama/config.json"));
  json.update(nlohmann::json::parse(changes));
  return json.dump();
}

const made_up::Tensors& encoder_tensors() {
  static const made_up::Tensors tensors = made_up::tensors(made_up::config(), {});
  return tensors;
}
const Bytes& encoder_weights() {
  static const Bytes bytes = made_up::file(encoder_tensors());
  return bytes;
}
const Bytes& decoder_weights() {
  static const Bytes bytes = decoder_files::weights("llama");
  return bytes;
}

/// A file of 64 bytes whose numbers of 64 bits after `magic` and a version are these.
Bytes gguf_of(std::uint32_t version, std::uint64_t tensors, std::uint64_t entries) {
  Bytes file(64);
  std::memcpy(file.data(), "GGUF", 4);
  std::memcpy(file.data() + 4, &version, 4);
  std::memcpy(file.data() + 8, &tensors, 8);
  std::memcpy(file.data() + 16, &entries, 8);
  return file;
}
/// A safetensors file that says that its header has so many bytes.
Bytes header_of(std::uint64_t size) {
  Bytes file(64, std::byte{' '});
  std::memcpy(file.data(), &size, 8);
  return file;
}
Bytes prefix(const Bytes& bytes, std::size_t size) {
  return {bytes.begin(), bytes.begin() + static_cast<long>(size)};
}

/// A safetensors file with a header of so many bytes: `begin`, `unit` again and again, and `end`.
Bytes file_with_header(std::size_t size, std::string_view begin, std::string_view unit,
                       std::string_view end) {
  std::string header(begin);
  header.reserve(size);
  std::string block;
  while (block.size() < 65536) block += unit;
  while (header.size() + block.size() + end.size() <= size) header += block;
  while (header.size() + unit.size() + end.size() <= size) header += unit;
  header.resize(size - end.size(), ' ');
  header += end;
  Bytes file(8 + size);
  const std::uint64_t length = size;
  std::memcpy(file.data(), &length, 8);
  std::memcpy(file.data() + 8, header.data(), size);
  return file;
}

/// Bytes that are allocated, where the C library tells; a sanitizer's allocator says 0.
std::size_t bytes_in_use() {
#if defined(__GLIBC__)
  const auto info = mallinfo2();
#elif defined(__EMSCRIPTEN__)
  const auto info = mallinfo();
#else
  const struct {
    std::size_t uordblks = 0, hblkhd = 0;
  } info;
#endif
  return static_cast<std::size_t>(info.uordblks) + static_cast<std::size_t>(info.hblkhd);
}

/// The least that any of many calls leaves behind: what a call loses is lost by each, while an allocator that keeps freed
/// pieces for the next call, as glibc does and counts them as in use, has all that it wants after some. Lost pieces that are
/// as small may be missed here, and AddressSanitizer tells them.
template <class Call>
std::size_t left_behind(const Call& call) {
  std::size_t least = most;
  for (int i = 0; i < 100 && least > 0; ++i) {
    const std::size_t before = bytes_in_use();
    call();
    const std::size_t after = bytes_in_use();
    least = std::min(least, after > before ? after - before : 0);
  }
  return least;
}

/// The objects that the rows call. After each row they answer as before.
struct Models {
  Encoder encoder{encoder_config(), encoder_weights()};
  Decoder decoder{decoder_config(), decoder_weights(), {.context = context}};
  /// Another model.
  Decoder other{checkpoint::text("decoders/llama-one-layer/config.json"),
                decoder_files::weights("llama-one-layer"),
                {.context = context}};
  KeyCache cache = decoder.cache();
  Chunk chunk = decoder.chunk(Ids{4, 5, 6});
  Chunk foreign = other.chunk(Ids{4, 5, 6});
  Chunk raw = decoder.chunk(Ids{4, 5, 6}, {.keys = StoredKeys::raw});
  Bytes saved;
  const Ids ids = {1, 8, 9};
  const made_up::Batch batch;

  Models() {
    cache.feed(ids);
    saved = cache.save();
  }
  std::vector<float> hidden() {
    const EncoderOutput output = encoder.forward(batch.input());
    return {output.last_hidden_state.begin(), output.last_hidden_state.end()};
  }
  std::vector<float> logits() const {
    KeyCache fresh = decoder.cache();
    const auto logits = fresh.feed(ids);
    return {logits.begin(), logits.end()};
  }
  Status forward(const EncoderInput& input) {
    EncoderOutput output;
    output.batch = 77;
    const Status status = encoder.try_forward(input, {}, output);
    EXPECT_EQ(output.batch, 77u) << "the output was written";
    return status;
  }
  Status feed(const Ids& tokens, const FeedOptions& options = {}) {
    std::span<const float> logits;
    return cache.try_feed(tokens, options, logits);
  }
  Status restored(const Bytes& bytes) const { return decoder.try_restore(bytes).status(); }
};

Status encoder_of(const std::string& config, const Bytes& weights = encoder_weights()) {
  return Encoder::make(config, weights).status();
}
Status decoder_of(const std::string& config, const Bytes& weights = decoder_weights(),
                  const DecoderOptions& options = {}) {
  return Decoder::make(config, weights, options).status();
}
Status encoder_with(const std::function<void(made_up::Tensors&)>& change) {
  made_up::Tensors tensors = encoder_tensors();
  change(tensors);
  return encoder_of(encoder_config(), made_up::file(tensors));
}
Status gguf(const Bytes& file) { return Decoder::make_gguf(file).status(); }

/// A loader before try_reserve, and the bytes of its file's header.
struct Begun {
  EncoderLoader loader;
  std::size_t header;
};
Begun begun_loader() {
  EncoderLoader loader = raise(EncoderLoader::make(encoder_config(), 1));
  const std::size_t header = raise(loader.try_read_header(0, encoder_weights()));
  raise(loader.try_match());
  return {std::move(loader), header};
}

/// A row of the table: its name, the call, the code of its Status, and words of the message.
struct Row {
  const char* what;
  std::function<Status(Models&)> call;
  Code code;
  const char* words;
};

const std::vector<Row>& rows() {
  static const std::vector<Row> all = {
      // Encoders: configurations.
      {"a configuration that is no JSON", [](Models&) { return encoder_of("{"); }, Code::malformed, "JSON"},
      {"an empty configuration", [](Models&) { return encoder_of(""); }, Code::malformed, "JSON"},
      {"a configuration that is a list", [](Models&) { return encoder_of("[]"); }, Code::type, "object"},
      {"an encoder of a negative width",
       [](Models&) { return encoder_of(encoder_config(R"({"hidden_size": -1})")); }, Code::range,
       "`hidden_size` is -1"},
      {"an encoder of too many heads",
       [](Models&) { return encoder_of(encoder_config(R"({"num_attention_heads": 7})")); }, Code::range,
       "heads"},
      {"an encoder whose vocabulary takes a terabyte",
       [](Models&) { return encoder_of(encoder_config(R"({"vocab_size": 2147483647})")); }, Code::range,
       "2147483647"},
      {"an encoder of 10^6 layers",
       [](Models&) { return encoder_of(encoder_config(R"({"num_hidden_layers": 1000000})")); }, Code::range,
       ""},
      {"an encoder of a kind that there is not",
       [](Models&) { return encoder_of(encoder_config(R"({"model_type": "x"})")); }, Code::unsupported,
       "\"x\""},
      // Encoders: weights.
      {"no weights", [](Models&) { return encoder_of(encoder_config(), {}); }, Code::malformed,
       "safetensors"},
      {"weights of 64 spaces",
       [](Models&) { return encoder_of(encoder_config(), Bytes(64, std::byte{' '})); }, Code::malformed,
       "safetensors"},
      {"a header of 2^63 bytes", [](Models&) { return encoder_of(encoder_config(), header_of(1ULL << 63)); },
       Code::malformed, "safetensors"},
      {"a header of 100 MB and more",
       [](Models&) { return encoder_of(encoder_config(), header_of(100'000'001)); }, Code::malformed, "100"},
      {"weights cut in the header",
       [](Models&) { return encoder_of(encoder_config(), prefix(encoder_weights(), 100)); }, Code::malformed,
       ""},
      {"weights without their last byte",
       [](Models&) {
         return encoder_of(encoder_config(), prefix(encoder_weights(), encoder_weights().size() - 1));
       },
       Code::malformed, ""},
      {"weights without a tensor",
       [](Models&) { return encoder_with([](auto& tensors) { tensors.erase(tensors.begin()); }); },
       Code::type, "lacks"},
      {"a tensor of another shape",
       [](Models&) {
         return encoder_with([](auto& tensors) {
           auto& [name, tensor] = *tensors.begin();
           tensor.shape = {1, tensor.data.size()};
         });
       },
       Code::range, "shape"},
      {"the weights of another model",
       [](Models&) { return encoder_of(encoder_config(), decoder_weights()); }, Code::type, "lacks"},
      // Encoders: inputs.
      {"no ids", [](Models& m) { return m.forward({}); }, Code::range, "sequence"},
      {"ids of no batch", [](Models& m) { return m.forward({m.ids, 0, 3}); }, Code::range, "batch"},
      {"fewer ids than batch and sequence say", [](Models& m) { return m.forward({m.ids, 1, 4}); },
       Code::range, "input_ids"},
      {"a batch and a sequence whose product wraps",
       [](Models& m) { return m.forward({m.ids, most / 2 + 2, 2}); }, Code::range, ""},
      {"a sequence beyond the position embeddings",
       [](Models&) {
         Encoder bert = golden_encoders::encoder("bert-minilm");
         const Ids many(100000, 1);
         EncoderOutput output;
         return bert.try_forward({many, 1, many.size()}, {}, output);
       },
       Code::range, "100000"},
      {"an id of the vocabulary's size",
       [](Models& m) {
         const Ids ids = {1, 31, 2};
         return m.forward({ids, 1, 3});
       },
       Code::range, "31"},
      {"an id below 0",
       [](Models& m) {
         const Ids ids = {1, -1, 2};
         return m.forward({ids, 1, 3});
       },
       Code::range, "-1"},
      {"a mask of 2",
       [](Models& m) {
         const Ids mask = {1, 2, 1};
         return m.forward({.input_ids = m.ids, .sequence = 3, .attention_mask = mask});
       },
       Code::range, "2"},
      {"a mask of another length",
       [](Models& m) {
         const Ids mask = {1, 1};
         return m.forward({.input_ids = m.ids, .sequence = 3, .attention_mask = mask});
       },
       Code::range, "attention_mask"},
      {"a type that there is not",
       [](Models& m) {
         const Ids types = {0, 9, 0};
         return m.forward({.input_ids = m.ids, .sequence = 3, .token_type_ids = types});
       },
       Code::range, "9"},
      // Decoders.
      {"a decoder of a negative width",
       [](Models&) { return decoder_of(decoder_config(R"({"hidden_size": -1})")); }, Code::range,
       "`hidden_size` is -1"},
      {"a decoder whose vocabulary takes a terabyte",
       [](Models&) { return decoder_of(decoder_config(R"({"vocab_size": 2147483647})")); }, Code::range,
       "2147483647"},
      {"a decoder whose rope cannot be",
       [](Models&) { return decoder_of(decoder_config(R"({"rope_theta": -1})")); }, Code::range, "-1"},
      {"a decoder that is an encoder",
       [](Models&) { return Decoder::make(encoder_config(), encoder_weights()).status(); }, Code::range, ""},
      {"a decoder without weights", [](Models&) { return decoder_of(decoder_config(), {}); }, Code::malformed,
       ""},
      {"a context of 0",
       [](Models&) { return decoder_of(decoder_config(), decoder_weights(), {.context = 0}); }, Code::range,
       "context"},
      {"a context of all memory",
       [](Models&) { return decoder_of(decoder_config(), decoder_weights(), {.context = most}); },
       Code::range, "context"},
      // GGUF.
      {"a GGUF file of no bytes", [](Models&) { return gguf({}); }, Code::malformed, "gguf"},
      {"a file that is not GGUF", [](Models&) { return gguf(Bytes(64, std::byte{7})); }, Code::malformed,
       "gguf"},
      {"GGUF of version 99", [](Models&) { return gguf(gguf_of(99, 0, 0)); }, Code::malformed, "99"},
      {"GGUF of 2^63 tensors", [](Models&) { return gguf(gguf_of(3, 1ULL << 63, 0)); }, Code::malformed, ""},
      {"GGUF of 2^40 entries", [](Models&) { return gguf(gguf_of(3, 0, 1ULL << 40)); }, Code::malformed, ""},
      {"GGUF without metadata", [](Models&) { return gguf(gguf_of(3, 0, 0)); }, Code::range,
       "general.architecture"},
      // Caches.
      {"no tokens to feed", [](Models& m) { return m.feed({}); }, Code::range, ""},
      {"a token beyond the vocabulary", [](Models& m) { return m.feed({1, 1 << 30}); }, Code::range,
       "1073741824"},
      {"a token below 0", [](Models& m) { return m.feed({-1}); }, Code::range, "-1"},
      {"more tokens than the context", [](Models& m) { return m.feed(Ids(context, 1)); }, Code::range,
       "context"},
      {"100,000 tokens", [](Models& m) { return m.feed(Ids(100000, 1)); }, Code::range, "100000"},
      {"a trim to more than there is", [](Models& m) { return m.cache.try_trim(4); }, Code::range, "4"},
      {"a drop beyond the end", [](Models& m) { return m.cache.try_drop(1, 4); }, Code::range, "4"},
      {"a drop that ends before it begins", [](Models& m) { return m.cache.try_drop(2, 1); }, Code::range,
       ""},
      {"a drop of numbers that wrap", [](Models& m) { return m.cache.try_drop(most, 0); }, Code::range, ""},
      {"a part beyond a chunk's end", [](Models& m) { return m.cache.try_append(m.chunk, 1, 9); },
       Code::range, "9"},
      {"a part that ends before it begins", [](Models& m) { return m.cache.try_append(m.chunk, 2, 1); },
       Code::range, ""},
      {"a chunk of another model", [](Models& m) { return m.cache.try_append(m.foreign); }, Code::range, ""},
      {"a chunk of other options", [](Models& m) { return m.cache.try_append(m.raw); }, Code::range, ""},
      {"a rescale that is no JSON", [](Models& m) { return m.cache.try_rescale("{"); }, Code::malformed, ""},
      {"a rescale by a factor of -1",
       [](Models& m) { return m.cache.try_rescale(R"({"rope_type": "linear", "factor": -1})"); }, Code::range,
       "-1"},
      {"keys of a layer that there is not",
       [](Models& m) {
         std::vector<float> out(m.cache.key_elements(0));
         return m.cache.try_keys(99, out);
       },
       Code::range, "99"},
      {"keys into too little room",
       [](Models& m) {
         std::vector<float> out(m.cache.key_elements(0) - 1, 7.0F);
         const Status status = m.cache.try_keys(0, out);
         EXPECT_TRUE(std::ranges::all_of(out, [](float value) { return value == 7.0F; }));
         return status;
       },
       Code::range, "out"},
      {"a chunk of no tokens", [](Models& m) { return m.decoder.try_chunk(Ids{}).status(); }, Code::range,
       ""},
      {"a chunk of more tokens than the context",
       [](Models& m) { return m.decoder.try_chunk(Ids(context + 1, 1)).status(); }, Code::range, "context"},
      {"a chunk of a token that there is not",
       [](Models& m) { return m.decoder.try_chunk(Ids{-5}).status(); }, Code::range, "-5"},
      {"a saved cache of no bytes", [](Models& m) { return m.restored({}); }, Code::type, ""},
      {"a saved cache without its last byte",
       [](Models& m) { return m.restored(prefix(m.saved, m.saved.size() - 1)); }, Code::type, ""},
      {"a saved cache and a byte",
       [](Models& m) {
         Bytes longer = m.saved;
         longer.push_back(std::byte{0});
         return m.restored(longer);
       },
       Code::type, ""},
      {"a saved cache with another first byte",
       [](Models& m) {
         Bytes changed = m.saved;
         changed[0] ^= std::byte{1};
         return m.restored(changed);
       },
       Code::type, ""},
      {"a saved cache of another model", [](Models& m) { return m.other.try_restore(m.saved).status(); },
       Code::range, "another model"},
      {"a sample of a cache that was fed nothing",
       [](Models& m) {
         KeyCache fresh = m.decoder.cache();
         Sampler sampler = raise(Sampler::make({}));
         Sample sample;
         return fresh.try_sample(sampler, sample);
       },
       Code::range, ""},
      // Loading in pieces.
      {"a file that ends within its header",
       [](Models&) {
         EncoderLoader loader = raise(EncoderLoader::make(encoder_config(), 1));
         raise(loader.try_read_header(0, std::span(encoder_weights()).first(20)).status());
         return loader.try_match().status();
       },
       Code::malformed, ""},
      {"a model for which there is no memory",
       [](Models&) { return begun_loader().loader.try_reserve(1000); }, Code::out_of_memory, ""},
      {"a file that has not been read to its end",
       [](Models&) {
         Begun begun = begun_loader();
         raise(begun.loader.try_reserve());
         raise(begun.loader.try_read(0, std::span(encoder_weights()).subspan(begun.header, 8)));
         return begun.loader.try_finish().status();
       },
       Code::malformed, "allowed: "},
      {"more bytes than the header says",
       [](Models&) {
         Begun begun = begun_loader();
         raise(begun.loader.try_reserve());
         raise(begun.loader.try_read(0, std::span(encoder_weights()).subspan(begun.header)));
         return begun.loader.try_read(0, Bytes(1));
       },
       Code::malformed, "allowed: "},
  };
  return all;
}

TEST(HostileModels, EachCallIsRefusedAndTheNextWorks) {
  Models models;
  const std::vector<float> hidden = models.hidden(), logits = models.logits(), keys = models.cache.keys(0);
  const Bytes encoder_file = encoder_weights(), decoder_file = decoder_weights();
  for (const Row& row : rows()) {
    SCOPED_TRACE(row.what);
    const std::size_t left = left_behind([&] {
      const Status status = row.call(models);
      EXPECT_EQ(status.code(), row.code) << status.message();
      EXPECT_NE(status.message().find(row.words), std::string::npos) << status.message();
    });
    EXPECT_EQ(left, 0U);
    EXPECT_EQ(models.hidden(), hidden);
    EXPECT_EQ(models.logits(), logits);
    EXPECT_TRUE(std::ranges::equal(models.cache.tokens(), models.ids));
    EXPECT_EQ(models.cache.keys(0), keys);
    EXPECT_EQ(models.cache.save(), models.saved);
  }
  EXPECT_EQ(encoder_weights(), encoder_file);
  EXPECT_EQ(decoder_weights(), decoder_file);
}

TEST(HostileModels, MemoryThatIsLeftBehindIsSeen) {
  if (bytes_in_use() == 0) GTEST_SKIP() << "this allocator does not say what is in use";
  std::vector<Bytes> kept;
  kept.reserve(100);
  EXPECT_GE(left_behind([&] { kept.emplace_back(4096); }), 4096U);
  EXPECT_GE(left_behind([&] { kept.emplace_back(1 << 20); }), std::size_t{1} << 20);
  EXPECT_EQ(left_behind([] { Bytes(1 << 20); }), 0U);
}

TEST(HostileModels, AHeaderOf100MegabytesIsRefusedUnread) {
  const Bytes file = file_with_header(100'000'000, "{", " ", "}");
  for (const Status& status : {encoder_of(encoder_config(), file), decoder_of(decoder_config(), file)}) {
    EXPECT_EQ(status.code(), Code::malformed);
    EXPECT_NE(status.message().find("the header says 100000000 bytes; allowed: up to 16777216"),
              std::string::npos)
        << status.message();
  }
}

TEST(HostileModels, TheLargestHeadersAreReadAndRefused) {
  const struct {
    const char *begin, *unit, *end;
    Code code;
    const char* words;
  } all[] = {{"{", " ", "}", Code::type, "lacks"},
             {R"({")", "x", R"(":{}})", Code::malformed, "has no `dtype`"},
             {R"({"x":[0)", ",0", "]}", Code::range, "1048576 values"},
             {"", "[", "", Code::malformed, "nested deeper than 64"}};
  for (const auto& [begin, unit, end, code, words] : all) {
    SCOPED_TRACE(unit);
    const Status status =
        encoder_of(encoder_config(), file_with_header(Safetensors::max_header, begin, unit, end));
    EXPECT_EQ(status.code(), code) << status.message().substr(0, 1000);
    EXPECT_NE(status.message().find(words), std::string::npos) << status.message().substr(0, 1000);
  }
}

TEST(HostileModels, WeightsThatAreNaNGiveNaNAndNothingElse) {
  made_up::Tensors tensors = encoder_tensors();
  for (auto& [name, tensor] : tensors) std::ranges::fill(tensor.data, std::nanf(""));
  Encoder encoder(encoder_config(), made_up::file(tensors));
  const EncoderOutput output = encoder.forward(made_up::Batch().input());
  EXPECT_FALSE(output.last_hidden_state.empty());
  EXPECT_TRUE(std::ranges::all_of(output.last_hidden_state, [](float value) { return std::isnan(value); }));
}

}  // namespace hostile_models_test
}  // namespace ropewalk
