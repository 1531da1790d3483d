// Sums over every reading of a text with hidden words. With T and B hidden in `the captain gave the T to the
// B .` it makes p(T, B) from p(V) p(T) p(B | A), for this and every other template that fits, weighted.
#include "tasks/english/best_guess.hpp"

#include <algorithm>

namespace ropewalk::trainer::english {
namespace {

// Everything that is summed when a slot is eliminated: the slot's own probability, the tokens of several
// slots whose last slot it is, and the sums of the later slots that depend on it.
struct Bucket {
  std::vector<int> scope;                // earlier slots that the sum still depends on, ascending
  std::vector<int> tokens;               // positions of tokens of several slots
  std::vector<int> incoming;             // later buckets whose message is a factor here
  std::vector<double> message, adjoint;  // one number per choice of `scope`
};

class Elimination {
 public:
  Elimination(const Grammar& grammar, std::span<const int> text, std::span<const int> row_of)
      : grammar_(grammar), text_(text), row_of_(row_of), word_count_(grammar.words().size()) {}

  // The template's weight times the probability that it makes a text which fits.
  double weight_of(const Template& shape) {
    shape_ = &shape;
    if (!reduce()) return 0;
    build();
    double all = static_cast<double>(shape.weight);
    for (int slot = slot_count() - 1; slot >= 0; --slot) {
      eliminate(slot);
      if (buckets_[slot].scope.empty()) all *= buckets_[slot].message[0];
    }
    return all;
  }

  void add(const Template& shape, std::vector<double>& posterior) {
    const double all = weight_of(shape);
    if (all <= 0) return;
    for (int slot = 0; slot < slot_count(); ++slot) {
      if (buckets_[slot].scope.empty()) buckets_[slot].adjoint[0] = all / buckets_[slot].message[0];
      distribute(slot, posterior);
    }
    for (std::size_t i = 0; i < text_.size(); ++i) {
      if (row_of_[i] < 0 || shape.tokens[i].kind != TokenKind::fixed) continue;
      posterior[row_of_[i] * word_count_ + shape.tokens[i].word] += all;
    }
  }

 private:
  int slot_count() const { return static_cast<int>(shape_->slots.size()); }

  // Keeps in each slot the entries that the visible words allow; false when a visible word does not fit.
  bool reduce() {
    for (std::size_t i = 0; i < text_.size(); ++i) {
      const Token& token = shape_->tokens[i];
      if (row_of_[i] < 0 && token.kind == TokenKind::fixed && token.word != text_[i]) return false;
    }
    if (candidates_.size() < shape_->slots.size()) candidates_.resize(shape_->slots.size());
    reduced_.assign(shape_->slots.size(), 0);
    for (std::size_t i = 0; i < text_.size(); ++i) {
      const Token& token = shape_->tokens[i];
      if (row_of_[i] >= 0 || token.kind != TokenKind::form) continue;
      std::vector<int>& kept = candidates_[token.slots[0]];
      const auto differs = [&](int entry) {
        return grammar_.lexicon().entries[entry].words[token.form] != text_[i];
      };
      if (reduced_[token.slots[0]] == 0) {
        kept.clear();
        for (const int entry : grammar_.domains()[shape_->slots[token.slots[0]].domain].entries) {
          if (!differs(entry)) kept.push_back(entry);
        }
        reduced_[token.slots[0]] = 1;
      } else {
        kept.erase(std::remove_if(kept.begin(), kept.end(), differs), kept.end());
      }
      if (kept.empty()) return false;
    }
    for (std::size_t slot = 0; slot < shape_->slots.size(); ++slot) {
      if (reduced_[slot] == 0) candidates_[slot] = grammar_.domains()[shape_->slots[slot].domain].entries;
    }
    return true;
  }

  void build() {
    buckets_.assign(shape_->slots.size(), {});
    values_.assign(shape_->slots.size(), 0);
    chosen_.assign(shape_->slots.size(), 0);
    for (std::size_t i = 0; i < text_.size(); ++i) {
      const std::span<const int> slots = shape_->tokens[i].depends();
      if (slots.empty()) continue;
      Bucket& bucket = buckets_[*std::max_element(slots.begin(), slots.end())];
      // A visible word of one slot has already done its work in reduce().
      if (slots.size() == 1 && row_of_[i] < 0) continue;
      bucket.tokens.push_back(static_cast<int>(i));
      bucket.scope.insert(bucket.scope.end(), slots.begin(), slots.end());
    }
    for (int slot = slot_count() - 1; slot >= 0; --slot) {
      Bucket& bucket = buckets_[slot];
      const Slot& rule = shape_->slots[slot];
      if (rule.given >= 0) bucket.scope.push_back(rule.given);
      bucket.scope.insert(bucket.scope.end(), rule.unlike.begin(), rule.unlike.end());
      for (const int later : bucket.incoming) {
        bucket.scope.insert(bucket.scope.end(), buckets_[later].scope.begin(), buckets_[later].scope.end());
      }
      std::sort(bucket.scope.begin(), bucket.scope.end());
      bucket.scope.erase(std::unique(bucket.scope.begin(), bucket.scope.end()), bucket.scope.end());
      if (!bucket.scope.empty() && bucket.scope.back() == slot) bucket.scope.pop_back();
      std::size_t size = 1;
      for (const int earlier : bucket.scope) size *= candidates_[earlier].size();
      bucket.message.assign(size, 0);
      bucket.adjoint.assign(size, 0);
      if (!bucket.scope.empty()) buckets_[bucket.scope.back()].incoming.push_back(slot);
    }
  }

  // The place of the current choice in a message.
  std::size_t place(const Bucket& bucket) const {
    std::size_t index = 0;
    for (const int slot : bucket.scope) index = index * candidates_[slot].size() + chosen_[slot];
    return index;
  }

  // The product of the bucket's factors for the current choice.
  double product(int slot) const {
    const auto weight = static_cast<double>(grammar_.weight(*shape_, slot, values_));
    if (weight == 0) return 0;
    for (const int i : buckets_[slot].tokens) {
      if (row_of_[i] < 0 && grammar_.word(shape_->tokens[i], values_) != text_[i]) return 0;
    }
    double result = 1;
    for (const int later : buckets_[slot].incoming) result *= buckets_[later].message[place(buckets_[later])];
    if (result == 0) return 0;
    return result * (weight / static_cast<double>(grammar_.available(*shape_, slot, values_)));
  }

  // Calls visit(index of the scope's choice) for every choice of the scope and of the slot.
  template <typename Visit>
  void for_each_choice(int slot, Visit visit) {
    const std::vector<int>& scope = buckets_[slot].scope;
    const auto choose = [this](int which, std::size_t candidate) {
      chosen_[which] = candidate;
      values_[which] = candidates_[which][candidate];
    };
    for (const int earlier : scope) choose(earlier, 0);
    for (std::size_t index = 0; index < buckets_[slot].message.size(); ++index) {
      for (std::size_t candidate = 0; candidate < candidates_[slot].size(); ++candidate) {
        choose(slot, candidate);
        visit(index);
      }
      for (std::size_t i = scope.size(); i-- > 0;) {
        if (chosen_[scope[i]] + 1 < candidates_[scope[i]].size()) {
          choose(scope[i], chosen_[scope[i]] + 1);
          break;
        }
        choose(scope[i], 0);
      }
    }
  }

  void eliminate(int slot) {
    for_each_choice(slot, [&](std::size_t index) { buckets_[slot].message[index] += product(slot); });
  }

  // Turns the adjoint of the slot's sum into weights of its choices, and so into posteriors and later
  // adjoints.
  void distribute(int slot, std::vector<double>& posterior) {
    const Bucket& bucket = buckets_[slot];
    for_each_choice(slot, [&](std::size_t index) {
      if (bucket.adjoint[index] == 0) return;
      const double belief = product(slot) * bucket.adjoint[index];
      if (belief == 0) return;
      for (const int later : bucket.incoming) {
        const std::size_t at = place(buckets_[later]);
        buckets_[later].adjoint[at] += belief / buckets_[later].message[at];
      }
      for (const int i : bucket.tokens) {
        if (row_of_[i] >= 0) {
          posterior[row_of_[i] * word_count_ + grammar_.word(shape_->tokens[i], values_)] += belief;
        }
      }
    });
  }

  const Grammar& grammar_;
  std::span<const int> text_;
  std::span<const int> row_of_;  // per position: its row of the posterior, -1 when visible
  std::size_t word_count_;
  const Template* shape_ = nullptr;
  std::vector<std::vector<int>> candidates_;  // per slot
  std::vector<unsigned char> reduced_;
  std::vector<Bucket> buckets_;
  std::vector<int> values_;          // per slot: the current lexicon entry
  std::vector<std::size_t> chosen_;  // per slot: its index in candidates_
};

}  // namespace

void best_guess(const Grammar& grammar, std::span<const int> text, std::span<const unsigned char> masked,
                std::vector<double>& posterior) {
  std::vector<int> row_of(text.size(), -1);
  int rows = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (masked[i] != 0) row_of[i] = rows++;
  }
  const std::size_t words = grammar.words().size();
  posterior.assign(rows * words, 0);
  Elimination elimination(grammar, text, row_of);
  for (const int index : grammar.of_length(text.size()))
    elimination.add(grammar.templates()[index], posterior);
  for (int row = 0; row < rows; ++row) {
    const std::span<double> chances = std::span(posterior).subspan(row * words, words);
    double sum = 0;
    for (const double chance : chances) sum += chance;
    if (sum == 0) continue;
    for (double& chance : chances) chance /= sum;
  }
}

double probability(const Grammar& grammar, std::span<const int> text) {
  const std::vector<int> nothing_hidden(text.size(), -1);
  Elimination elimination(grammar, text, nothing_hidden);
  double sum = 0;
  for (const int index : grammar.of_length(text.size()))
    sum += elimination.weight_of(grammar.templates()[index]);
  return sum / static_cast<double>(grammar.total_weight());
}

}  // namespace ropewalk::trainer::english
