// Draws texts from the compiled grammar and weighs each choice: it makes
//
//   the captain gave the rope to the sailor . now the sailor has the rope .
#include "tasks/english/grammar.hpp"

#include <algorithm>

#include "tasks/english/compiler.hpp"
#include "tasks/english/grammar_text.hpp"

namespace ropewalk::trainer::english {

Grammar::Grammar() {
  Compiler(*this).compile(grammar_text);
  number_words();
  by_length_.resize(longest_text + 1);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < templates_.size(); ++i) {
    cumulative_.push_back(sum += templates_[i].weight);
    by_length_[templates_[i].tokens.size()].push_back(static_cast<int>(i));
  }
}

std::span<const int> Grammar::of_length(std::size_t length) const {
  if (length >= by_length_.size()) return {};
  return by_length_[length];
}

// Until here the words of tokens are indices in order of appearance; the vocabulary is in alphabetical order.
void Grammar::number_words() {
  const std::vector<std::string_view> appearance = words_;
  std::vector<std::array<unsigned char, form_count>> shown(domains_.size());
  for (const Template& shape : templates_) {
    for (const Token& token : shape.tokens) {
      if (token.kind != TokenKind::form && token.kind != TokenKind::agreeing) continue;
      shown[shape.slots[token.slots[0]].domain][token.form] = 1;
      if (token.kind == TokenKind::agreeing)
        shown[shape.slots[token.slots[0]].domain][form_index("base")] = 1;
    }
  }
  for (std::size_t domain = 0; domain < domains_.size(); ++domain) {
    for (const int entry : domains_[domain].entries) {
      for (int form = 0; form < form_count; ++form) {
        if (shown[domain][form] == 0) continue;
        words_.push_back(lexicon_.entries[entry].forms[form]);
        if (words_.back().empty())
          problem_ = "a form is missing: " + std::string(lexicon_.entries[entry].forms[0]);
      }
    }
  }
  std::sort(words_.begin(), words_.end());
  words_.erase(std::unique(words_.begin(), words_.end()), words_.end());
  const auto index = [this](std::string_view word) {
    const auto place = std::lower_bound(words_.begin(), words_.end(), word);
    return place != words_.end() && *place == word ? static_cast<int>(place - words_.begin()) : -1;
  };
  for (Template& shape : templates_) {
    for (Token& token : shape.tokens) {
      if (token.kind == TokenKind::fixed) token.word = index(appearance[token.word]);
    }
  }
  for (Entry& entry : lexicon_.entries) {
    for (int form = 0; form < form_count; ++form) entry.words[form] = index(entry.forms[form]);
  }
  the_ = index("the");
  a_ = index("a");
  an_ = index("an");
  some_ = index("some");
}

std::int64_t Grammar::weight(const Template& shape, int slot, std::span<const int> values) const {
  const Slot& rule = shape.slots[slot];
  const int value = values[slot];
  const Entry& entry = lexicon_.entries[value];
  if (!domains_[rule.domain].has[value]) return 0;
  if (rule.given >= 0 && !goes_with(value, values[rule.given])) return 0;
  for (const int other : rule.unlike) {
    if (lexicon_.entries[values[other]].lemma == entry.lemma) return 0;
  }
  return entry.weight;
}

std::int64_t Grammar::available(const Template& shape, int slot, std::span<const int> values) const {
  const Slot& rule = shape.slots[slot];
  const Domain& domain = domains_[rule.domain];
  std::int64_t sum = rule.given < 0 ? domain.total : domain.total_with[values[rule.given]];
  const auto take_away = [&](int entry, int lemma) {
    if (entry < 0 || entry >= static_cast<int>(lexicon_.entries.size())) return;
    if (lexicon_.entries[entry].lemma != lemma || !domain.has[entry]) return;
    if (rule.given >= 0 && !goes_with(entry, values[rule.given])) return;
    sum -= lexicon_.entries[entry].weight;
  };
  for (const int other : rule.unlike) {
    // Singular and plural of a lemma are neighbours in the lexicon.
    const int lemma = lexicon_.entries[values[other]].lemma;
    for (int entry = values[other] - 1; entry <= values[other] + 1; ++entry) take_away(entry, lemma);
  }
  return sum;
}

int Grammar::word(const Token& token, std::span<const int> values) const {
  const auto entry = [&](int i) -> const Entry& { return lexicon_.entries[values[token.slots[i]]]; };
  switch (token.kind) {
    case TokenKind::fixed:
      return token.word;
    case TokenKind::form:
      return entry(0).words[token.form];
    case TokenKind::agreeing:
      return entry(0).words[entry(1).plural ? form_index("base") : token.form];
    case TokenKind::determiner:
      if (entry(2).words[0] == the_) return the_;
      break;
    case TokenKind::indefinite:
      break;
  }
  return entry(1).some ? some_ : entry(0).vowel ? an_ : a_;
}

void Grammar::sample(Random& random, std::vector<int>& text) const {
  const std::uint64_t place = random.below(total_weight());
  const auto chosen = std::upper_bound(cumulative_.begin(), cumulative_.end(), place) - cumulative_.begin();
  const Template& shape = templates_[static_cast<std::size_t>(chosen)];
  std::vector<int> values(shape.slots.size());
  for (int slot = 0; slot < static_cast<int>(values.size()); ++slot) {
    auto left = static_cast<std::int64_t>(random.below(available(shape, slot, values)));
    for (const int entry : domains_[shape.slots[slot].domain].entries) {
      values[slot] = entry;
      left -= weight(shape, slot, values);
      if (left < 0) break;
    }
  }
  text.clear();
  for (const Token& token : shape.tokens) text.push_back(word(token, values));
}

}  // namespace ropewalk::trainer::english
