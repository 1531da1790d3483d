#include "batches.hpp"

#include <algorithm>

#include "tasks/english/token_ids.hpp"

namespace ropewalk::train {

using namespace trainer::english;

void Texts::set(std::span<const std::vector<int>> texts) {
  batch = texts.size();
  sequence = 0;
  for (const std::vector<int>& text : texts) sequence = std::max(sequence, text.size() + 2);
  ids.assign(batch * sequence, pad_id);
  mask.assign(batch * sequence, 0);
  labels.assign(batch * sequence, -100);
  for (std::size_t row = 0; row < batch; ++row) {
    std::int32_t* const to = ids.data() + row * sequence;
    const std::size_t length = texts[row].size();
    to[0] = begin_id;
    for (std::size_t i = 0; i < length; ++i) to[i + 1] = id_of(texts[row][i]);
    to[length + 1] = end_id;
    std::fill_n(mask.data() + row * sequence, length + 2, 1);
  }
}

Batches::Batches(const trainer::English& english, Random random, std::size_t texts_per_step,
                 double mask_probability)
    : english_(english),
      words_(random.fork(0)),
      masks_(random.fork(1)),
      drawn_(texts_per_step),
      counts_(english.words().size(), 0) {
  masking_.probability = mask_probability;
  masking_.mask_id = mask_id;
  masking_.vocab_size = static_cast<std::int32_t>(vocab_size(english));
  masking_.special_ids = special_ids;
}

TrainerBatch Batches::next() {
  for (std::vector<int>& text : drawn_) {
    english_.sample(words_, text);
    for (const int word : text) ++counts_[static_cast<std::size_t>(word)];
    tokens_ += text.size() + 2;
  }
  // Neighbours of one length make shards with little padding; the batch as a whole stays a fair sample.
  std::stable_sort(drawn_.begin(), drawn_.end(),
                   [](const std::vector<int>& a, const std::vector<int>& b) { return a.size() < b.size(); });
  texts_.set(drawn_);
  for (std::size_t row = 0; row < texts_.batch; ++row) {
    const std::size_t at = row * texts_.sequence;
    mask(masking_, masks_, std::span(texts_.ids).subspan(at, texts_.sequence),
         std::span(texts_.labels).subspan(at, texts_.sequence));
  }
  return {texts_.input(), texts_.labels};
}

}  // namespace ropewalk::train
