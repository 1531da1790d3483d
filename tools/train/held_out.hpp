// How good a model is on texts that it has not been trained on, beside what can be known without one.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "ropewalk/encoder.hpp"
#include "tasks/english/english.hpp"

namespace ropewalk::train {

struct Accuracies {
  std::size_t texts = 0, hidden = 0;  // texts, and words hidden in them
  // Shares of the hidden words guessed right.
  double model = 0, unigram = 0, best = 0;
  // Share of hidden words where the model's guess is as likely, given the visible words, as the best one.
  double agreement = 0;
  std::string_view unigram_word;
};

// 15 % of the words of `texts` texts hidden, each by [MASK]. `counts`: how often the training texts had each
// word.
Accuracies measure(Encoder& model, const trainer::English& english, Random random, std::size_t texts,
                   std::span<const std::uint64_t> counts, std::size_t threads);

struct Guess {
  std::string_view word;
  double probability;
};

// The likeliest words for the first [MASK] of a text of words, likeliest first.
std::vector<Guess> fill(Encoder& model, const trainer::English& english, std::string_view text,
                        std::size_t top);

}  // namespace ropewalk::train
