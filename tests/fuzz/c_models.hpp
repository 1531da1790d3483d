#pragma once

// Calls of ropewalk_models.h.

#include "c_calls.hpp"
#include "golden_models.hpp"

namespace ropewalk::fuzz::c {

/// A golden model's files. Read once.
struct Golden {
  explicit Golden(const std::string& folder)
      : config{ropewalk::fuzz::golden_text(folder + "/config.json")},
        weights(ropewalk::fuzz::golden_bytes(folder + "/model.safetensors")) {}
  std::string config[1];
  std::vector<std::byte> weights;
};

/// The arguments of both functions that make a model.
struct ModelCall {
  std::vector<char> config;
  std::vector<std::byte> bytes;
  std::vector<ropewalk_file> files;
  ropewalk_model_options options = {sizeof options, 0, 0, 0};
};

inline void read_model_call(Numbers& numbers, const Golden& golden, ModelCall& call) {
  call.config = text_of(numbers, golden.config);
  call.bytes = golden.weights;
  if (numbers.whole(0, 3) == 0) {
    // The header, at whose end the weights begin.
    for (std::size_t change = numbers.whole(0, 3) + 1; change > 0; --change)
      call.bytes[numbers.raw<std::uint16_t>() % std::min<std::size_t>(call.bytes.size(), 4096)] =
          static_cast<std::byte>(numbers.raw<std::uint8_t>());
    if (numbers.flag()) call.bytes.resize(numbers.raw<std::uint32_t>() % call.bytes.size());
    call.bytes.shrink_to_fit();
  }
  for (std::size_t count = numbers.whole(0, 7) == 0 ? numbers.whole(0, 3) : 1; count > 0; --count)
    call.files.push_back(
        {or_null(numbers, "model.safetensors"), or_null(numbers, call.bytes.data()), call.bytes.size()});
  call.options.precision = choice(numbers, 1);
  call.options.threads = numbers.whole(0, 7) == 0 ? static_cast<std::int32_t>(numbers.whole(0, 2)) : 1;
  call.options.context = numbers.whole(0, 3) == 0 ? count_near(numbers, 16) : 16;
  if (numbers.whole(0, 15) == 0) call.options.struct_size = numbers.whole(0, sizeof call.options - 1);
}

inline void make_encoder(Numbers& numbers, State& state) {
  static const Golden golden("encoders/bert-minilm");
  ModelCall call;
  read_model_call(numbers, golden, call);
  ropewalk_encoder* made = nullptr;
  const ropewalk_status status = ropewalk_encoder_create(
      or_null(numbers, call.config.data()), call.config.size(), or_null(numbers, call.files.data()),
      call.files.size(), or_null<const ropewalk_model_options*>(numbers, &call.options),
      or_null(numbers, &made));
  require_made(succeeded(status, "encoder_create"), made, "encoder_create");
  state.encoders.keep(made);
}

inline void make_decoder(Numbers& numbers, State& state) {
  static const Golden golden("decoders/llama-one-layer");
  ModelCall call;
  read_model_call(numbers, golden, call);
  ropewalk_decoder* made = nullptr;
  const ropewalk_status status = ropewalk_decoder_create(
      or_null(numbers, call.config.data()), call.config.size(), or_null(numbers, call.files.data()),
      call.files.size(), or_null<const ropewalk_model_options*>(numbers, &call.options),
      or_null(numbers, &made));
  require_made(succeeded(status, "decoder_create"), made, "decoder_create");
  state.decoders.keep(made);
}

inline void set_sentence(Numbers& numbers, State& state) {
  static const std::string modules[] = {ropewalk::fuzz::golden_text("encoders/bert-minilm/modules.json"),
                                        "[]"};
  static const std::string pooling =
      ropewalk::fuzz::golden_text("encoders/bert-minilm/1_Pooling/config.json");
  const std::vector<char> text = text_of(numbers, modules);
  char* json = nullptr;
  const bool listed =
      succeeded(ropewalk_sentence_files(or_null(numbers, text.data()), text.size(), or_null(numbers, &json)),
                "sentence_files");
  require_made(listed, json, "sentence_files");
  ropewalk_free(json);
  const ropewalk_file files[] = {
      {or_null(numbers, "modules.json"), or_null(numbers, text.data()), text.size()},
      {"1_Pooling/config.json", pooling.data(), pooling.size()}};
  succeeded(ropewalk_encoder_set_sentence(state.encoders.any(numbers), or_null(numbers, files),
                                          numbers.whole(0, 2)),
            "encoder_set_sentence");
}

inline std::vector<std::int32_t> ids_of(Numbers& numbers, std::size_t count, std::size_t most) {
  std::vector<std::int32_t> ids(count);
  for (std::int32_t& id : ids) id = choice(numbers, most);
  if (count > 0 && numbers.whole(0, 15) == 0) ids[0] = numbers.raw<std::int32_t>();
  return ids;
}

inline void forward(Numbers& numbers, State& state) {
  ropewalk_encoder* const encoder = state.encoders.any(numbers);
  const std::size_t batch = numbers.whole(1, 2), sequence = numbers.whole(1, 6);
  const auto ids = ids_of(numbers, batch * sequence, 40), types = ids_of(numbers, batch * sequence, 1),
             mask = ids_of(numbers, batch * sequence, 1);
  ropewalk_batch given = {sizeof given,
                          batch,
                          sequence,
                          or_null(numbers, ids.data()),
                          numbers.flag() ? nullptr : types.data(),
                          numbers.flag() ? nullptr : mask.data()};
  // Fewer than there are, or none: more would be read beyond the arrays.
  if (numbers.whole(0, 7) == 0) given.batch = numbers.whole(0, batch);
  if (numbers.whole(0, 7) == 0) given.sequence = numbers.whole(0, sequence);
  if (numbers.whole(0, 31) == 0) given.sequence = SIZE_MAX - numbers.whole(0, 9);
  const ropewalk_sentence_options sentence = {
      numbers.whole(0, 15) == 0 ? numbers.whole(0, sizeof sentence - 1) : sizeof sentence, choice(numbers, 6),
      choice(numbers, 2), count_near(numbers, 1), count_near(numbers, 4)};
  const std::uint32_t outputs =
      numbers.whole(0, 7) == 0 ? numbers.raw<std::uint32_t>() : numbers.raw<std::uint8_t>() % 128;
  succeeded(ropewalk_encoder_forward(encoder, or_null<const ropewalk_batch*>(numbers, &given), outputs,
                                     numbers.flag() ? nullptr : &sentence),
            "encoder_forward");
}

inline void describe_encoder(Numbers& numbers, State& state) {
  const ropewalk_encoder* const encoder = state.encoders.any(numbers);
  char* json = nullptr;
  using Describe = ropewalk_status(const ropewalk_encoder*, char**);
  Describe* const describe[] = {ropewalk_encoder_facts, ropewalk_encoder_metadata, ropewalk_encoder_outputs};
  const bool ok = succeeded(describe[numbers.whole(0, 2)](encoder, or_null(numbers, &json)), "encoder_facts");
  require_made(ok, json, "encoder_facts");
  ropewalk_free(json);
  const char* const names[] = {"last_hidden_state", "hidden_states", "pooled",          "sentence_embedding",
                               "attentions",        "scores",        "rotated_queries", ""};
  const float* values = nullptr;
  std::size_t size = 0;
  const std::int32_t layer = numbers.whole(0, 7) == 0 ? numbers.raw<std::int32_t>() : choice(numbers, 2);
  const bool found =
      succeeded(ropewalk_encoder_output(encoder, or_null(numbers, names[numbers.whole(0, 7)]), layer,
                                        or_null(numbers, &values), or_null(numbers, &size)),
                "encoder_output");
  require_made(found, values, "encoder_output");
  // Reads all of it: a view of what is gone would be seen.
  float sum = 0;
  for (std::size_t i = 0; i < size; ++i) sum += values[i];
  (void)sum;
}

inline void make_cache(Numbers& numbers, State& state) {
  const ropewalk_decoder* const decoder = state.decoders.any(numbers);
  char* json = nullptr;
  require_made(succeeded(ropewalk_decoder_facts(decoder, or_null(numbers, &json)), "decoder_facts"), json,
               "decoder_facts");
  ropewalk_free(json);
  const ropewalk_cache_options options = {
      numbers.whole(0, 15) == 0 ? numbers.whole(0, sizeof options - 1) : sizeof options, choice(numbers, 2),
      choice(numbers, 2)};
  ropewalk_cache* made = nullptr;
  const ropewalk_status status =
      ropewalk_cache_create(decoder, numbers.flag() ? nullptr : &options, or_null(numbers, &made));
  require_made(succeeded(status, "cache_create"), made, "cache_create");
  state.caches.keep(made);
}

inline void feed(Numbers& numbers, State& state) {
  ropewalk_cache* const cache = state.caches.any(numbers);
  const auto ids = ids_of(numbers, numbers.whole(0, 6), 40);
  const float* logits = nullptr;
  std::size_t size = 0;
  const std::size_t before = ropewalk_cache_tokens(cache, nullptr);
  const bool ok =
      succeeded(ropewalk_cache_feed(cache, or_null(numbers, ids.data()), ids.size(), choice(numbers, 1),
                                    or_null(numbers, &logits), or_null(numbers, &size)),
                "cache_feed");
  const std::int32_t* held = nullptr;
  const std::size_t tokens = ropewalk_cache_tokens(cache, &held);
  require(tokens == before + (ok ? ids.size() : 0), "a feed adds its tokens, or none");
  require(!ok || std::equal(ids.begin(), ids.end(), held + before),
          "a cache holds the tokens that it was fed");
  if (logits == nullptr) return;
  float sum = 0;
  for (std::size_t i = 0; i < size; ++i) sum += logits[i];
  (void)sum;
}

inline void change_cache(Numbers& numbers, State& state) {
  ropewalk_cache* const cache = state.caches.any(numbers);
  switch (numbers.whole(0, 3)) {
    case 0:
      succeeded(ropewalk_cache_trim(cache, count_near(numbers, numbers.whole(0, 12))), "cache_trim");
      return;
    case 1: {
      const std::size_t from = count_near(numbers, numbers.whole(0, 9));
      succeeded(ropewalk_cache_drop(cache, from, count_near(numbers, from + numbers.whole(0, 4))),
                "cache_drop");
      return;
    }
    case 2: {
      ropewalk_cache* copy = nullptr;
      require_made(succeeded(ropewalk_cache_fork(cache, or_null(numbers, &copy)), "cache_fork"), copy,
                   "cache_fork");
      state.caches.keep(copy);
      return;
    }
    default: {
      ropewalk_sampling sampling = ROPEWALK_SAMPLING_INIT;
      sampling.temperature = numbers.flag() ? 0.7 : position(numbers);
      sampling.top_k = count_near(numbers, 5);
      sampling.top_p = numbers.flag() ? 0.9 : position(numbers);
      sampling.min_p = numbers.flag() ? 0 : position(numbers);
      sampling.repetition_penalty = numbers.flag() ? 1.2 : position(numbers);
      sampling.repetition_window = count_near(numbers, 8);
      sampling.seed = numbers.raw<std::uint32_t>();
      sampling.drawn = count_near(numbers, 3);
      if (numbers.whole(0, 31) == 0) sampling.struct_size = numbers.whole(0, sizeof sampling - 1);
      std::int32_t id = -7;
      double log_probability = 0;
      const bool ok =
          succeeded(ropewalk_cache_sample(cache, or_null<const ropewalk_sampling*>(numbers, &sampling),
                                          or_null(numbers, &id), or_null(numbers, &log_probability)),
                    "cache_sample");
      require(ok ? id >= 0 : id == -7, "a token is drawn, or nothing is written");
    }
  }
}

inline void save(Numbers& numbers, State& state) {
  ropewalk_cache* const cache = state.caches.any(numbers);
  void* bytes = nullptr;
  std::size_t size = 0;
  const bool ok =
      succeeded(ropewalk_cache_save(cache, or_null(numbers, &bytes), or_null(numbers, &size)), "cache_save");
  require_made(ok, bytes, "cache_save");
  std::vector<std::uint8_t> copy(static_cast<const std::uint8_t*>(bytes),
                                 static_cast<const std::uint8_t*>(bytes) + size);
  ropewalk_free(bytes);
  if (!copy.empty() && numbers.flag())
    copy[numbers.raw<std::uint32_t>() % copy.size()] ^= static_cast<std::uint8_t>(1 << numbers.whole(0, 7));
  if (!copy.empty() && numbers.whole(0, 3) == 0) copy.resize(numbers.raw<std::uint32_t>() % copy.size());
  copy.shrink_to_fit();
  ropewalk_cache* made = nullptr;
  const ropewalk_status status = ropewalk_cache_restore(
      state.decoders.any(numbers), or_null(numbers, copy.data()), copy.size(), or_null(numbers, &made));
  require_made(succeeded(status, "cache_restore"), made, "cache_restore");
  state.caches.keep(made);
}

}  // namespace ropewalk::fuzz::c
