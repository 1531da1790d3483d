#pragma once

// A cache holds tokens, blocks of keys and values of every layer, and the place at which each key was first rotated.

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "decoder/block.hpp"
#include "decoder/ropes.hpp"
#include "decoder/runs.hpp"
#include "decoder/still_pairs.hpp"

namespace ropewalk::decoder {

/// The properties that all caches of a model share.
struct Layout {
  /// By what the model computes. The layout of a block is that of the kernels.
  nn::Compute compute;
  /// Keys and values of each layer: no head where it attends to the keys of another. A short convolution holds its inputs
  /// of `channels` numbers, half of them as keys.
  std::vector<nn::CacheShape> shapes = {};
  std::size_t channels = 0;
  std::vector<bool> convolves = {};
  /// The layer whose keys and values each one attends to, most of them their own.
  std::vector<std::size_t> keys_of = {};
  /// Where the state of each layer begins among the states of all; the last one is the end. Layers that have none have
  /// no numbers there, and those that have one have nothing else: no keys and no values.
  std::vector<std::size_t> states = {0};
  /// For each layer its rope and its window.
  std::vector<std::optional<std::size_t>> ropes = {}, windows = {};
  std::size_t context = 0;

  /// True if positions are added to the word vectors, so that tokens cannot move.
  bool learned = false;

  std::size_t layers() const { return ropes.size(); }
  bool has_states() const { return states.back() > 0; }
  bool has_state(std::size_t layer) const { return states[layer] < states[layer + 1]; }
  const nn::CacheShape& shape_of(std::size_t layer) const { return shapes[layer]; }
  std::size_t row(std::size_t layer) const { return shape_of(layer).key_heads * shape_of(layer).head_dim; }
  std::size_t widest_row() const {
    std::size_t widest = 0;
    for (std::size_t l = 0; l < layers(); ++l) widest = std::max(widest, row(l));
    return widest;
  }
};

/// The states of all layers that have one, behind the last token.
using States = std::shared_ptr<Buffer<float>>;

/// A copy shares the blocks; who writes to one that is shared first makes a copy of it.
class Cache {
 public:
  Cache(std::shared_ptr<const Layout> layout, StoredKeys stored, CacheType type, RopesPtr ropes,
        StillPairsPtr still = {})
      : layout_(std::move(layout)),
        stored_(stored),
        type_(type),
        ropes_(std::move(ropes)),
        still_(std::move(still)),
        blocks_(layout_->layers()) {}

  const Layout& layout() const { return *layout_; }
  StoredKeys stored() const { return stored_; }
  CacheType type() const { return type_; }
  const RopesPtr& ropes() const { return ropes_; }
  /// nullptr: all pairs rotate.
  const StillPairsPtr& still() const { return still_; }
  const Runs& runs() const { return runs_; }
  std::size_t length() const { return tokens_.size(); }
  const std::vector<std::int32_t>& tokens() const { return tokens_; }
  std::size_t bytes() const;
  std::span<const std::shared_ptr<Block>> blocks(std::size_t layer) const { return blocks_[layer]; }
  /// How often all keys were rotated on to other frequencies.
  std::size_t turns() const { return turns_; }
  std::size_t drops() const { return drops_; }
  /// Drops behind which keys kept their rotation.
  std::size_t unrotated() const { return unrotated_; }
  std::size_t appended() const { return appended_; }

  /// Makes the blocks of tokens [from, to) exist in all layers, each shared with nobody.
  Status own(std::size_t from, std::size_t to);
  /// Writes tokens [at, at + count) of a layer, whose blocks are this cache's own; k and v (count,K,D).
  void write(std::size_t layer, std::size_t at, std::size_t count, const float* k, const float* v);
  /// Reads them.
  void read(std::size_t layer, std::size_t at, std::size_t count, float* k, float* v) const;

  /// Tokens whose keys and values were written behind the others, rotated at their positions plus the shift.
  void extend(std::span<const std::int32_t> ids, std::int64_t shift);
  void trim(std::size_t length);
  Status drop(std::size_t from, std::size_t to, bool rotate);
  Status append(const Cache& chunk, std::size_t from, std::size_t to);
  /// Turns the held keys to other frequencies.
  Status turn_to(RopesPtr ropes);
  /// nullptr: all are 0. Nobody writes to states that a cache has.
  const States& states() const { return states_; }
  /// Gives the states up for those behind the tokens that follow.
  void exchange_states(States& states) { states_.swap(states); }
  /// Other frequencies for raw keys.
  void set_ropes(RopesPtr ropes) { ropes_ = std::move(ropes); }
  /// Keys of a layer at their present positions, (length,K,D).
  Status keys(std::size_t layer, float* out) const;

  /// For restore.
  void set_history(Runs runs, std::vector<std::int32_t> tokens, std::size_t turns, std::size_t drops,
                   std::size_t unrotated, std::size_t appended);

 private:
  using Blocks = std::vector<std::shared_ptr<Block>>;
  /// Copies tokens [from, from + count) of `source` to [at, ...) of this layer, ascending.
  void move(std::size_t layer, std::size_t at, std::size_t count, const Blocks& source, std::size_t from);
  /// Rotates the stored keys of tokens [begin, end), which are those of `from` at their positions plus the
  /// shifts of `runs`, on to `to` at their positions plus `shift`.
  Status turn(std::size_t begin, std::size_t end, const Ropes& from, const Runs& runs, const Ropes& to,
              std::int64_t shift);

  std::shared_ptr<const Layout> layout_;
  StoredKeys stored_;
  CacheType type_;
  RopesPtr ropes_;
  StillPairsPtr still_;
  std::vector<Blocks> blocks_;  // of each layer
  std::vector<std::int32_t> tokens_;
  Runs runs_;
  States states_;
  std::size_t turns_ = 0, drops_ = 0, unrotated_ = 0, appended_ = 0;
};

}  // namespace ropewalk::decoder
