// Small English, generated: a few hundred words, texts of 6 to 28, and the exact odds of any hidden word.
//
//   the captain gave the rope to the sailor . now the sailor has the rope .
//   the kings who the girl saw were tired . who was late ? the girl .
//
// Most hidden words can be told only from who did what to whom, that is from word order. The lexicon is in
// lexicon.cpp, the sentences in grammar_text.cpp.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "tasks/english/grammar.hpp"

namespace ropewalk::trainer {

// Immutable: the same on every platform, and safe to share between threads.
class English {
 public:
  // The vocabulary in alphabetical order, punctuation included, special tokens not. Words are indices into
  // it.
  std::span<const std::string_view> words() const { return grammar_.words(); }

  // The index of a word, -1 when it is not in the vocabulary.
  int index(std::string_view word) const;

  // Replaces `text` by a new text of 6 to 28 words.
  void sample(Random& random, std::vector<int>& text) const { grammar_.sample(random, text); }

  // The exact probability of each word at each hidden place (masked[i] != 0), given the length and the
  // visible words. posterior: (hidden places, words), rows summing to 1; all 0 where no text of the grammar
  // fits.
  void posterior(std::span<const int> text, std::span<const unsigned char> masked,
                 std::vector<double>& posterior) const;

  // The probability that sample() draws this text; 0 where the grammar cannot make it.
  double probability(std::span<const int> text) const;

  const english::Grammar& grammar() const { return grammar_; }

 private:
  english::Grammar grammar_;
};

}  // namespace ropewalk::trainer
