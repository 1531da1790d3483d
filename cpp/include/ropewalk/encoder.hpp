#pragma once

/// Runs an encoder of any family: RoFormer (Su et al., arXiv 2104.09864), RoFormer-v2 and those that
/// families() lists. Equal to Hugging Face's classes for masked language models, classification of sequences
/// and tokens, question answering and multiple choice.
///
/// Shapes: B batch, T tokens of a sequence, C hidden size, H heads, D head dimension, V vocabulary, L layers.
/// All arrays are dense, row-major float32.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ropewalk/spec.hpp"
#include "ropewalk/status.hpp"
#include "ropewalk/threads.hpp"

namespace ropewalk {

/// Token ids and what goes with them, B * T each, sequence after sequence. Spans are read during the call
/// only.
struct EncoderInput {
  /// Token ids, each below V.
  std::span<const std::int32_t> input_ids;
  /// B.
  std::size_t batch = 1;
  /// T. Must be given, and batch * sequence must be the number of ids.
  std::size_t sequence = 0;
  /// Empty: all 0.
  std::span<const std::int32_t> token_type_ids = {};
  /// 1 for tokens, 0 for padding; empty: all 1. A sequence whose keys are all masked attends to all of them
  /// alike. Positions count from 0 whatever the mask says.
  std::span<const std::int32_t> attention_mask = {};
  /// Several texts in one sequence, such as the chains of a protein: a token attends only to those of the same number.
  /// Positions go on from one to the next. Empty: all are one. A model whose attention takes no softmax refuses it.
  std::span<const std::int32_t> sequence_ids = {};
};

/// Outputs of Encoder::try_forward that the caller asks for, beside last_hidden_state and the heads of labels.
struct EncoderWants {
  /// EncoderOutput::logits.
  bool logits = true;
  /// EncoderOutput::hidden_states.
  bool hidden_states = false;
  /// EncoderOutput::attentions.
  bool attentions = false;
  /// EncoderOutput::scores.
  bool scores = false;
  /// EncoderOutput::rotated_queries and rotated_keys.
  bool rotated_qk = false;
  /// Only a model with a contact head has them (ESM-2).
  bool contacts = false;
};

/// One output by its name.
struct NamedOutput {
  /// As the members of EncoderOutput are called.
  std::string_view name;
  /// The layer, for an output that each layer has.
  std::optional<std::size_t> layer;
  /// Dense, row-major.
  std::span<const float> values;
};

/// Views into memory of the model: valid until its next forward, or its end.
struct EncoderOutput {
  /// B of the input.
  std::size_t batch = 0;
  /// T of the input.
  std::size_t sequence = 0;
  /// (B,T,C)
  std::span<const float> last_hidden_state = {};
  /// (B,T,V); empty when not wanted or when the checkpoint has no masked-language-model head
  std::span<const float> logits = {};
  /// L + 1 of (B,T,C): the embeddings, then each layer's output
  std::vector<std::span<const float>> hidden_states = {};
  /// L of (B,H,T,T): probability of query (row) for key (column)
  std::vector<std::span<const float>> attentions = {};
  /// L of (B,H,T,T): the numbers whose softmax the attentions are, with what the position encoding adds, before
  /// masks. None where attention takes no softmax: linear attention and performer.
  std::vector<std::span<const float>> scores = {};
  /// L of (B,T,H,D): queries as the scores see them
  std::vector<std::span<const float>> rotated_queries = {};
  /// L of (B,T,H,D): keys as the scores see them
  std::vector<std::span<const float>> rotated_keys = {};
  /// (B,labels); empty when the checkpoint has no sequence classification head
  std::span<const float> class_logits = {};
  /// (B,labels): those logits as a cross-encoder's relevance, under the activation that config.json names; else a
  /// sigmoid of one logit, the logits where there are more
  std::span<const float> relevance = {};
  /// (B,T-2,T-2): the probability that two residues of a protein touch, 0 at places of padding and of the end of the
  /// text; empty when not wanted or when the checkpoint has no contact head
  std::span<const float> contacts = {};
  /// (B,T,labels); empty when the checkpoint has no token classification head
  std::span<const float> token_logits = {};
  /// (B,T): the first token of an answer; empty when the checkpoint has no question answering head
  std::span<const float> start_logits = {};
  /// (B,T): the last token of an answer, as start_logits
  std::span<const float> end_logits = {};
  /// (B): how well each sequence continues; empty when the checkpoint has no multiple choice head. RoFormer
  /// reads it from the last token, padding or not.
  std::span<const float> choice_logits = {};
  /// All of these by name, and what other heads put out.
  std::vector<NamedOutput> all = {};
};

/// How weights are stored, and how they are multiplied.
enum class Precision : std::uint8_t {
  float32,
  /// Whole numbers from -127 to 127 and a scale for each row of a matrix, word vectors included. Activations are rounded
  /// to 7 bits before each product, with a scale for each 64 channels of a token. Both are rotated before: docs/encoders.md
  /// has the layout. Norms, biases and attention stay float32. Faster than float32, in a quarter of its memory. The same
  /// model and input give the same bits on every architecture, natively and in WebAssembly.
  int8,
};

/// An encoder with its weights.
class Encoder {
 public:
  /// From config.json and model.safetensors (F32, F16, BF16, or weights in 8 bits); neither is needed afterwards. Keys with and
  /// without the prefix of the family (`roformer.`, ...) are found. Errors: those of spec_from_config and
  /// Safetensors::open, missing tensors by name, wrong shapes, memory that cannot be had. `threads` share the work of a
  /// call and must outlive the encoder; nullptr: the calling thread does all. The architecture in use then stays the
  /// encoder's.
  static Result<Encoder> make(std::string_view config, std::span<const std::byte> weights,
                              Precision precision = Precision::float32, Threads* threads = nullptr);
  /// As above, from a spec. range error for a spec that cannot be, naming the field.
  static Result<Encoder> make(const Spec& spec, std::span<const std::byte> weights,
                              Precision precision = Precision::float32, Threads* threads = nullptr);
  /// From a GGUF file of the architecture bert, modern-bert, nomic-bert, jina-bert-v2, jina-bert-v3, eurobert or
  /// gemma-embedding, or of a decoder that embeds (llama, qwen2, qwen3, gemma3), with tensors of the types that
  /// Decoder::make_gguf reads. Weights are what the blocks say, exactly, unless `precision` is int8. A pooling that the
  /// metadata names is for SentenceModules.
  static Result<Encoder> make_gguf(std::span<const std::byte> file, Precision precision = Precision::float32,
                                   Threads* threads = nullptr);
  /// Moves. The source may only be destroyed or assigned to afterwards.
  Encoder(Encoder&&) noexcept;
  /// Moves. The source may only be destroyed or assigned to afterwards.
  Encoder& operator=(Encoder&&) noexcept;
  ~Encoder();

  /// The spec as it was read; its heads are those of the checkpoint.
  const Spec& spec() const;
  /// Numbers that training would change; a tied weight counts once.
  std::size_t parameter_count() const;
  /// int8 where that was asked for, and for a checkpoint that holds weights in 8 bits.
  Precision precision() const;
  /// One sentence for each thing in the checkpoint that is not used, or is not as it should be.
  const std::vector<std::string>& notes() const;

  /// Runs the encoder. range error for ids, types or mask values out of range, naming index and value, and
  /// for lengths that do not agree; `output` is untouched then. Memory is planned once per shape and reused.
  /// Not for use by several threads at a time.
  [[nodiscard]] Status try_forward(const EncoderInput& input, const EncoderWants& wants,
                                   EncoderOutput& output);

#if defined(__cpp_exceptions)
  /// As make, but throws the error.
  Encoder(std::string_view config, std::span<const std::byte> weights,
          Precision precision = Precision::float32, Threads* threads = nullptr)
      : Encoder(raise(make(config, weights, precision, threads))) {}
  /// As make, but throws the error.
  Encoder(const Spec& spec, std::span<const std::byte> weights, Precision precision = Precision::float32,
          Threads* threads = nullptr)
      : Encoder(raise(make(spec, weights, precision, threads))) {}
  /// As try_forward, but returns the output or throws the error.
  EncoderOutput forward(const EncoderInput& input, const EncoderWants& wants = {}) {
    EncoderOutput output;
    raise(try_forward(input, wants, output));
    return output;
  }
#endif

 private:
  friend class EncoderLoader;
  struct State;
  explicit Encoder(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace ropewalk
