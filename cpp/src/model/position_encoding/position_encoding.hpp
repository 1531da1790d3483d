#pragma once

// The interface through which positions enter the encoder. Each encoding is one file beside this one and one line in the
// list of position_encoding.cpp; it overrides the hooks it needs. An object belongs to one model. Its const functions
// may run in several threads at a time, with different T; update and prepare keep tables and run alone.

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "model/builder.hpp"
#include "nn/attention.hpp"
#include "nn/compute.hpp"
#include "ropewalk/spec.hpp"
#include "ropewalk/status.hpp"

namespace ropewalk::model::position_encoding {

/// One layer's attention, from the projections to the context. B batch, T tokens, H heads, K key heads, D
/// head dimension.
struct Attention {
  nn::Compute compute;
  std::size_t layer;
  nn::AttentionShape shape;  // token_stride is (H + 2K) * D
  nn::AttentionTerms terms;
  float* qkv;      // (B,T,H+2K,D): the projections; becomes what the backward pass gets, e.g. rotated
  float* context;  // (B,T,H,D), out
  float* probs;    // (B,H,T,T), out, or nullptr where neither needs_probs() nor anybody asks
  float* scratch;  // forward_scratch() elements
  const float* parameters;           // the model's buffer
  const float* gain = nullptr;       // (D), multiplies each query once it has rotated
  const float* x = nullptr;          // (B,T,C): the input of the projections
  const float* projected = nullptr;  // (N,H+K,D): the queries and keys of projected_rows(), or nullptr
};

/// Vectors (count,C).
struct Rows {
  const float* values = nullptr;
  std::size_t count = 0;
};

struct AttentionGradient {
  nn::Compute compute;
  std::size_t layer;
  nn::AttentionShape shape;
  nn::AttentionTerms terms;
  const float* qkv;       // (B,T,H+2K,D) as the forward pass left it
  const float* probs;     // (B,H,T,T), or nullptr without needs_probs()
  const float* dcontext;  // (B,T,H,D)
  float* dqkv;            // (B,T,H+2K,D), out: the gradient of the projections
  float* scratch;         // backward_scratch() elements
  const float* parameters;
  float* gradients;          // the model's buffer of gradients, accumulated
  const float* x = nullptr;  // (B,T,C)
  float* dx = nullptr;       // (B,T,C), out: what comes to x beside the projections; where reads_input()
};

/// Offsets of keys and values in a token of qkv.
struct KeysAndValues {
  std::size_t key, value;
  explicit KeysAndValues(const nn::AttentionShape& shape)
      : key(shape.heads * shape.head_dim),
        value(key + (shape.key_heads == 0 ? shape.heads : shape.key_heads) * shape.head_dim) {}
};

/// Numbers that a checkpoint holds and training does not change.
struct NamedBuffer {
  std::string name;
  std::vector<std::uint64_t> shape;
  std::span<const float> values;
};

class PositionEncoding {
 public:
  virtual ~PositionEncoding() = default;

  /// Declares the parameters of the whole model, and those of the builder's layer.
  virtual void add_parameters(Builder& builder);
  virtual void add_layer_parameters(Builder& builder);

  /// Called when parameters have changed.
  virtual Status update(nn::Compute compute, const float* parameters);
  /// The buffers that the checkpoint gave, to be saved with the parameters.
  virtual std::span<const NamedBuffer> buffers() const { return {}; }
  /// Takes the frequencies and buffers of another encoding of the same kind; `other` has these then.
  virtual void swap_frequencies(PositionEncoding& other);
  /// Called before every pass of T tokens per sequence. This and update are the hooks that may allocate or
  /// refuse.
  virtual Status prepare(nn::Compute compute, std::size_t tokens);

  /// x (B,T,E) += positions, before the norm of the embeddings; and the gradient of the parameters used. ids
  /// (B,T).
  virtual void add_to_embeddings(nn::Compute compute, float* x, const std::int32_t* ids, std::size_t batch,
                                 std::size_t tokens, const float* parameters) const;
  virtual void add_to_embeddings_backward(nn::Compute compute, const float* dx, const std::int32_t* ids,
                                          std::size_t batch, std::size_t tokens, float* gradients) const;

  /// As add_to_embeddings for the tokens from position `first` on of one sequence, whose rows are there.
  virtual void add_later_to_embeddings(nn::Compute compute, float* x, std::size_t first, std::size_t tokens,
                                       const float* parameters) const;

  /// The heads of queries that are projected, of which the encoding makes H, and the same of K keys and values.
  virtual std::size_t projected(std::size_t heads) const { return heads; }
  /// True if the scores also depend on the input of the projections.
  virtual bool reads_input() const { return false; }
  /// Vectors that the layers of queries and keys project beside the tokens of a pass of T tokens: Attention::projected.
  virtual Rows projected_rows(std::size_t /*tokens*/) const { return {}; }

  /// True if attend_backward reads the probabilities.
  virtual bool needs_probs() const { return true; }
  /// True if its weights are the softmax of scores, which attend writes to terms.scores when that is given.
  virtual bool has_scores() const { return true; }
  /// Softmax attention without positions, unless overridden; overriders may prepare the projections or the
  /// terms and then call these, or do something else altogether.
  virtual void attend(const Attention& pass) const;
  virtual void attend_backward(const AttentionGradient& pass) const;
  virtual std::size_t forward_scratch(const nn::AttentionShape& shape, bool with_probs) const;
  virtual std::size_t backward_scratch(const nn::AttentionShape& shape) const;
};

/// The encoding that spec.positions describes, for a model of these sizes.
Result<std::unique_ptr<PositionEncoding>> make(const Spec& spec);

}  // namespace ropewalk::model::position_encoding
