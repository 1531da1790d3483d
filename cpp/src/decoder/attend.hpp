#pragma once

// One feed of a cache: new keys and values are written, queries attend to all that is held.

#include "decoder/cache.hpp"
#include "model/pass.hpp"

namespace ropewalk::decoder {

/// Memory that the feeds of a decoder share.
struct Scratch {
  Buffer<float> rotated;       // (runs,T,H+K,D)
  Buffer<float> keys, values;  // (max(T, 64),K,D) each
  Buffer<float> scores;
  States states;
  std::vector<nn::CacheBlock> blocks;  // of one layer, where the cache's own are not what attention reads
  std::vector<double> positions;
};

class Feed final : public model::LayerCache {
 public:
  /// For pieces of up to `piece` of the tokens from `begin` on, `end` being what is held after the last; their
  /// blocks are the cache's own. `heads` is H.
  static Result<Feed> make(Cache& cache, Scratch& scratch, std::size_t heads, std::size_t piece,
                           std::size_t begin, std::size_t end);

  /// The next pass begins with this token.
  void start_at(std::size_t token) { at_ = token; }
  void attend(std::size_t layer, const nn::AttentionShape& shape, const float* qkv, const float* gain,
              float* context) override;
  void recall(std::size_t layer, std::size_t before, std::size_t tokens, float* x) override;
  float* state(std::size_t layer) override {
    return scratch_->states->data() + cache_->layout().states[layer];
  }
  /// The first error within passes, which cannot return one.
  const Status& status() const { return status_; }
  std::int64_t shift() const { return shift_; }

 private:
  Feed(Cache& cache, Scratch& scratch) : cache_(&cache), scratch_(&scratch) {}
  /// Queries, and behind them the keys of each token, once for each run: (runs,T,H+K,D).
  void rotate(std::size_t layer, const nn::AttentionShape& shape, const float* qkv, const float* gain);
  /// Rotates them for each run.
  void turn(std::size_t layer, const nn::AttentionShape& shape, float* out);
  /// The blocks of tokens up to `end` as attention reads them.
  void expand(std::size_t layer, std::size_t first_block, std::size_t end);
  void keep(Status status) {
    if (status_.ok()) status_ = std::move(status);
  }
  bool expands() const { return cache_->stored() == StoredKeys::raw || cache_->type() != CacheType::float32; }

  Cache* cache_;
  Scratch* scratch_;
  std::size_t at_ = 0;
  std::vector<Run> runs_;  // the last one takes the new tokens
  std::int64_t shift_ = 0;
  Status status_;
};

}  // namespace ropewalk::decoder
