// BERT's masking: which tokens, how many, and what becomes of them.
#include "train/masking.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace ropewalk::trainer {
namespace masking_test {

constexpr std::int32_t special[] = {0, 1, 2, 3, 4};
constexpr std::int32_t mask_token = 4, words = 200;

Masking masking(double probability) {
  Masking result;
  result.probability = probability;
  result.mask_id = mask_token;
  result.vocab_size = words;
  result.special_ids = special;
  return result;
}

// [CLS] 40 words [SEP] 6 [PAD]
std::vector<std::int32_t> sentence(Random& random) {
  std::vector<std::int32_t> ids = {2};
  for (int i = 0; i < 40; ++i) ids.push_back(static_cast<std::int32_t>(5 + random.below(words - 5)));
  ids.push_back(3);
  ids.resize(48, 0);
  return ids;
}

TEST(Masking, KeepsBertsProportions) {
  Random random(3);
  double chosen = 0, masked = 0, replaced = 0, kept = 0, all = 0;
  std::vector<std::int32_t> labels(48);
  for (int i = 0; i < 5000; ++i) {
    const std::vector<std::int32_t> before = sentence(random);
    std::vector<std::int32_t> after = before;
    mask(masking(0.15), random, after, labels);
    for (std::size_t j = 0; j < before.size(); ++j) {
      const bool word = before[j] >= 5;
      all += word ? 1 : 0;
      if (labels[j] == -100) {
        EXPECT_EQ(after[j], before[j]);
        continue;
      }
      ASSERT_TRUE(word) << "a special token was chosen";
      ASSERT_EQ(labels[j], before[j]);
      chosen += 1;
      masked += after[j] == mask_token ? 1 : 0;
      kept += after[j] == before[j] ? 1 : 0;
      replaced += after[j] != mask_token && after[j] != before[j] ? 1 : 0;
      EXPECT_TRUE(after[j] == mask_token || after[j] >= 5) << "replaced by a special token";
    }
  }
  const auto near = [](double share, double of, double count) {
    EXPECT_NEAR(share, of, 4 * std::sqrt(of * (1 - of) / count));
  };
  // At least one of 40 is chosen: 0.85^40 = 0.15 % of the sentences have one more than chance gives.
  near(chosen / all, 0.15 + std::pow(0.85, 40) / 40, all);
  near(masked / chosen, 0.8, chosen);
  // A random word is the word itself once in 195 times.
  near(replaced / chosen, 0.1 * 194 / 195, chosen);
  near(kept / chosen, 0.1 + 0.1 / 195, chosen);
}

TEST(Masking, ChoosesAtLeastOneOfEachSequence) {
  Random random(4);
  std::vector<int> times(3, 0);
  for (int i = 0; i < 3000; ++i) {
    std::vector<std::int32_t> ids = {2, 10, 11, 12, 3, 0}, labels(6);
    mask(masking(0), random, ids, labels);
    int chosen = 0;
    for (std::size_t j = 0; j < 6; ++j) {
      if (labels[j] == -100) continue;
      ++chosen;
      ASSERT_TRUE(j >= 1 && j <= 3);
      ++times[j - 1];
    }
    ASSERT_EQ(chosen, 1);
  }
  for (const int count : times) EXPECT_NEAR(count, 1000, 120);
}

TEST(Masking, LeavesWhatIsAllSpecial) {
  Random random(5);
  std::vector<std::int32_t> ids = {2, 3, 0, 0}, labels(4, 7);
  mask(masking(1), random, ids, labels);
  EXPECT_EQ(ids, (std::vector<std::int32_t>{2, 3, 0, 0}));
  EXPECT_EQ(labels, (std::vector<std::int32_t>(4, -100)));
  mask(masking(1), random, {}, {});
}

TEST(Masking, IsTheSameForTheSameSeed) {
  Random words_a(6), words_b(6), a(7), b(7);
  for (int i = 0; i < 20; ++i) {
    std::vector<std::int32_t> one = sentence(words_a), two = sentence(words_b), labels_one(48),
                              labels_two(48);
    mask(masking(0.3), a, one, labels_one);
    mask(masking(0.3), b, two, labels_two);
    EXPECT_EQ(one, two);
    EXPECT_EQ(labels_one, labels_two);
  }
}

}  // namespace masking_test
}  // namespace ropewalk::trainer
