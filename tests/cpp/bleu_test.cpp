// BLEU on cases worked out by hand.

#include "translation/bleu.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace ropewalk::translation {
namespace bleu_test {

double score(const std::vector<Tokens>& candidates, const std::vector<Tokens>& references) {
  return bleu(candidates, references).score();
}

TEST(Bleu, IsOneForTheReferenceItself) { EXPECT_DOUBLE_EQ(score({{4, 5, 6, 7, 8}}, {{4, 5, 6, 7, 8}}), 1); }

TEST(Bleu, ClipsWordsByTheirNumberInTheReference) {
  // The paper's example: "the the the the the the the" for "the cat is on the mat" has 2 of 7.
  const Bleu found =
      bleu(std::vector<Tokens>{{1, 1, 1, 1, 1, 1, 1}}, std::vector<Tokens>{{1, 2, 3, 4, 1, 5}});
  EXPECT_EQ(found.matches[0], 2u);
  EXPECT_EQ(found.candidates[0], 7u);
  EXPECT_EQ(found.score(), 0);
}

TEST(Bleu, IsTheGeometricMeanOfFourPrecisions) {
  // a b c d e for a b c d f: 4/5, 3/4, 2/3 and 1/2, whose product is 1/5.
  EXPECT_NEAR(score({{1, 2, 3, 4, 5}}, {{1, 2, 3, 4, 6}}), std::pow(0.2, 0.25), 1e-15);
}

TEST(Bleu, PunishesTextsThatAreTooShortAndNotThoseThatAreTooLong) {
  // Every n-gram is right, and 4 words stand for 5: exp(1 - 5/4).
  EXPECT_NEAR(score({{1, 2, 3, 4}}, {{1, 2, 3, 4, 5}}), std::exp(-0.25), 1e-15);
  // 5 words for 4: 4/5, 3/4, 2/3, 1/2 and no penalty.
  EXPECT_NEAR(score({{1, 2, 3, 4, 5}}, {{1, 2, 3, 4}}), std::pow(0.2, 0.25), 1e-15);
}

TEST(Bleu, AddsUpCountsOverTheCorpus) {
  // 4 + 4 of 9 words, 3 + 3 of 7 pairs, 2 + 2 of 5 triples, 1 + 1 of 3; 9 words for 9.
  EXPECT_NEAR(score({{1, 2, 3, 4, 5}, {7, 8, 9, 1}}, {{1, 2, 3, 4, 6}, {7, 8, 9, 1}}),
              std::pow(8.0 / 9 * 6 / 7 * 4 / 5 * 2 / 3, 0.25), 1e-15);
  // A sentence in which nothing is right does not make the corpus 0: 4 of 8, 3 of 6, 2 of 4, 1 of 2.
  EXPECT_NEAR(score({{1, 2, 3, 4}, {5, 5, 5, 5}}, {{1, 2, 3, 4}, {6, 6, 6, 6}}), 0.5, 1e-15);
}

}  // namespace bleu_test
}  // namespace ropewalk::translation
