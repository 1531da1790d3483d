#pragma once

// An encoder and a decoder that attends to it (Vaswani et al., arXiv 1706.03762), trained to translate. No module of the
// npm package links this: it is for the experiments.
//
// Shapes: B sequences, S tokens of a source, T of a target, C hidden size, V vocabulary.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "ropewalk/trainer.hpp"

namespace ropewalk::translation {

struct TranslatorOptions {
  /// config.json with Marian's keys and `position_encoding`: "rope" or "sinusoidal". RoPE rotates queries and keys of both
  /// self-attentions; nothing rotates in cross-attention.
  std::string_view config;
  /// model.safetensors with Marian's names; empty: from `seed`.
  std::span<const std::byte> weights = {};
  std::uint64_t seed = 0;
  OptimizerOptions optimizer = {};
  /// Share of the probability that a label gives to all words alike.
  double smoothing = 0;
};

struct Sentences {
  std::size_t batch = 0, source_tokens = 0, target_tokens = 0;
  std::span<const std::int32_t> sources, source_mask;  // (B,S)
  std::span<const std::int32_t> inputs;                // (B,T), what the decoder reads
  std::span<const std::int32_t> labels;                // (B,T), what it has to say, or -100
};

class Translator {
 public:
  static Result<Translator> make(const TranslatorOptions& options);
  Translator(Translator&&) noexcept;
  Translator& operator=(Translator&&) noexcept;
  ~Translator();

  std::size_t parameter_count() const;
  [[nodiscard]] Status try_train(const Sentences& sentences, TrainingStep& step);
  /// Without smoothing.
  [[nodiscard]] Status try_evaluate(const Sentences& sentences, Evaluation& evaluation);
  /// With smoothing, and without a step.
  [[nodiscard]] Status try_gradients(const Sentences& sentences, Gradients& gradients);
  /// The likeliest word after each other, up to `most` of them; what ends a text is not part of it.
  [[nodiscard]] Status try_translate(const Sentences& sources, std::size_t most,
                                     std::vector<std::vector<std::int32_t>>& out);
  /// Results of the last call: the encoder's hidden states (B,S,C) and, but after a step, the logits (B,T,V).
  std::span<const float> memory() const;
  std::span<const float> logits() const;

 private:
  struct State;
  explicit Translator(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace ropewalk::translation
