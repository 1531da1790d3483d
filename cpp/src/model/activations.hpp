#pragma once

// Everything a pass writes, in one block of memory that is planned once per shape. Inference lets the layers
// share theirs; training keeps each layer's for the backward pass.
//
// Shapes: B batch, T tokens, C hidden, E embedding, I intermediate, H heads, D head dimension, V vocabulary,
// R rows of the masked-language-model head.

#include <cstdint>
#include <vector>

#include "base/buffer.hpp"
#include "model/model.hpp"

namespace ropewalk::roformer {

/// What a pass is asked to keep.
struct Keep {
  bool gradients = false;  // whatever backward needs
  bool logits = false;
  bool hidden_states = false;
  bool attentions = false;
  bool scores = false;
  bool rotated_qk = false;

  bool operator==(const Keep&) const = default;
};

/// What a norm leaves for the backward pass; nullptr in inference.
struct NormActivations {
  float* input = nullptr;  // (B,T,N), the sum with the residual
  float* mean = nullptr;   // (B,T)
  float* rstd = nullptr;   // (B,T)
};

struct LayerActivations {
  float* qkv = nullptr;      // (B,T,3,H,D), as attention saw them
  float* probs = nullptr;    // (B,H,T,T), or nullptr
  float* scores = nullptr;   // (B,H,T,T), or nullptr
  float* context = nullptr;  // (B,T,C)
  NormActivations attention_norm;
  float* attention_output = nullptr;  // (B,T,C)
  float* intermediate = nullptr;      // (B,T,I), before the activation
  float* activated = nullptr;         // (B,T,I); the same memory in inference
  NormActivations output_norm;
  float* output = nullptr;                 // (B,T,C)
  float *query = nullptr, *key = nullptr;  // (B,T,H,D) copies, or nullptr
};

class Activations {
 public:
  /// Plans for B sequences of T tokens, and prepares the model's positions. Nothing happens when the shape
  /// and `keep` are those of the last call. On error the old plan stays.
  Status prepare(const Model& model, std::size_t batch, std::size_t tokens, const Keep& keep);

  std::size_t batch = 0, tokens = 0;
  Keep keep;

  NormActivations embedding_norm;
  float* embedded = nullptr;  // (B,T,E), after the norm
  float* input = nullptr;     // (B,T,C), what the first layer gets; `embedded` itself when E == C
  std::vector<LayerActivations> layers;
  const float* output() const { return layers.back().output; }

  // Masked-language-model head, over the first head_rows of R = B * T rows.
  std::size_t head_rows = 0;
  float* head_input = nullptr;  // (R,C), the rows gathered
  float* transform = nullptr;   // (R,E), before the activation
  NormActivations transform_norm;
  float* transformed = nullptr;     // (R,E)
  float* logits = nullptr;          // (R,V)
  float* log_sum_exp = nullptr;     // (R)
  Buffer<std::int32_t> rows;        // (R), which of the B * T
  Buffer<std::int32_t> row_labels;  // (R)

  // Sequence classification head.
  float* class_input = nullptr;        // (B,C)
  float* class_hidden = nullptr;       // (B,C), before the activation
  float* class_activated = nullptr;    // (B,C)
  float* class_logits = nullptr;       // (B,labels)
  float* class_log_sum_exp = nullptr;  // (B)

  // The other heads, in inference.
  float* token_logits = nullptr;                            // (B,T,labels)
  float* span_logits = nullptr;                             // (B,T,2)
  float *start_logits = nullptr, *end_logits = nullptr;     // (B,T)
  float *choice_input = nullptr, *choice_logits = nullptr;  // (B,C), (B)

  // Gradients on their way back.
  float* dhidden = nullptr;        // (B,T,C)
  float* dbranch = nullptr;        // (B,T,C)
  float* dcontext = nullptr;       // (B,T,C)
  float* dqkv = nullptr;           // (B,T,3,H,D)
  float* dintermediate = nullptr;  // (B,T,I)
  float* dembedded = nullptr;      // (B,T,E)
  float* dhead = nullptr;          // (R, max(C, E))
  float* dtransformed = nullptr;   // (R,E)

  float* scratch = nullptr;
  Buffer<std::uint8_t> key_mask;     // (B,T)
  Buffer<std::uint8_t> causal_mask;  // (T,T), when the model is a decoder

 private:
  class Plan;
  void plan(Plan& plan, const Model& model);
  const Model* model_ = nullptr;
  const kernels::Kernels* kernels_ = nullptr;
  Buffer<float> arena_;
};

/// The attention of one layer for these sizes, without dropout.
nn::AttentionShape attention_shape(const RoFormerConfig& config, std::size_t batch, std::size_t tokens);

}  // namespace ropewalk::roformer
