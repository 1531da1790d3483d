#include "translation/bleu.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace ropewalk::translation {
namespace {

using Counts = std::map<Tokens, std::size_t>;

Counts n_grams(const Tokens& text, std::size_t n) {
  Counts counts;
  for (std::size_t i = 0; i + n <= text.size(); ++i) {
    const auto first = text.begin() + static_cast<std::ptrdiff_t>(i);
    ++counts[Tokens(first, first + static_cast<std::ptrdiff_t>(n))];
  }
  return counts;
}

}  // namespace

double Bleu::score() const {
  double sum = 0;
  for (int n = 0; n < 4; ++n) {
    if (matches[n] == 0) return 0;
    sum += std::log(static_cast<double>(matches[n]) / static_cast<double>(candidates[n])) / 4;
  }
  const double ratio = static_cast<double>(reference_length) / static_cast<double>(candidate_length);
  return std::exp(sum + std::min(0.0, 1 - ratio));
}

Bleu bleu(std::span<const Tokens> candidates, std::span<const Tokens> references) {
  Bleu result;
  for (std::size_t i = 0; i < std::min(candidates.size(), references.size()); ++i) {
    result.candidate_length += candidates[i].size();
    result.reference_length += references[i].size();
    for (std::size_t n = 1; n <= 4; ++n) {
      const Counts reference = n_grams(references[i], n);
      for (const auto& [n_gram, count] : n_grams(candidates[i], n)) {
        result.candidates[n - 1] += count;
        const auto found = reference.find(n_gram);
        if (found != reference.end()) result.matches[n - 1] += std::min(count, found->second);
      }
    }
  }
  return result;
}

}  // namespace ropewalk::translation
