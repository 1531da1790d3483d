#pragma once

/// Causal decoders (Llama, Qwen, SmolLM, Gemma, OLMo, LFM2 and others), and the keys and values that they keep: a
/// cache that can be trimmed, cut, extended by texts computed elsewhere, copied, saved, and moved to other
/// frequencies.
///
/// Shapes: T tokens of a call, H heads, K key heads, D head dimension, L layers, V vocabulary. Arrays are
/// dense, row-major float32. A decoder and what it makes are for one thread at a time; caches and chunks keep
/// what they need of their decoder alive.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ropewalk/encoder.hpp"
#include "ropewalk/sampling.hpp"
#include "ropewalk/spec.hpp"
#include "ropewalk/status.hpp"

namespace ropewalk {

/// Options of Decoder::make and DecoderLoader::make.
struct DecoderOptions {
  /// How weights are stored.
  Precision precision = Precision::float32;
  /// Capacity of each cache in tokens. Default: the smaller of 2048 and the model's own limit, which is
  /// `max_position_embeddings`.
  std::optional<std::size_t> context = {};
  /// Keep a copy of the output matrix in 5 bits, by which KeyCache::try_feed_guesses leaves most rows of the matrix unread:
  /// those that are proven not to be drawn. The tokens are the same. It takes effect with Precision::int8, for greedy
  /// choice and a top-k of at most 8; such samples have no log probability, which is of all rows. Takes about 0.66 times the
  /// memory of that matrix. Decoder::notes says if a model has no such matrix.
  bool screen = false;
  /// Share the work of a call, and outlive the decoder and what it makes; nullptr: the calling thread does all.
  Threads* threads = nullptr;
};

/// How a cache holds its keys.
enum class StoredKeys : std::uint8_t {
  /// Each key as it was first rotated. A move is recorded for its run of tokens and applied to the query.
  rotated,
  /// Unrotated keys, which are rotated anew at each feed: for rules that depend on the length.
  raw,
};

/// The element type of cached keys and values.
enum class CacheType : std::uint8_t {
  float32,
  float16,
  /// 8 bits, and a scale for each head and token.
  int8,
};

/// A part of a model's rotation: one pair of one head of keys in one layer, or all of what is left out.
struct RotationPart {
  /// Counted from 0. Layers that attend to its keys go with it.
  std::optional<std::size_t> layer = {};
  /// A head of keys, with the heads of queries that attend to it.
  std::optional<std::size_t> key_head = {};
  /// Pair j of each head, the one of frequency theta_j.
  std::optional<std::size_t> pair = {};
};

/// Options of Decoder::try_cache and Decoder::try_chunk.
struct CacheOptions {
  /// Default: rotated, and raw for dynamic NTK.
  std::optional<StoredKeys> keys = {};
  /// The element type of keys and values.
  CacheType type = CacheType::float32;
  /// Parts of the rotation that are left out, to see what they are for: the angle of these pairs is 0 at all positions, for
  /// queries and keys alike, and the attention scaling stays. Such a cache takes chunks of the same parts, and cannot be
  /// saved.
  std::vector<RotationPart> without_rotation = {};
};

/// A rope of the model: the layers that use it, counted from 0, and their window w (0 <= i - j < w).
struct RopeUse {
  /// Layers that use the rope, ascending.
  std::vector<std::size_t> layers;
  /// w, where these layers have a window.
  std::optional<std::size_t> window;
  /// The rope as ropewalk/analysis.hpp explains it; what it means that layers have none.
  std::string explain;
};

/// Options of KeyCache::try_feed.
struct FeedOptions {
  /// Return the logits of all tokens, (T,V), instead of those of the last token, (V).
  bool all = false;
  /// The length by which a rule that depends on it is evaluated. Default: what the cache holds after the
  /// call. For a text that is fed in pieces and should count as one.
  std::optional<std::size_t> rule_length = {};
};

/// Options of KeyCache::try_drop.
struct DropOptions {
  /// True if the keys behind what is dropped are rotated to their new positions. Without it they keep their rotation
  /// while positions are counted anew, which is a well-known mistake: for experiments, and for rotated keys only.
  bool rotate = true;
};

class Decoder;

/// Keys and values of a text by itself, at positions 0 to length - 1: to be appended to any cache of its model
/// that was made with the same options.
class Chunk {
 public:
  /// Moves. The source may only be destroyed or assigned to afterwards.
  Chunk(Chunk&&) noexcept;
  /// Moves. The source may only be destroyed or assigned to afterwards.
  Chunk& operator=(Chunk&&) noexcept;
  ~Chunk();

  /// Tokens held.
  std::size_t length() const;
  /// Their ids. Valid as long as the chunk.
  std::span<const std::int32_t> tokens() const;

  struct State;

 private:
  friend class Decoder;
  friend class KeyCache;
  explicit Chunk(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// The keys and values of the tokens that were fed. After any error the cache is as it was before.
class KeyCache {
 public:
  /// Moves. The source may only be destroyed or assigned to afterwards.
  KeyCache(KeyCache&&) noexcept;
  /// Moves. The source may only be destroyed or assigned to afterwards.
  KeyCache& operator=(KeyCache&&) noexcept;
  ~KeyCache();

  /// Tokens held. They stand at positions 0 to length() - 1.
  std::size_t length() const;
  /// Bytes of the blocks of 64 tokens and of recurrent states; those that forks share count once for each.
  std::size_t bytes() const;
  /// Their ids. Valid until the next call that changes the cache.
  std::span<const std::int32_t> tokens() const;
  /// Capacity in tokens.
  std::size_t context() const;

  /// Appends tokens. `logits` views memory of the decoder, valid until its next call. range error for ids that
  /// are not below V and for more tokens than `context` allows.
  [[nodiscard]] Status try_feed(std::span<const std::int32_t> ids, const FeedOptions& options,
                                std::span<const float>& logits);
  /// Keeps the first `length` tokens. unsupported for a model with a recurrent state (Qwen 3.5), unless `length` is 0 or
  /// length(): fork the cache where a text may have to go back.
  [[nodiscard]] Status try_trim(std::size_t length);
  /// Forgets tokens [from, to). Those behind move back by to - from positions; values stay as they are. unsupported for a
  /// model with a recurrent state, unless it is all tokens or none.
  [[nodiscard]] Status try_drop(std::size_t from, std::size_t to, const DropOptions& options = {});
  /// Appends tokens [from, to) of a chunk at the next positions. Default: all. unsupported for a model with a recurrent
  /// state, unless a whole chunk begins the cache.
  [[nodiscard]] Status try_append(const Chunk& chunk, std::size_t from = 0,
                                  std::optional<std::size_t> to = {});
  /// Changes the frequencies of the held keys, and of those to come: `rope_parameters` as in config.json, for
  /// a model with several ropes one for each type of layers. `rope_theta` stays unless given.
  [[nodiscard]] Status try_rescale(std::string_view rope_parameters);
  /// A copy that shares blocks until one of both writes to them.
  Result<KeyCache> try_fork() const;
  /// All of it, for Decoder::try_restore. unsupported for a cache without a part of the rotation.
  Result<std::vector<std::byte>> try_save() const;
  /// Elements of the keys of a layer; 0 where it has none.
  std::size_t key_elements(std::size_t layer) const;
  /// Keys of a layer rotated to their present positions, magnitude included: (length, K, D) into `out`. A layer that
  /// attends to the keys of another gives those.
  [[nodiscard]] Status try_keys(std::size_t layer, std::span<float> out) const;
  /// Moves, error bounds and approximations in words, one line each.
  std::string explain() const;

  /// Takes a token from the logits of the last feed, which are still there after trims and drops. The
  /// repetition penalty looks at the last tokens of the cache. range error before the first feed.
  [[nodiscard]] Status try_sample(Sampler& sampler, Sample& sample);
  /// As above, but takes one of the allowed tokens: those whose bit `id % 32` is set in `allowed[id / 32]`. The probability
  /// is the model's own, over all tokens. range error where no token is allowed.
  [[nodiscard]] Status try_sample(Sampler& sampler, std::span<const std::uint32_t> allowed, Sample& sample);

  /// Feeds a token and guesses at those behind it in one pass, and takes tokens as try_feed and try_sample would one by
  /// one, for as long as each is the one that was guessed. `ids` is the token and the guesses. `samples` becomes the
  /// right guesses and, behind them, the token in whose place a guess was wrong, or the one behind the last guess. The
  /// cache then ends with the last right guess. Tokens are the same as without guesses, and so are their probabilities:
  /// a pass of several tokens reads each weight once. Where frequencies depend on the length, or the
  /// model has a recurrent state, only `ids[0]` is fed.
  /// With DecoderOptions::screen log probabilities are NaN for greedy choice and a top-k of at most 8.
  /// Errors: those of try_feed and try_sample.
  [[nodiscard]] Status try_feed_guesses(std::span<const std::int32_t> ids, Sampler& sampler,
                                        std::vector<Sample>& samples);

#if defined(__cpp_exceptions)
  /// As try_feed, but returns the logits or throws the error.
  std::span<const float> feed(std::span<const std::int32_t> ids, const FeedOptions& options = {}) {
    std::span<const float> logits;
    raise(try_feed(ids, options, logits));
    return logits;
  }
  /// As try_trim, but throws the error.
  void trim(std::size_t length) { raise(try_trim(length)); }
  /// As try_drop, but throws the error.
  void drop(std::size_t from, std::size_t to, const DropOptions& options = {}) {
    raise(try_drop(from, to, options));
  }
  /// As try_append, but throws the error.
  void append(const Chunk& chunk, std::size_t from = 0, std::optional<std::size_t> to = {}) {
    raise(try_append(chunk, from, to));
  }
  /// As try_rescale, but throws the error.
  void rescale(std::string_view rope_parameters) { raise(try_rescale(rope_parameters)); }
  /// As try_fork, but throws the error.
  KeyCache fork() const { return raise(try_fork()); }
  /// As try_save, but throws the error.
  std::vector<std::byte> save() const { return raise(try_save()); }
  /// As try_keys, but into a new vector, and throws the error.
  std::vector<float> keys(std::size_t layer) const;
  /// As try_sample, but throws the error.
  Sample sample(Sampler& sampler) {
    Sample sample;
    raise(try_sample(sampler, sample));
    return sample;
  }
#endif

  struct State;

 private:
  friend class Decoder;
  explicit KeyCache(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// A causal language model. It makes caches, and they run it.
class Decoder {
 public:
  /// From config.json, or Meta's params.json, and model.safetensors; neither is needed afterwards. Errors: those
  /// of Encoder::make, and range error for a model that is not causal.
  static Result<Decoder> make(std::string_view config, std::span<const std::byte> weights,
                              const DecoderOptions& options = {});
  /// From a GGUF file of an architecture that docs/decoders.md lists, with tensors of the types F32, F16, BF16, Q8_0,
  /// Q4_0, Q4_1, Q5_0, Q5_1, Q4_K, Q5_K and Q6_K. Another architecture is refused by its name. Weights are what the
  /// blocks say, exactly; keys of "llama" and "smollm3" rotate in neighbouring pairs, as that format has them. Windows,
  /// bases and factors that no key says are those that llama.cpp takes for the architecture. Source: llama.cpp's
  /// src/llama-model.cpp.
  static Result<Decoder> make_gguf(std::span<const std::byte> file, const DecoderOptions& options = {});
  /// Moves. The source may only be destroyed or assigned to afterwards.
  Decoder(Decoder&&) noexcept;
  /// Moves. The source may only be destroyed or assigned to afterwards.
  Decoder& operator=(Decoder&&) noexcept;
  ~Decoder();

  /// The model as its configuration describes it.
  const Spec& spec() const;
  /// config.json as it was given; of a GGUF file its metadata as JSON, without long arrays.
  const std::string& config() const;
  /// Elements of all parameters; a tied weight counts once.
  std::size_t parameter_count() const;
  /// Capacity of each cache in tokens.
  std::size_t context() const;
  /// One sentence for each thing in the files that is not used, and for each assumption.
  const std::vector<std::string>& notes() const;
  /// Ropes of the model, and the layers without one.
  std::vector<RopeUse> ropes() const;

  /// An empty cache. range error for a part of the rotation that the model does not have.
  Result<KeyCache> try_cache(const CacheOptions& options = {}) const;
  /// Keys and values of tokens by themselves.
  Result<Chunk> try_chunk(std::span<const std::int32_t> ids, const CacheOptions& options = {}) const;
  /// The cache that KeyCache::try_save wrote. type error for bytes that are damaged, range error for those of
  /// another model or precision.
  Result<KeyCache> try_restore(std::span<const std::byte> bytes) const;

#if defined(__cpp_exceptions)
  /// As make, but throws the error.
  Decoder(std::string_view config, std::span<const std::byte> weights, const DecoderOptions& options = {})
      : Decoder(raise(make(config, weights, options))) {}
  /// As try_cache, but throws the error.
  KeyCache cache(const CacheOptions& options = {}) const { return raise(try_cache(options)); }
  /// As try_chunk, but throws the error.
  Chunk chunk(std::span<const std::int32_t> ids, const CacheOptions& options = {}) const {
    return raise(try_chunk(ids, options));
  }
  /// As try_restore, but throws the error.
  KeyCache restore(std::span<const std::byte> bytes) const { return raise(try_restore(bytes)); }
#endif

  struct State;

 private:
  friend class KeyCache;
  friend class Chunk;
  explicit Decoder(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

#if defined(__cpp_exceptions)
inline std::vector<float> KeyCache::keys(std::size_t layer) const {
  std::vector<float> out(key_elements(layer));
  raise(try_keys(layer, out));
  return out;
}
#endif

}  // namespace ropewalk
