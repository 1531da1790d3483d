#pragma once

// BLEU of a corpus (Papineni et al., ACL 2002): the geometric mean of the clipped precisions of 1- to 4-grams, summed over
// all sentences, times the brevity penalty.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ropewalk::translation {

using Tokens = std::vector<std::int32_t>;

struct Bleu {
  /// Matches, clipped by how often the reference has an n-gram, and n-grams of the candidates; of n = 1 to 4.
  std::size_t matches[4] = {}, candidates[4] = {};
  std::size_t candidate_length = 0, reference_length = 0;

  /// From 0 to 1; 0 where no n-gram of some n matches.
  double score() const;
};

/// One reference for each candidate.
Bleu bleu(std::span<const Tokens> candidates, std::span<const Tokens> references);

}  // namespace ropewalk::translation
