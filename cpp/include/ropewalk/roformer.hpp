#pragma once

/// RoFormer (Su et al., arXiv 2104.09864): a BERT-style post-norm encoder whose positions enter by rotation
/// of queries and keys. Equal to Hugging Face's RoFormerFor-MaskedLM, -SequenceClassification,
/// -TokenClassification, -QuestionAnswering and -MultipleChoice, and to RoFormer-v2, which Hugging Face's
/// classes do not load.
///
/// Shapes: B batch, T tokens of a sequence, C hidden size, H heads, D = C / H, V vocabulary, L layers. All
/// arrays are dense, row-major float32.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ropewalk/status.hpp"

namespace ropewalk {

/// The keys of Hugging Face's config.json that the model obeys, with their defaults, and `position_encoding`.
struct RoFormerConfig {
  std::size_t vocab_size = 50000;
  /// Of the word vectors; hidden_size unless the configuration says otherwise.
  std::size_t embedding_size = 768;
  std::size_t hidden_size = 768;
  std::size_t num_hidden_layers = 12;
  std::size_t num_attention_heads = 12;
  std::size_t intermediate_size = 3072;
  /// gelu (by erf), gelu_new (by tanh), relu, silu and their other Hugging Face names.
  std::string hidden_act = "gelu";
  /// Used in training only.
  double hidden_dropout_prob = 0.1;
  double attention_probs_dropout_prob = 0.1;
  /// Rows of a table of positions, where the encoding has one. Rotation needs none: longer sequences are
  /// fine.
  std::size_t max_position_embeddings = 1536;
  std::size_t type_vocab_size = 2;
  /// Standard deviation of initial weights.
  double initializer_range = 0.02;
  double layer_norm_eps = 1e-12;
  /// "layer_norm"; any other name is RoFormer-v2's norm, x / sqrt(mean(x^2) + layer_norm_eps) without
  /// parameters, under which the masked-language-model head is the decoder alone. A checkpoint that has
  /// neither LayerNorms nor biases in its layers is RoFormer-v2 whatever this and `use_bias` say.
  std::string norm_type = "layer_norm";
  /// Whether the projections of the layers have biases.
  bool use_bias = true;
  std::optional<std::size_t> pad_token_id = 0;
  /// Whether values are rotated as well.
  bool rotary_value = false;
  /// Whether a token sees only itself and those before it.
  bool is_decoder = false;
  /// Whether the word vectors are also the weight of the masked-language-model head.
  bool tie_word_embeddings = true;
  /// Classes of a classification head: `num_labels`, or the number of names in `id2label`.
  std::size_t num_labels = 2;
  /// Class names such as "RoFormerForMaskedLM", as saved.
  std::vector<std::string> architectures;
  /// "rope" is RoFormer, with any frequency rule of ropewalk/config.hpp by its keys (`rope_theta`,
  /// `rope_scaling`, ...). "rope-receptive-field" learns alpha and rho of each head; "rope-linear-attention"
  /// is equation 19; "rope-performer" rotates before random features (`performer_features` of them per head,
  /// default D ln D, from `performer_seed`, default 0). What it is compared with: "none", "sinusoidal",
  /// "learned", "transformer-xl", "t5", "alibi" (symmetric) and "alibi-asymmetric" (keys after the query are
  /// penalised half as steeply). "linear-attention" and "performer" are the two without rotation.
  /// `sinusoidal_scale` (default 1) multiplies the sines, whose root mean square is 0.71 where word vectors
  /// begin at initializer_range.
  std::string position_encoding = "rope";
  /// The text that was parsed, for saving.
  std::string json;

  std::size_t head_dim() const { return hidden_size / num_attention_heads; }

  /// Reads config.json. Keys it does not know are ignored, as Hugging Face does. type error for text that is
  /// not a JSON object or a known key of the wrong type, range error for values out of range; each names the
  /// key.
  static Result<RoFormerConfig> parse(std::string_view json);
};

/// Token ids and what goes with them, B * T each, sequence after sequence. Spans are read during the call
/// only.
struct RoFormerInput {
  std::span<const std::int32_t> input_ids;
  std::size_t batch = 1;
  /// T. Must be given, and batch * sequence must be the number of ids.
  std::size_t sequence = 0;
  /// Empty: all 0.
  std::span<const std::int32_t> token_type_ids = {};
  /// 1 for tokens, 0 for padding; empty: all 1. A sequence whose keys are all masked attends to all of them
  /// alike. Positions count from 0 whatever the mask says.
  std::span<const std::int32_t> attention_mask = {};
};

struct RoFormerWants {
  bool logits = true;
  bool hidden_states = false;
  bool attentions = false;
  bool scores = false;
  bool rotated_qk = false;
};

/// Views into memory of the model: valid until its next forward, or its end.
struct RoFormerOutput {
  std::size_t batch = 0, sequence = 0;
  /// (B,T,C)
  std::span<const float> last_hidden_state;
  /// (B,T,V); empty when not wanted or when the checkpoint has no masked-language-model head
  std::span<const float> logits;
  /// L + 1 of (B,T,C): the embeddings, then each layer's output
  std::vector<std::span<const float>> hidden_states;
  /// L of (B,H,T,T): probability of query (row) for key (column)
  std::vector<std::span<const float>> attentions;
  /// L of (B,H,T,T): what those are the softmax of, with what the position encoding adds, before masks. None
  /// where attention takes no softmax: linear attention and performer.
  std::vector<std::span<const float>> scores;
  /// L of (B,T,H,D): queries and keys as the scores see them
  std::vector<std::span<const float>> rotated_queries, rotated_keys;
  /// (B,num_labels); empty when the checkpoint has no sequence classification head
  std::span<const float> class_logits;
  /// (B,T,num_labels); empty when the checkpoint has no token classification head
  std::span<const float> token_logits;
  /// (B,T) each: the first and the last token of an answer; empty when the checkpoint has no question
  /// answering head
  std::span<const float> start_logits, end_logits;
  /// (B): how well each sequence continues, from its last token, padding or not; empty when the checkpoint
  /// has no multiple choice head
  std::span<const float> choice_logits;
};

/// What the weights of the matrix products are kept in, and with them the products.
enum class Precision : std::uint8_t {
  float32,
  /// 8 bits and a scale for each row; activations become 8 bits on the way, by a scale for each token.
  /// Embeddings, norms, biases and attention stay float32. Faster, a quarter of the memory of float32's
  /// products, and an error of about a hundredth of the logits' spread.
  int8,
};

class RoFormer {
 public:
  /// From config.json and model.safetensors (F32, F16 or BF16); neither is needed afterwards. Keys with and
  /// without the prefix `roformer.` are found. Errors: those of RoFormerConfig::parse and Safetensors::open,
  /// missing tensors by name, wrong shapes, memory that cannot be had.
  static Result<RoFormer> make(std::string_view config, std::span<const std::byte> weights,
                               Precision precision = Precision::float32);
  RoFormer(RoFormer&&) noexcept;
  RoFormer& operator=(RoFormer&&) noexcept;
  ~RoFormer();

  const RoFormerConfig& config() const;
  /// Numbers that training would change; a tied weight counts once.
  std::size_t parameter_count() const;
  /// What was found in the checkpoint and not used, or not as it should be: one sentence each.
  const std::vector<std::string>& notes() const;

  /// Runs the encoder. range error for ids, types or mask values out of range, naming index and value, and
  /// for lengths that do not agree; `output` is untouched then. Memory is planned once per shape and reused.
  /// Not for use by several threads at a time.
  [[nodiscard]] Status try_forward(const RoFormerInput& input, const RoFormerWants& wants,
                                   RoFormerOutput& output);

#if defined(__cpp_exceptions)
  RoFormer(std::string_view config, std::span<const std::byte> weights,
           Precision precision = Precision::float32)
      : RoFormer(raise(make(config, weights, precision))) {}
  RoFormerOutput forward(const RoFormerInput& input, const RoFormerWants& wants = {}) {
    RoFormerOutput output;
    raise(try_forward(input, wants, output));
    return output;
  }
#endif

 private:
  struct State;
  explicit RoFormer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace ropewalk
