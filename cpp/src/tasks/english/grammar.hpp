// The grammar, compiled: flat templates whose every token is a fixed word or a function of a few slots.
//
//   the [A] [V] the [T] to the [B] .     A: person, B: another person, V: give, T: thing
//
// Sampling draws a template, then its slots in order, each given the slots it depends on. Scoring uses the
// same two functions (Grammar::weight and Grammar::available), so a text's probability is known exactly.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.hpp"
#include "tasks/english/lexicon.hpp"

namespace ropewalk::trainer::english {

inline constexpr int shortest_text = 6;
inline constexpr int longest_text = 28;

// The entries a slot may take.
struct Domain {
  std::vector<int> entries;              // indices into Lexicon::entries
  std::vector<unsigned char> has;        // per lexicon entry: is it in `entries`?
  std::vector<std::int64_t> total_with;  // per lexicon entry g: weight of the entries that go with g
  std::int64_t total = 0;                // weight of all of them
};

// A hidden choice of a template. It is drawn from its domain by weight, among the entries that go with the
// slot `given` and that are none of the nouns or verbs in the slots `unlike`. Both refer to earlier slots.
struct Slot {
  int domain = 0;
  int given = -1;
  std::vector<int> unlike;
};

enum class TokenKind {
  fixed,       // `word`
  form,        // form `form` of slots[0]
  agreeing,    // slots[0], a verb, in the present tense for the noun slots[1]
  indefinite,  // a, an or some: before slots[0], for the noun slots[1]
  determiner,  // slots[2] chooses between `the` and the indefinite before slots[0], for the noun slots[1]
};

struct Token {
  TokenKind kind = TokenKind::fixed;
  int word = 0;
  int form = 0;
  std::array<int, 3> slots{-1, -1, -1};

  // The slots that the word depends on.
  std::span<const int> depends() const {
    const std::size_t count = kind == TokenKind::fixed  ? 0
                              : kind == TokenKind::form ? 1
                              : slots[2] < 0            ? 2
                                                        : 3;
    return std::span<const int>(slots).first(count);
  }
};

struct Template {
  std::vector<Slot> slots;
  std::vector<Token> tokens;
  std::uint64_t weight = 0;
};

class Grammar {
 public:
  Grammar();

  // The fault of the tables; empty if they have none.
  const std::string& problem() const { return problem_; }
  const Lexicon& lexicon() const { return lexicon_; }
  std::span<const std::string_view> words() const { return words_; }
  std::span<const Template> templates() const { return templates_; }
  std::span<const Domain> domains() const { return domains_; }
  // Indices of the templates with `length` tokens.
  std::span<const int> of_length(std::size_t length) const;
  std::uint64_t total_weight() const { return cumulative_.empty() ? 0 : cumulative_.back(); }

  // values: one lexicon entry per slot. The weight of values[slot] given the earlier values, 0 if they
  // exclude it.
  std::int64_t weight(const Template& shape, int slot, std::span<const int> values) const;
  // The sum of weight() over all values of `slot`.
  std::int64_t available(const Template& shape, int slot, std::span<const int> values) const;
  // The word that `token` shows, an index into words().
  int word(const Token& token, std::span<const int> values) const;

  void sample(Random& random, std::vector<int>& text) const;

 private:
  friend class Compiler;

  bool goes_with(int entry, int other) const {
    return (lexicon_.entries[entry].classes & lexicon_.entries[other].classes) != 0;
  }
  void number_words();

  Lexicon lexicon_;
  std::string problem_;
  std::vector<Domain> domains_;
  std::vector<Template> templates_;
  std::vector<std::string_view> words_;
  std::vector<std::uint64_t> cumulative_;  // of the templates' weights
  std::vector<std::vector<int>> by_length_;
  int the_ = 0, a_ = 0, an_ = 0, some_ = 0;  // words
};

}  // namespace ropewalk::trainer::english
