#pragma once

/// The next token from logits. Steps in this order, each on what the one before left: repetition penalty,
/// temperature, top-k, top-p, min-p. Candidates are ordered by falling probability, equal ones by rising id.
/// Everything is float64 arithmetic that rounds alike everywhere: the same logits and seed give the same
/// tokens on every machine.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ropewalk/status.hpp"

namespace ropewalk {

/// How a token is chosen from logits.
struct SamplingOptions {
  /// 0: greedy, the lowest id of equal logits.
  double temperature = 0;
  /// Keeps exactly this many candidates; 0: all.
  std::size_t top_k = 0;
  /// Keeps the shortest beginning whose probabilities add up to at least this; 1: all.
  double top_p = 1;
  /// Keeps candidates with at least this times the best probability; 0: all.
  double min_p = 0;
  /// Divides positive logits of tokens that occurred, multiplies negative ones (Keskar et al. 2019); 1: off.
  double repetition_penalty = 1;
  /// Tokens at the end that the penalty looks at.
  std::size_t repetition_window = 64;
  /// Seed of the random numbers.
  std::uint64_t seed = 0;
};

/// A token that was drawn.
struct Sample {
  /// Its id.
  std::int32_t id = -1;
  /// Natural logarithm of its probability under the model, before the options.
  double log_probability = 0;
};

/// A token that is left to choose from.
struct Candidate {
  /// Its id.
  std::int32_t id;
  /// After all steps; they add up to 1.
  double probability;
};

/// Draws tokens of one text.
class Sampler {
 public:
  /// For a text of which `drawn` tokens were drawn before. range error for an option out of range, naming it.
  static Result<Sampler> make(const SamplingOptions& options, std::uint64_t drawn = 0);

  /// The options that it was made with.
  const SamplingOptions& options() const { return options_; }
  /// The tokens that are left after all steps, with probabilities that add up to 1. The penalty looks at all tokens of
  /// `recent`. range error for logits that are not numbers.
  [[nodiscard]] Status try_candidates(std::span<const float> logits, std::span<const std::int32_t> recent,
                                      std::vector<Candidate>& candidates) const;
  /// Takes one of them, with one random number of the seed's sequence.
  [[nodiscard]] Status try_sample(std::span<const float> logits, std::span<const std::int32_t> recent,
                                  Sample& sample);

 private:
  Sampler(const SamplingOptions& options, std::uint64_t drawn) : options_(options), drawn_(drawn) {}
  SamplingOptions options_;
  std::uint64_t drawn_;
};

}  // namespace ropewalk
