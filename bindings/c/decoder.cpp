// Decoders, their caches, and sampling.

#include <cstdint>
#include <cstdlib>
#include <new>
#include <utility>

#include "models.hpp"
#include "ropewalk/decoder.hpp"
#include "ropewalk/sampling.hpp"

using ropewalk::CacheOptions;
using ropewalk::Decoder;
using ropewalk::DecoderLoader;
using ropewalk::KeyCache;
using ropewalk::Precision;
using ropewalk::Result;
using ropewalk::Status;
using ropewalk::c::check_choice;
using ropewalk::c::keep;
using ropewalk::c::null_pointer;
using ropewalk::c::read_struct;

struct ropewalk_decoder {
  std::shared_ptr<ropewalk::ThreadPool> pool;  // the decoder's and its caches', which it outlives
  Decoder decoder;
  Precision precision;
};

struct ropewalk_cache {
  std::shared_ptr<ropewalk::ThreadPool> pool;
  KeyCache cache;
};

namespace {

static_assert(static_cast<int>(ropewalk::StoredKeys::raw) + 1 == 2);
static_assert(static_cast<int>(ropewalk::CacheType::int8) == 2);

Status make(std::string_view function, const ropewalk::c::ModelCall& call, ropewalk_decoder** out) {
  std::shared_ptr<ropewalk::ThreadPool> pool = ropewalk::c::pool_of(call.threads);
  const ropewalk::DecoderOptions options{
      .precision = call.precision, .context = call.context, .threads = pool.get()};
  ROPEWALK_LET(loader, call.config ? DecoderLoader::make(*call.config, call.weights.size(), options)
                                   : DecoderLoader::make_gguf(options));
  auto decoder = ropewalk::c::load(loader, call.weights, [](DecoderLoader&) { return Status(); });
  if (!decoder.ok()) return decoder.status();
  *out = new (std::nothrow) ropewalk_decoder{
      .pool = std::move(pool), .decoder = std::move(decoder).value(), .precision = call.precision};
  return *out == nullptr ? Status::out_of_memory(std::string(function) + ": no memory for a decoder")
                         : Status();
}

Status give(std::string_view function, Result<KeyCache> made,
            const std::shared_ptr<ropewalk::ThreadPool>& pool, ropewalk_cache** out) {
  if (!made.ok()) return made.status();
  *out = new (std::nothrow) ropewalk_cache{pool, std::move(made).value()};
  return *out == nullptr ? Status::out_of_memory(std::string(function) + ": no memory for a cache")
                         : Status();
}

}  // namespace

ropewalk_status ropewalk_decoder_create(const char* config, size_t config_size, const ropewalk_file* weights,
                                        size_t weight_count, const ropewalk_model_options* options,
                                        ropewalk_decoder** decoder) {
  constexpr std::string_view function = "decoder_create";
  if (decoder == nullptr) return keep(null_pointer(function, "decoder", "where the decoder goes"));
  ropewalk::c::ModelCall call;
  if (Status s =
          ropewalk::c::read_model_call(function, config, config_size, weights, weight_count, options, call);
      !s.ok())
    return keep(s);
  return keep(make(function, call, decoder));
}

void ropewalk_decoder_destroy(ropewalk_decoder* decoder) { delete decoder; }

ropewalk_status ropewalk_decoder_facts(const ropewalk_decoder* decoder, char** json) {
  constexpr std::string_view function = "decoder_facts";
  if (decoder == nullptr) return keep(null_pointer(function, "decoder", "a decoder"));
  if (json == nullptr) return keep(null_pointer(function, "json", "where the text goes"));
  const Decoder& model = decoder->decoder;
  const std::string text =
      "{\"config\":" + model.config() + ",\"vocabulary\":" + std::to_string(model.spec().vocabulary) +
      ",\"context\":" + std::to_string(model.context()) +
      ",\"parameters\":" + std::to_string(model.parameter_count()) +
      ",\"precision\":" + (decoder->precision == Precision::int8 ? "\"int8\"" : "\"float32\"") +
      ",\"notes\":" + ropewalk::c::json_list(model.notes()) + "}";
  return ropewalk::c::give_text(function, text, json);
}

ropewalk_status ropewalk_cache_create(const ropewalk_decoder* decoder, const ropewalk_cache_options* options,
                                      ropewalk_cache** cache) {
  constexpr std::string_view function = "cache_create";
  if (decoder == nullptr) return keep(null_pointer(function, "decoder", "a decoder"));
  if (cache == nullptr) return keep(null_pointer(function, "cache", "where the cache goes"));
  CacheOptions wanted;
  if (options != nullptr) {
    ropewalk_cache_options given;
    if (Status s = read_struct(function, "options", options, given); !s.ok()) return keep(s);
    if (Status s = check_choice(function, "options.keys", given.keys, 3); !s.ok()) return keep(s);
    if (Status s = check_choice(function, "options.type", given.type, 3); !s.ok()) return keep(s);
    if (given.keys != 0) wanted.keys = static_cast<ropewalk::StoredKeys>(given.keys - 1);
    wanted.type = static_cast<ropewalk::CacheType>(given.type);
  }
  return keep(give(function, decoder->decoder.try_cache(wanted), decoder->pool, cache));
}

void ropewalk_cache_destroy(ropewalk_cache* cache) { delete cache; }

size_t ropewalk_cache_tokens(const ropewalk_cache* cache, const int32_t** ids) {
  std::span<const std::int32_t> tokens;
  if (cache != nullptr) tokens = cache->cache.tokens();
  if (ids != nullptr) *ids = tokens.data();
  return tokens.size();
}

ropewalk_status ropewalk_cache_feed(ropewalk_cache* cache, const int32_t* ids, size_t count, int32_t all,
                                    const float** logits, size_t* size) {
  constexpr std::string_view function = "cache_feed";
  if (cache == nullptr) return keep(null_pointer(function, "cache", "a cache"));
  if (ids == nullptr && count != 0) return keep(null_pointer(function, "ids", "an array of ids"));
  if (Status s = check_choice(function, "all", all, 2); !s.ok()) return keep(s);
  std::span<const float> found;
  if (Status s = cache->cache.try_feed({ids, count}, {.all = all != 0}, found); !s.ok()) return keep(s);
  if (logits != nullptr) *logits = found.data();
  if (size != nullptr) *size = found.size();
  return ROPEWALK_OK;
}

ropewalk_status ropewalk_cache_trim(ropewalk_cache* cache, size_t length) {
  if (cache == nullptr) return keep(null_pointer("cache_trim", "cache", "a cache"));
  return keep(cache->cache.try_trim(length));
}

ropewalk_status ropewalk_cache_drop(ropewalk_cache* cache, size_t from, size_t to) {
  if (cache == nullptr) return keep(null_pointer("cache_drop", "cache", "a cache"));
  return keep(cache->cache.try_drop(from, to));
}

ropewalk_status ropewalk_cache_fork(const ropewalk_cache* cache, ropewalk_cache** copy) {
  constexpr std::string_view function = "cache_fork";
  if (cache == nullptr) return keep(null_pointer(function, "cache", "a cache"));
  if (copy == nullptr) return keep(null_pointer(function, "copy", "where the copy goes"));
  return keep(give(function, cache->cache.try_fork(), cache->pool, copy));
}

ropewalk_status ropewalk_cache_save(const ropewalk_cache* cache, void** bytes, size_t* size) {
  constexpr std::string_view function = "cache_save";
  if (cache == nullptr) return keep(null_pointer(function, "cache", "a cache"));
  if (bytes == nullptr) return keep(null_pointer(function, "bytes", "where the address goes"));
  if (size == nullptr) return keep(null_pointer(function, "size", "where the number goes"));
  const Result<std::vector<std::byte>> saved = cache->cache.try_save();
  if (!saved.ok()) return keep(saved.status());
  void* const copy = ropewalk_alloc(saved.value().size());
  if (copy == nullptr) {
    return keep(Status::out_of_memory(
        ropewalk::sentence({function, ": no memory for ", saved.value().size(), " bytes"})));
  }
  std::memcpy(copy, saved.value().data(), saved.value().size());
  *bytes = copy;
  *size = saved.value().size();
  return ROPEWALK_OK;
}

ropewalk_status ropewalk_cache_restore(const ropewalk_decoder* decoder, const void* bytes, size_t size,
                                       ropewalk_cache** cache) {
  constexpr std::string_view function = "cache_restore";
  if (decoder == nullptr) return keep(null_pointer(function, "decoder", "a decoder"));
  if (bytes == nullptr && size != 0) return keep(null_pointer(function, "bytes", "what cache_save wrote"));
  if (cache == nullptr) return keep(null_pointer(function, "cache", "where the cache goes"));
  if (size > PTRDIFF_MAX)
    return keep(ropewalk::out_of_range(function, "size", size, "the number of bytes that cache_save wrote"));
  const std::span given(static_cast<const std::byte*>(bytes), size);
  return keep(give(function, decoder->decoder.try_restore(given), decoder->pool, cache));
}

ropewalk_status ropewalk_cache_sample(ropewalk_cache* cache, const ropewalk_sampling* sampling, int32_t* id,
                                      double* log_probability) {
  constexpr std::string_view function = "cache_sample";
  if (cache == nullptr) return keep(null_pointer(function, "cache", "a cache"));
  if (id == nullptr) return keep(null_pointer(function, "id", "where the token goes"));
  ropewalk_sampling given;
  if (Status s = read_struct(function, "sampling", sampling, given); !s.ok()) return keep(s);
  Result<ropewalk::Sampler> sampler = ropewalk::Sampler::make({.temperature = given.temperature,
                                                               .top_k = given.top_k,
                                                               .top_p = given.top_p,
                                                               .min_p = given.min_p,
                                                               .repetition_penalty = given.repetition_penalty,
                                                               .repetition_window = given.repetition_window,
                                                               .seed = given.seed},
                                                              given.drawn);
  if (!sampler.ok()) return keep(sampler.status());
  ropewalk::Sample sample;
  if (Status s = cache->cache.try_sample(sampler.value(), sample); !s.ok()) return keep(s);
  *id = sample.id;
  if (log_probability != nullptr) *log_probability = sample.log_probability;
  return ROPEWALK_OK;
}
