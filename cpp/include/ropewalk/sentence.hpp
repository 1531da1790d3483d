#pragma once

/// Sentence vectors as sentence-transformers makes them from the hidden states of an encoder: pooling over the
/// tokens, linear layers, unit length. What to do is in the files beside the model: modules.json,
/// 1_Pooling/config.json, 2_Dense/config.json, ... Source: https://github.com/huggingface/sentence-transformers.
///
/// Shapes: B batch, T tokens of a sequence, C hidden size. All arrays are dense, row-major float32. Pooling and
/// normalisation have the same bits on every architecture; linear layers have them with Precision::int8.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "ropewalk/activation.hpp"
#include "ropewalk/encoder.hpp"
#include "ropewalk/status.hpp"

namespace ropewalk {

/// How the hidden states of the tokens, those with mask 1, become one vector.
///   cls            that of place 0, even where the sequence is padded on the left
///   max            the largest value of each component
///   mean           the sum over the tokens, divided by their number
///   mean_sqrt_len  the sum divided by the square root of their number
///   weightedmean   the mean with weight 1 + place, places counted over the padded sequence
///   last           that of the last token
/// Several poolings of one model stand one after the other in this order.
enum class Pooling : std::uint8_t { cls, max, mean, mean_sqrt_len, weightedmean, last };
/// The name as Hugging Face spells it.
std::string_view name_of(Pooling pooling);
/// type error that lists the names.
Result<Pooling> pooling_from_name(std::string_view name);

/// y = activation(x W^T + b)
struct DenseSpec {
  /// Entries of x.
  std::size_t inputs = 0;
  /// Entries of y.
  std::size_t outputs = 0;
  /// True if there is a b.
  bool bias = true;
  /// Applied to each entry.
  Activation activation = Activation::linear;
  /// The folder of its files: "2_Dense".
  std::string path;
};
/// x / max(|x|, 1e-12)
struct NormalizeSpec {};

/// The steps from hidden states to a sentence vector, and how texts become tokens before.
struct SentenceSpec {
  /// The folder of config.json and the weights, "" or "0_Transformer".
  std::string transformer_path;
  /// Poolings, whose vectors stand one after the other.
  std::vector<Pooling> pooling = {Pooling::mean};
  /// Without it callers count the tokens of the prompt and pass them as SentenceOptions::prompt_tokens.
  bool include_prompt = true;
  /// Modules behind the pooling, in their order.
  std::vector<std::variant<DenseSpec, NormalizeSpec>> modules = {NormalizeSpec{}};
  /// Names and prefixes of texts, in the order of the file.
  std::vector<std::pair<std::string, std::string>> prompts;
  /// The name of the one that is used unless another is asked for.
  std::optional<std::string> default_prompt;
  /// Longest input in tokens, special tokens included: sentence_bert_config.json.
  std::optional<std::size_t> max_tokens;
  /// True if texts become lower case first: sentence_bert_config.json.
  bool lower_case = false;
};

/// One file of a model, by its name within the model's folder. Read during the call only.
struct ModelFile {
  /// The path within the folder, with slashes: "1_Pooling/config.json".
  std::string_view name;
  /// Its contents.
  std::span<const std::byte> bytes;
};

/// The files that tell how a model makes sentence vectors.
struct SentenceFileNames {
  /// Names of files without which the model cannot be made.
  std::vector<std::string> needed;
  /// Names of files that may be missing.
  std::vector<std::string> optional;
};
/// Names of the files that modules.json asks for. `modules_json` is its contents, or nothing where there is none.
/// The errors are those of SentenceModules::make.
Result<SentenceFileNames> sentence_file_names(std::optional<std::string_view> modules_json);

/// Hidden states of an encoder, to be pooled.
struct SentenceInput {
  /// (B,T,C)
  std::span<const float> hidden_states;
  /// B.
  std::size_t batch = 1;
  /// T. batch * sequence * C must be the number of values.
  std::size_t sequence = 0;
  /// (B,T): 1 for tokens, 0 for padding; empty: all 1.
  std::span<const std::int32_t> attention_mask = {};
};

/// Options of SentenceModules::try_run.
struct SentenceOptions {
  /// In place of the model's own.
  std::optional<Pooling> pooling = {};
  /// Leading tokens of each sequence that pooling leaves out, cls excepted; 0 to T.
  std::size_t prompt_tokens = 0;
  /// Unset: as modules.json says. false leaves out its normalisation. true normalises at the very end, after the
  /// entries have been cut.
  std::optional<bool> normalize = {};
  /// Keeps the first entries of an embedding; 0: all. What was normalised before is then not of unit length any more.
  std::size_t dimensions = 0;
};

/// Views into memory of the modules: valid until their next run, or their end.
struct SentenceOutput {
  /// (B,n) after pooling
  std::span<const float> pooled = {};
  /// (B,dimensions) after all modules
  std::span<const float> embedding = {};
};

/// The modules behind the encoder, with their weights.
class SentenceModules {
 public:
  /// From the files that sentence_file_names lists, in any order; others are skipped. Without modules.json it is
  /// the mean at unit length, and a note says so. `hidden` is C. type error for a file that is missing, is not
  /// JSON or lacks a key, naming it; range error for a module, a pooling or an activation that is not done, and for
  /// sizes that do not fit each other. `threads` as for Encoder::make.
  static Result<SentenceModules> make(std::span<const ModelFile> files, std::size_t hidden,
                                      Precision precision = Precision::float32, Threads* threads = nullptr);
  /// Moves. The source may only be destroyed or assigned to afterwards.
  SentenceModules(SentenceModules&&) noexcept;
  /// Moves. The source may only be destroyed or assigned to afterwards.
  SentenceModules& operator=(SentenceModules&&) noexcept;
  ~SentenceModules();

  /// The modules as the files describe them.
  const SentenceSpec& spec() const;
  /// Entries of an embedding.
  std::size_t dimensions() const;
  /// One sentence for each thing in the files that is not used, and for each assumption.
  const std::vector<std::string>& notes() const;

  /// range error for lengths that do not agree, a mask value other than 0 and 1, options out of range, and a pooling
  /// whose vector does not fit the next module; `output` is untouched then. The vector of a sequence of which no token
  /// is left is 0. Not for use by several threads at a time.
  [[nodiscard]] Status try_run(const SentenceInput& input, const SentenceOptions& options,
                               SentenceOutput& output);

#if defined(__cpp_exceptions)
  /// As make, but throws the error.
  SentenceModules(std::span<const ModelFile> files, std::size_t hidden,
                  Precision precision = Precision::float32, Threads* threads = nullptr)
      : SentenceModules(raise(make(files, hidden, precision, threads))) {}
  /// As try_run, but returns the output or throws the error.
  SentenceOutput run(const SentenceInput& input, const SentenceOptions& options = {}) {
    SentenceOutput output;
    raise(try_run(input, options, output));
    return output;
  }
#endif

 private:
  struct State;
  explicit SentenceModules(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace ropewalk
