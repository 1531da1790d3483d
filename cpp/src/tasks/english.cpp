// [CLS] the captain gave the [MASK] to the sailor . [SEP] who was late ? the girl . [SEP] [PAD]
#include "tasks/english/english.hpp"

#include <algorithm>
#include <vector>

#include "nn/cross_entropy.hpp"
#include "tasks/english/token_ids.hpp"
#include "tasks/kind.hpp"
#include "train/masking.hpp"

namespace ropewalk::task {
namespace {

using namespace trainer::english;

constexpr double hidden = 0.15;
constexpr double most_frequent_word = 0.186;  // `the`: counted over 300 batches of 32, at lengths 30 to 512

class EnglishTexts : public Kind {
 public:
  EnglishTexts() {
    const auto size = static_cast<std::int32_t>(vocab_size(english_));
    for (std::int32_t id = 0; id < size; ++id) symbols_.emplace_back(token_of(english_, id));
  }

  std::string_view description() const override {
    return "Generated texts of who did what to whom: which words are hidden?";
  }
  std::size_t shortest_sequence() const override { return longest_text + 2; }
  double chance_accuracy() const override { return most_frequent_word; }

  void fill(Random& random, Row row) const override {
    row.ids[0] = begin_id;
    std::size_t used = 1;
    std::vector<int> text;
    for (english_.sample(random, text); used + text.size() < row.ids.size(); english_.sample(random, text)) {
      for (const int word : text) row.ids[used++] = id_of(word);
      row.ids[used++] = end_id;
    }
    std::fill(row.mask.begin() + static_cast<std::ptrdiff_t>(used), row.mask.end(), 0);
    const trainer::Masking masking{.probability = hidden,
                                   .masked = 1,
                                   .replaced = 0,
                                   .mask_id = mask_id,
                                   .vocab_size = static_cast<std::int32_t>(symbols_.size()),
                                   .special_ids = special_ids};
    trainer::mask(masking, random, row.ids, row.labels);
  }

  Status add_best(const FilledRow& row, Tally& tally) const override {
    std::vector<int> text;
    std::vector<unsigned char> masked;
    std::vector<double> odds;
    for (std::size_t i = 1, first = 1; i < row.ids.size() && row.mask[i] != 0; ++i) {
      if (row.ids[i] != end_id) {
        text.push_back(word_of(row.ids[i]));
        masked.push_back(row.ids[i] == mask_id ? 1 : 0);
        continue;
      }
      english_.posterior(text, masked, odds);
      const std::size_t words = english_.words().size();
      std::size_t place = 0;
      for (std::size_t at = first; at < i; ++at) {
        if (row.labels[at] == nn::ignored_label) continue;
        tally.add(std::span(odds).subspan(place++ * words, words),
                  static_cast<std::size_t>(word_of(row.labels[at])));
      }
      text.clear();
      masked.clear();
      first = i + 1;
    }
    return {};
  }

 private:
  trainer::English english_;
};

}  // namespace

std::unique_ptr<Kind> make_english(const Wanted&) { return std::make_unique<EnglishTexts>(); }

}  // namespace ropewalk::task
