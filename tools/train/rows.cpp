#include "rows.hpp"

#include "decoder_ids.hpp"

namespace ropewalk::train {

std::uint64_t hash_of(std::span<const int> words) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const int word : words) hash = (hash ^ static_cast<std::uint64_t>(word)) * 0x100000001b3u;
  return hash;
}

Rows::Rows(const trainer::English& english, Random random, std::size_t rows, std::size_t sequence)
    : english_(english), random_(random), rows_(rows), sequence_(sequence) {}

TrainerBatch Rows::next() {
  ids_.clear();
  for (std::size_t row = 1; row <= rows_; ++row) {
    while (ids_.size() < row * sequence_) {
      english_.sample(random_, text_);
      ++texts_;
      seen_.insert(hash_of(text_));
      ids_.push_back(boundary_id);
      for (const int word : text_) ids_.push_back(decoder_id_of(word));
    }
    ids_.resize(row * sequence_);
  }
  tokens_ += ids_.size();
  return {.input = {.input_ids = ids_, .batch = rows_, .sequence = sequence_}};
}

}  // namespace ropewalk::train
