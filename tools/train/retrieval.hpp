// How well texts are found by meaning: each text asks for another phrasing of its event among all of them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "paraphrases/paraphrases.hpp"
#include "ropewalk/encoder.hpp"

namespace ropewalk::train {

// Texts of word indices. Query i asks for candidate i. Those at 2k and 2k + 1 tell neighbours: almost the same words,
// another event.
struct Collection {
  std::vector<std::vector<int>> queries, candidates;
};

// `size` different events, each in two phrasings: learned or held out.
Collection collect(const Paraphrases& paraphrases, Random random, std::size_t size, bool held_out);

// Shares of the queries. Candidates of equal score stand in an order by chance, and the share is what is expected then.
struct Recall {
  double at_1 = 0, at_10 = 0;
  double above_neighbour = 0;  // whose own candidate scores higher than the neighbour's
};

// By the cosine of the encoder's sentence vectors: the mean over the tokens.
Recall by_model(Encoder& encoder, const Collection& collection);
// By Okapi BM25, k1 = 1.2 and b = 0.75.
Recall by_bm25(const Collection& collection);
// By the cosine of the mean of word vectors, (vocabulary, width) with `first` rows before the words.
Recall by_words(std::span<const float> table, std::size_t width, std::size_t first,
                const Collection& collection);

}  // namespace ropewalk::train
