#pragma once

// The state behind the public classes.

#include <memory>
#include <string>

#include "decoder/attend.hpp"
#include "model/model.hpp"
#include "nn/screen.hpp"
#include "ropewalk/decoder.hpp"

namespace ropewalk {

struct Decoder::State {
  /// Values of the configuration that are not in the spec; a length of 0 is not given.
  struct Read {
    std::string config;
    std::size_t max_positions = 0, original_max_positions = 0;
  };

  /// Refuses models whose keys a cache cannot hold: those that are not causal, or have positions elsewhere than in their
  /// rotation.
  static Status check(const Spec& spec);
  /// The decoder of a model that has been read; it is to be prepared.
  static Result<Decoder> make(Read read, model::Model loaded, const DecoderOptions& options);
  /// A step of what is computed from the weights; how many rows are left.
  static std::size_t prepare(Decoder& decoder);
  State(model::Model loaded, std::shared_ptr<const decoder::Layout> shape, std::vector<RopeOptions> ropes)
      : model(std::move(loaded)), layout(std::move(shape)), ropes(std::move(ropes)) {}

  model::Model model;
  std::shared_ptr<const decoder::Layout> layout;
  std::vector<RopeOptions> ropes;
  Read read = {};
  Precision precision = Precision::float32;
  std::uint64_t fingerprint = 0;  // of the parameters; 0 until a cache is saved or restored

  /// The memory of passes with one token, of passes with up to 64, and of logits of up to 8 tokens.
  model::Workspace step, pieces, several;
  decoder::Scratch scratch;
  Buffer<float> all_logits, hidden;

  /// The screen of the output matrix, if there is one.
  std::optional<nn::Screen> screen;
  std::vector<std::string> notes = {};

  /// Buffers that a feed fills, unless they are nullptr.
  struct Written {
    float* all = nullptr;     // the logits of all tokens (T,V)
    float* last = nullptr;    // those of the last one (V)
    float* hidden = nullptr;  // what the head reads, of all tokens (T,C)
  };
  /// Appends tokens to a cache, at the frequencies of its new length. A failure leaves the cache as it was.
  Status feed(decoder::Cache& cache, std::span<const std::int32_t> ids, const FeedOptions& options,
              const Written& written);
  /// The same at the frequencies that the cache has.
  Status append(decoder::Cache& cache, std::span<const std::int32_t> ids, const Written& written);
  /// The logits (V) of a token's hidden state (C).
  Status predict(const float* hidden, float* logits);
  /// The logits (T,V) of the hidden states (T,C) of a pass of so many tokens.
  void predict(const model::Pass& pass, const float* hidden, float* logits) const;
  Status check_ids(std::span<const std::int32_t> ids, const char* function) const;
  /// Where a layer has its positions from, in a sentence or two.
  std::string explain_layer(std::size_t l) const;
  Result<decoder::Cache> make_cache(const CacheOptions& options, double length, const char* function) const;
  /// The numbers that all parameters come to.
  std::uint64_t hash();
  std::size_t vocabulary() const { return model.spec().vocabulary; }
};

struct KeyCache::State {
  State(std::shared_ptr<Decoder::State> owner, decoder::Cache held)
      : decoder(std::move(owner)), cache(std::move(held)) {}
  std::shared_ptr<Decoder::State> decoder;
  decoder::Cache cache;
  Buffer<float> logits;  // (V), of the last feed; empty before
  Buffer<float> hidden;  // (C), of the last feed, where that has left the logits out; else empty

  /// Refuses what try_feed refuses.
  Status check_feed(std::span<const std::int32_t> ids, const FeedOptions& options) const;
  /// Computes logits that a feed has left out.
  Status complete();
};

struct Chunk::State {
  std::shared_ptr<Decoder::State> decoder;
  decoder::Cache cache;
};

namespace decoder {

Result<std::vector<std::byte>> save(const Cache& cache, Decoder::State& decoder);
Result<Cache> restore(std::span<const std::byte> bytes, Decoder::State& decoder);
std::string explain(const Cache& cache);
/// A rope in a sentence.
std::string describe(const RopeOptions& rope);
/// The ropes of a cache, rescaled by `rope_parameters`.
Result<std::vector<RopeOptions>> rescaled(std::string_view rope_parameters, const Decoder::State& decoder,
                                          const std::vector<RopeOptions>& now);

}  // namespace decoder

}  // namespace ropewalk
