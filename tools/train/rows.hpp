// Rows of tokens for the decoder: <|endoftext|> text <|endoftext|> text ..., cut off where the row is full.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_set>
#include <vector>

#include "ropewalk/trainer.hpp"
#include "tasks/english/english.hpp"

namespace ropewalk::train {

// A text as one number, to tell texts apart: FNV-1a.
std::uint64_t hash_of(std::span<const int> words);

// An endless source of training batches; what it gives depends on the seed alone.
class Rows {
 public:
  Rows(const trainer::English& english, Random random, std::size_t rows, std::size_t sequence);
  // The next batch, whose labels are the tokens that follow. Valid until the next call.
  TrainerBatch next();
  // Texts drawn so far, those cut off included; and those among them that differ.
  std::uint64_t texts() const { return texts_; }
  const std::unordered_set<std::uint64_t>& seen() const { return seen_; }
  std::uint64_t tokens() const { return tokens_; }

 private:
  const trainer::English& english_;
  Random random_;
  std::size_t rows_, sequence_;
  std::vector<std::int32_t> ids_;  // (rows, sequence)
  std::vector<int> text_;
  std::uint64_t texts_ = 0, tokens_ = 0;
  std::unordered_set<std::uint64_t> seen_;
};

}  // namespace ropewalk::train
