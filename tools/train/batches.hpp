// Texts as the model takes them: [CLS] text [SEP], sorted by length and padded to the longest.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ropewalk/trainer.hpp"
#include "tasks/english/english.hpp"
#include "train/masking.hpp"

namespace ropewalk::train {

struct Texts {
  std::size_t batch = 0, sequence = 0;
  std::vector<std::int32_t> ids, mask, labels;  // (batch, sequence)

  EncoderInput input() const {
    return {
        .input_ids = ids, .batch = batch, .sequence = sequence, .token_type_ids = {}, .attention_mask = mask};
  }

  // Replaces the contents; labels become -100. Texts of word indices, in any order.
  void set(std::span<const std::vector<int>> texts);
};

// An endless source of training batches; what it gives depends on the seed alone.
class Batches {
 public:
  Batches(const trainer::English& english, Random random, std::size_t texts_per_step,
          double mask_probability);
  // The next batch, masked. Valid until the next call.
  TrainerBatch next();
  // Words drawn so far, each with how often: (words).
  std::span<const std::uint64_t> counts() const { return counts_; }
  std::uint64_t tokens() const { return tokens_; }

 private:
  const trainer::English& english_;
  Random words_, masks_;
  trainer::Masking masking_;
  std::vector<std::vector<int>> drawn_;
  std::vector<std::uint64_t> counts_;
  std::uint64_t tokens_ = 0;  // [CLS] and [SEP] included, padding not
  Texts texts_;
};

}  // namespace ropewalk::train
