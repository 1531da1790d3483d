// Decoder, its caches and chunks.

#include <emscripten/bind.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "answer.hpp"
#include "blocks.hpp"
#include "lines.hpp"
#include "memory.hpp"
#include "model/facts.hpp"
#include "ropewalk/decoder.hpp"

namespace {

using ropewalk::CacheOptions;
using ropewalk::CacheType;
using ropewalk::Chunk;
using ropewalk::Decoder;
using ropewalk::KeyCache;
using ropewalk::Result;
using ropewalk::Status;
using ropewalk::StoredKeys;
using ropewalk::embind::guarded;
using ropewalk::embind::have_memory;
using ropewalk::embind::keep;
using ropewalk::embind::SamplingBlock;
using ropewalk::embind::text_at;

/// A cache and what its last calls found.
struct Cache {
  KeyCache cache;
  std::span<const float> logits = {};
  std::vector<ropewalk::Sample> samples = {};
  std::vector<std::byte> saved = {};
};

/// The object, or null with the failure kept.
template <class T, class Object>
T* made(Result<Object> result) {
  if (!result.ok()) return keep(result.status()), nullptr;
  return new T{std::move(result).value()};
}

std::span<const std::int32_t> integers(std::uintptr_t address, std::size_t count) {
  return {reinterpret_cast<const std::int32_t*>(address), count};
}

/// `keys` is a ropewalk::StoredKeys, -1 where it is not given. For each part without rotation there are three integers:
/// layer, key head and pair, -1 where one is not given.
CacheOptions options(int keys, int type, std::uintptr_t parts, std::size_t count) {
  CacheOptions options{.type = static_cast<CacheType>(type)};
  if (keys >= 0) options.keys = static_cast<StoredKeys>(keys);
  const auto given = [](std::int32_t value) {
    return value < 0 ? std::nullopt : std::optional<std::size_t>(value);
  };
  for (std::span rest = integers(parts, 3 * count); !rest.empty(); rest = rest.subspan(3))
    options.without_rotation.push_back({given(rest[0]), given(rest[1]), given(rest[2])});
  return options;
}

void families() { ropewalk::embind::answer(ropewalk::model::families_json()); }

std::size_t parameter_count(const Decoder& decoder) { return decoder.parameter_count(); }
std::size_t context(const Decoder& decoder) { return decoder.context(); }
void config(const Decoder& decoder) { ropewalk::embind::show(decoder.config()); }
void notes(const Decoder& decoder) { ropewalk::embind::answer(ropewalk::embind::lines(decoder.notes())); }

/// For each rope a line: its layers with commas between, its window or a hyphen, and the sentence.
void ropes(const Decoder& decoder) {
  std::string text;
  for (const ropewalk::RopeUse& use : decoder.ropes()) {
    std::string layers;
    for (const std::size_t layer : use.layers) layers += (layers.empty() ? "" : ",") + std::to_string(layer);
    text += layers + " " + (use.window ? std::to_string(*use.window) : "-") + " " + use.explain + "\n";
  }
  ropewalk::embind::answer(std::move(text));
}

Cache* make_cache(const Decoder& decoder, int keys, int type, std::uintptr_t parts, std::size_t count) {
  if (!have_memory()) return nullptr;
  return made<Cache>(decoder.try_cache(options(keys, type, parts, count)));
}
Chunk* make_chunk(const Decoder& decoder, std::uintptr_t ids, std::size_t size, int keys, int type,
                  std::uintptr_t parts, std::size_t count) {
  if (!have_memory()) return nullptr;
  return made<Chunk>(decoder.try_chunk(integers(ids, size), options(keys, type, parts, count)));
}
Cache* restore(const Decoder& decoder, std::uintptr_t bytes, std::size_t size) {
  if (!have_memory()) return nullptr;
  return made<Cache>(decoder.try_restore({reinterpret_cast<const std::byte*>(bytes), size}));
}

std::size_t chunk_length(const Chunk& chunk) { return chunk.length(); }
std::uintptr_t chunk_tokens(const Chunk& chunk) {
  return reinterpret_cast<std::uintptr_t>(chunk.tokens().data());
}

std::size_t length(const Cache& cache) { return cache.cache.length(); }
std::size_t bytes(const Cache& cache) { return cache.cache.bytes(); }
std::uintptr_t tokens(const Cache& cache) {
  return reinterpret_cast<std::uintptr_t>(cache.cache.tokens().data());
}

/// A rule length of 0 is not given. The logits stay until the next call.
int feed(Cache& cache, std::uintptr_t ids, std::size_t count, bool all, std::size_t rule_length) {
  return guarded([&] {
    ropewalk::FeedOptions options{.all = all};
    if (rule_length != 0) options.rule_length = rule_length;
    return cache.cache.try_feed(integers(ids, count), options, cache.logits);
  });
}
std::uintptr_t logits_address(const Cache& cache) {
  return reinterpret_cast<std::uintptr_t>(cache.logits.data());
}
std::size_t logits_size(const Cache& cache) { return cache.logits.size(); }

int trim(Cache& cache, std::size_t length) {
  return guarded([&] { return cache.cache.try_trim(length); });
}
int drop(Cache& cache, std::size_t from, std::size_t to, bool rotate) {
  return guarded([&] { return cache.cache.try_drop(from, to, {.rotate = rotate}); });
}
int append(Cache& cache, const Chunk& chunk, std::size_t from, std::size_t to) {
  return guarded([&] { return cache.cache.try_append(chunk, from, to); });
}
int rescale(Cache& cache, std::uintptr_t parameters, std::size_t size) {
  return guarded([&] { return cache.cache.try_rescale(text_at(parameters, size)); });
}
Cache* fork_of(const Cache& cache) {
  if (!have_memory()) return nullptr;
  return made<Cache>(cache.cache.try_fork());
}
std::size_t key_elements(const Cache& cache, std::size_t layer) { return cache.cache.key_elements(layer); }
int keys(const Cache& cache, std::size_t layer, std::uintptr_t out, std::size_t size) {
  return guarded([&] { return cache.cache.try_keys(layer, {reinterpret_cast<float*>(out), size}); });
}
void explain(const Cache& cache) { ropewalk::embind::answer(cache.cache.explain()); }

/// The bytes stay until the next call, or until free_saved.
int save(Cache& cache) {
  return guarded([&] {
    Result<std::vector<std::byte>> saved = cache.cache.try_save();
    if (saved.ok()) cache.saved = std::move(saved).value();
    return saved.status();
  });
}
std::uintptr_t saved_address(const Cache& cache) {
  return reinterpret_cast<std::uintptr_t>(cache.saved.data());
}
std::size_t saved_size(const Cache& cache) { return cache.saved.size(); }
void free_saved(Cache& cache) { cache.saved = {}; }

/// `options` is the address of a SamplingBlock, here and below.
ropewalk::Result<ropewalk::Sampler> sampler(std::uintptr_t options) {
  const SamplingBlock& block = *reinterpret_cast<const SamplingBlock*>(options);
  return ropewalk::Sampler::make({.temperature = block.temperature,
                                  .top_k = static_cast<std::size_t>(block.top_k),
                                  .top_p = block.top_p,
                                  .min_p = block.min_p,
                                  .repetition_penalty = block.repetition_penalty,
                                  .repetition_window = static_cast<std::size_t>(block.repetition_window),
                                  .seed = static_cast<std::uint64_t>(block.seed)},
                                 static_cast<std::uint64_t>(block.drawn));
}
int check_sampling(std::uintptr_t options) {
  return guarded([&] { return sampler(options).status(); });
}
int sample(Cache& cache, std::uintptr_t options) {
  return guarded([&] {
    ropewalk::Result<ropewalk::Sampler> made = sampler(options);
    cache.samples.resize(1);
    return made.ok() ? cache.cache.try_sample(made.value(), cache.samples[0]) : made.status();
  });
}
/// Draws from the ids whose bits are set, 32 ids a word.
int sample_allowed(Cache& cache, std::uintptr_t allowed, std::size_t words, std::uintptr_t options) {
  return guarded([&] {
    ropewalk::Result<ropewalk::Sampler> made = sampler(options);
    cache.samples.resize(1);
    const std::span permitted{reinterpret_cast<const std::uint32_t*>(allowed), words};
    return made.ok() ? cache.cache.try_sample(made.value(), permitted, cache.samples[0]) : made.status();
  });
}
/// Feeds the first id and guesses behind it, and draws a token behind it and behind each guess that was right.
int feed_guesses(Cache& cache, std::uintptr_t ids, std::size_t count, std::uintptr_t options) {
  return guarded([&] {
    ropewalk::Result<ropewalk::Sampler> made = sampler(options);
    return made.ok() ? cache.cache.try_feed_guesses(integers(ids, count), made.value(), cache.samples)
                     : made.status();
  });
}
std::size_t sample_count(const Cache& cache) { return cache.samples.size(); }
int sampled_id(const Cache& cache, std::size_t i) { return cache.samples[i].id; }
double log_probability(const Cache& cache, std::size_t i) { return cache.samples[i].log_probability; }

}  // namespace

EMSCRIPTEN_BINDINGS(ropewalk_decoder) {
  using namespace emscripten;
  class_<Decoder>("Decoder")
      .function("parameterCount", &parameter_count)
      .function("context", &context)
      .function("config", &config)
      .function("notes", &notes)
      .function("ropes", &ropes)
      .function("makeCache(keys, type, parts, count)", &make_cache, return_value_policy::take_ownership())
      .function("makeChunk(ids, size, keys, type, parts, count)", &make_chunk,
                return_value_policy::take_ownership())
      .function("restore(bytes, size)", &restore, return_value_policy::take_ownership());
  class_<Chunk>("Chunk").function("length", &chunk_length).function("tokensAddress", &chunk_tokens);
  class_<Cache>("KeyCache")
      .function("length", &length)
      .function("bytes", &bytes)
      .function("tokensAddress", &tokens)
      .function("feed(ids, count, all, ruleLength)", &feed)
      .function("logitsAddress", &logits_address)
      .function("logitsSize", &logits_size)
      .function("trim(length)", &trim)
      .function("drop(from, to, rotate)", &drop)
      .function("append(chunk, from, to)", &append)
      .function("rescale(parameters, size)", &rescale)
      .function("fork", &fork_of, return_value_policy::take_ownership())
      .function("keyElements(layer)", &key_elements)
      .function("keys(layer, out, size)", &keys)
      .function("explain", &explain)
      .function("save", &save)
      .function("savedAddress", &saved_address)
      .function("savedSize", &saved_size)
      .function("freeSaved", &free_saved)
      .function("sample(options)", &sample)
      .function("sampleAllowed(allowed, words, options)", &sample_allowed)
      .function("feedGuesses(ids, count, options)", &feed_guesses)
      .function("sampleCount", &sample_count)
      .function("sampledId(index)", &sampled_id)
      .function("logProbability(index)", &log_probability);
  function("families", &families);
  function("checkSampling(options)", &check_sampling);
}
