#pragma once

/// Trains a model: masked or causal language model, sequence classification or regression, sentence vectors by
/// contrast, AdamW, the same bits for the same seed.
///
/// Shapes: B batch, T tokens of a sequence. A batch is cut into `shards` of neighbouring sequences; each has
/// its own gradients, which are added in order. How many threads share the shards changes the speed, not a
/// bit.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ropewalk/encoder.hpp"
#include "ropewalk/safetensors.hpp"
#include "ropewalk/sentence.hpp"
#include "ropewalk/status.hpp"

namespace ropewalk {

/// A causal language model predicts each token from those before it, by the head of the family's class
/// ...ForCausalLM; its attention must be causal. Regression is the classification head with one label under
/// the mean squared error. The contrastive objective needs no head: it moves the sentence vectors of a pair
/// together and those of different pairs apart (ContrastiveOptions).
enum class Objective : std::uint8_t {
  masked_language_model,
  classification,
  regression,
  causal_language_model,
  contrastive
};

/// AdamW (Loshchilov and Hutter, arXiv 1711.05101, algorithm 2). Rate of step n = 1, 2, ...:
/// learning_rate * n / warmup_steps up to warmup_steps, from there falling linearly to learning_rate * end_factor
/// after total_steps.
struct OptimizerOptions {
  /// The highest rate.
  double learning_rate = 1e-3;
  /// Decay of the mean of gradients, from 0 to below 1.
  double beta1 = 0.9;
  /// Decay of the mean of their squares, from 0 to below 1.
  double beta2 = 0.999;
  /// Added to the root of the mean square.
  double epsilon = 1e-8;
  /// Decoupled from the gradient; matrices decay, biases and LayerNorm's parameters do not.
  double weight_decay = 0.01;
  /// The gradient of all parameters together is shortened to this length; 0: never.
  double clip_norm = 1;
  /// Steps in which the rate rises; 0: none.
  std::uint64_t warmup_steps = 0;
  /// 0: the rate does not fall.
  std::uint64_t total_steps = 0;
  /// The share of learning_rate that is left after total_steps, from 0 to 1.
  double end_factor = 0;
};

/// InfoNCE (van den Oord et al., arXiv 1807.03748, equation 4) over the N pairs (a_i, p_i) of a batch. With the
/// cosines s_ij = cos(a_i, p_j) of sentence vectors, the loss is the mean over i of
///   -log(exp(s_ii / temperature) / sum_j exp(s_ij / temperature)),
/// so that the other positives of the batch are the negatives of a_i.
struct ContrastiveOptions {
  /// Divisor of the cosines, above 0.
  double temperature = 0.05;
  /// The mean of that loss and of the same with anchors and positives in each other's place (CLIP, arXiv
  /// 2103.00020, figure 3).
  bool symmetric = true;
  /// How hidden states become a sentence vector, as the model will be used.
  Pooling pooling = Pooling::mean;
};

/// Options of Trainer::make.
struct TrainerOptions {
  /// The model to train; its dropout probabilities act in training. `spec_from_config` reads one.
  Spec spec = {};
  /// Start from this model.safetensors; empty: initialised from `seed`, as is the head of the objective if
  /// the file holds nothing of it. If it was saved with the state of the optimiser, training goes on as if it
  /// had not stopped.
  std::span<const std::byte> weights = {};
  /// Seed of the initial weights and of dropout.
  std::uint64_t seed = 0;
  /// The loss.
  Objective objective = Objective::masked_language_model;
  /// AdamW and its rate.
  OptimizerOptions optimizer = {};
  /// For the contrastive objective alone.
  ContrastiveOptions contrastive = {};
  /// Parts of a batch, each with its own activations and gradients. They decide the order of sums, and so
  /// belong to what a result depends on. Those beyond the number of sequences stay idle.
  std::size_t shards = 1;
  /// At most that many are at work at a time. Only one in WebAssembly.
  std::size_t threads = 1;
};

/// Sequences with their labels.
struct TrainerBatch {
  /// Trailing padding of a whole shard is not computed, so sequences sorted by length take less time.
  /// Contrastive: an even number of sequences, at least 4; those at 2i and 2i + 1 are pair i, the anchor first.
  EncoderInput input;
  /// Masked language model: (B,T), the id of the hidden token, or -100 where nothing is to be learnt.
  /// Causal language model: (B,T), the id that follows each token, or -100; empty: the ids of the input,
  /// where neither a token nor the one after it is padding. Classification: (B), the class, or -100.
  /// Contrastive: empty.
  std::span<const std::int32_t> labels = {};
  /// Regression, instead of labels: (B), finite.
  std::span<const float> targets = {};
};

/// Figures of one step.
struct TrainingStep {
  /// Mean cross-entropy over the labels or pairs, in nats, or mean squared error of the targets; before the
  /// step.
  double loss = 0;
  /// Length of the gradient of all parameters, before clipping.
  double gradient_norm = 0;
  /// The rate of this step.
  double learning_rate = 0;
  /// Share of the labels that are the likeliest guess, or of the sequences whose partner is the nearest
  /// sequence of the other kind; NaN in regression.
  double accuracy = 0;
};

/// The mean over a batch, without dropout.
struct Evaluation {
  /// As TrainingStep::loss.
  double loss = 0;
  /// As TrainingStep::accuracy.
  double accuracy = 0;
};

/// The gradient of one parameter.
struct NamedGradient {
  /// As Hugging Face checkpoints name the parameter.
  std::string_view name;
  /// Row-major.
  std::span<const std::uint64_t> shape;
  /// As many as the product of the shape.
  std::span<const float> values;
};

/// Views into memory of the trainer: valid until its next call, or its end.
struct Gradients {
  /// As TrainingStep::loss.
  double loss = 0;
  /// As TrainingStep::accuracy.
  double accuracy = 0;
  /// The gradient of every parameter.
  std::vector<NamedGradient> parameters;
};

/// Options of Trainer::try_save.
struct SaveOptions {
  /// F32, or F16 rounded to nearest.
  SafetensorsType type = SafetensorsType::F32;
  /// Add the moments and the step under names that begin with `optimizer.`, so that training goes on from
  /// there bit for bit. With type F32 only.
  bool optimizer = false;
};

/// Trains one model.
class Trainer {
 public:
  /// Errors: those of Encoder::make with a spec; options out of range, by name; weights with a part of the
  /// objective's head; memory that cannot be had.
  static Result<Trainer> make(const TrainerOptions& options);
  /// Moves. The source may only be destroyed or assigned to afterwards.
  Trainer(Trainer&&) noexcept;
  /// Moves. The source may only be destroyed or assigned to afterwards.
  Trainer& operator=(Trainer&&) noexcept;
  ~Trainer();

  /// The model that is trained.
  const Spec& spec() const;
  /// Steps taken, those before a resumed save included.
  std::uint64_t step() const;
  /// Numbers that training changes; a tied weight counts once.
  std::size_t parameter_count() const;
  /// As Encoder::notes, and which head was not in the weights.
  const std::vector<std::string>& notes() const;

  /// One step of the optimiser. range error for what Encoder::try_forward refuses, for labels that are no
  /// token (or class) or of which there is none, and for a gradient that is not finite. After an error the
  /// weights are as before. Memory is planned once per shape and reused.
  [[nodiscard]] Status try_train(const TrainerBatch& batch, TrainingStep& step);
  /// Loss and accuracy without dropout and without a step. Errors as try_train.
  [[nodiscard]] Status try_evaluate(const TrainerBatch& batch, Evaluation& evaluation);
  /// Loss and the gradient of every parameter, with neither dropout nor a step. Errors as try_train.
  [[nodiscard]] Status try_gradients(const TrainerBatch& batch, Gradients& gradients);
  /// The model as a safetensors file with the names of the family. The layout views the trainer: write it
  /// before the next step. range error for options that SaveOptions does not allow.
  Result<SafetensorsLayout> try_save(const SaveOptions& options = {}) const;

#if defined(__cpp_exceptions)
  /// As make, but throws the error.
  explicit Trainer(const TrainerOptions& options) : Trainer(raise(make(options))) {}
  /// As try_train, but returns the figures or throws the error.
  TrainingStep train(const TrainerBatch& batch) {
    TrainingStep step;
    raise(try_train(batch, step));
    return step;
  }
  /// As try_evaluate, but returns the score or throws the error.
  Evaluation evaluate(const TrainerBatch& batch) {
    Evaluation evaluation;
    raise(try_evaluate(batch, evaluation));
    return evaluation;
  }
  /// As try_gradients, but returns them or throws the error.
  Gradients gradients(const TrainerBatch& batch) {
    Gradients gradients;
    raise(try_gradients(batch, gradients));
    return gradients;
  }
  /// As try_save, but returns the bytes of the file or throws the error.
  std::vector<std::byte> save(const SaveOptions& options = {}) const {
    const SafetensorsLayout layout = raise(try_save(options));
    std::vector<std::byte> bytes(layout.size());
    raise(layout.try_write(bytes));
    return bytes;
  }
#endif

 private:
  struct State;
  explicit Trainer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace ropewalk
