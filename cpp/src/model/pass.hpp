#pragma once

// One pass through the model: its input, its memory, and what blocks read and write while it runs. Arguments
// are checked before; nothing here fails or allocates.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "model/builder.hpp"
#include "model/plan.hpp"
#include "nn/attention.hpp"
#include "nn/compute.hpp"
#include "ropewalk/encoder.hpp"

namespace ropewalk::model {

/// Dropout of a training step: off unless asked for. The same seed gives the same masks in both directions.
struct Dropout {
  bool on = false;
  std::uint64_t seed = 0;
};

/// The places where dropout acts, as in Hugging Face's models. The seed of the step makes a mask for each place and
/// layer; its number is part of that seed, so that a new place is the last.
enum class Site : std::uint64_t {
  embeddings,
  probabilities,
  attention_output,
  output,
  head_input,
  head_hidden,
  cross_attention_output,
  convolution
};

/// Keys and values that outlive a pass: a decoder's. It attends in the place of the position encoding.
class LayerCache {
 public:
  /// qkv (T,H+2K,D), projected and not rotated; context (T,H,D), out. `gain` (D) multiplies each query once it has
  /// rotated, or is nullptr.
  virtual void attend(std::size_t layer, const nn::AttentionShape& shape, const float* qkv, const float* gain,
                      float* context) = 0;
  /// Keeps the inputs of a convolution, whose last T rows in x (before + T, C) are new, and fills the rows before them with
  /// those that came before: 0 where there was no token.
  virtual void recall(std::size_t layer, std::size_t before, std::size_t tokens, float* x) = 0;
  /// The state of a layer that has one, which its owner reads and writes: 0 before the first token.
  virtual float* state(std::size_t layer) = 0;

 protected:
  ~LayerCache() = default;
};

/// The hidden states of another model, of as many sequences: what cross-attention reads.
struct Memory {
  const float* states;           // (B,S,C)
  const std::uint8_t* key_mask;  // (B,S), or nullptr: none is padding
  std::size_t tokens;            // S
  float* dstates = nullptr;      // (B,S,C), accumulated by a backward pass
};

struct Pass {
  nn::Compute compute;                        // the model's
  std::size_t batch = 0, tokens = 0;          // B, T
  std::size_t first = 0;                      // position of the first token, where a cache holds those before
  const std::int32_t* ids = nullptr;          // (B,T)
  const std::int32_t* types = nullptr;        // (B,T), or nullptr: all 0
  const std::uint8_t* key_mask = nullptr;     // (B,T), 0 is padding, or nullptr: none
  const std::uint8_t* causal_mask = nullptr;  // (T,T) where scores of a causal model are kept, or nullptr
  const std::uint8_t* sequence_mask =
      nullptr;  // (B,T,T), 0 where two tokens are of different texts, or nullptr
  Keep keep = {};
  Dropout dropout = {};
  double hidden_dropout = 0, attention_dropout = 0;  // probabilities
  const float* parameters = nullptr;
  float* gradients = nullptr;  // the layout of the parameters, accumulated; nullptr without a backward pass
  std::span<float* const> places = {};
  float* scratch = nullptr;
  const Memory* memory = nullptr;  // where a layer has cross-attention
  LayerCache* cache = nullptr;     // of one sequence, without a backward pass; or nullptr

  /// B * T
  std::size_t rows() const { return batch * tokens; }
  float* at(Slot slot) const { return places[slot.index]; }
  /// The same memory for whole numbers.
  std::int32_t* whole_at(Slot slot) const { return reinterpret_cast<std::int32_t*>(at(slot)); }
  /// nullptr for a parameter that is absent.
  const float* parameter(std::uint64_t offset) const {
    return offset == absent ? nullptr : parameters + offset;
  }
  float* gradient(std::uint64_t offset) const { return offset == absent ? nullptr : gradients + offset; }

  std::uint64_t seed_of(Site site, std::size_t layer = 0) const;
  float kept_probabilities() const { return dropout.on ? static_cast<float>(1 - attention_dropout) : 1.0F; }
  /// y = x with hidden states dropped, and the gradient of that; returns x itself where nothing is dropped.
  const float* dropped(float* y, const float* x, std::size_t count, Site site, std::size_t layer = 0) const;
};

/// The outputs of a pass, by name.
class Outputs {
 public:
  void add(std::string_view name, std::span<const float> values) { all_.push_back({name, {}, values}); }
  void add(std::string_view name, std::size_t layer, std::span<const float> values) {
    all_.push_back({name, layer, values});
  }
  std::vector<NamedOutput> take() { return std::move(all_); }

 private:
  std::vector<NamedOutput> all_;
};

}  // namespace ropewalk::model
