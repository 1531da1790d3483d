#include "sentence_pairs.hpp"

#include <algorithm>

#include "nn/loss.hpp"

namespace ropewalk::experiments {
namespace {

constexpr std::int32_t first_word_id = 2;

// A row of `length` in all.
void add_row(std::vector<std::int32_t>& rows, const translation::Tokens& words, std::size_t length,
             std::int32_t padding) {
  rows.insert(rows.end(), words.begin(), words.end());
  rows.insert(rows.end(), length - words.size(), padding);
}

}  // namespace

std::size_t Pairs::tokens() const {
  const auto is_label = [](std::int32_t label) { return label != nn::ignored_label; };
  return static_cast<std::size_t>(std::ranges::count(mask, 1) + std::ranges::count_if(labels, is_label));
}

SentencePairs::SentencePairs(std::uint64_t seed, std::size_t longest)
    : language_(english_.grammar().lexicon()),
      random_(Random(seed).fork(stream)),
      longest_(longest),
      first_made_up_(first_word_id + english_.words().size()) {
  for (const std::string& word : language_.words()) {
    const auto id = static_cast<std::int32_t>(first_made_up_ + made_up_ids_.size());
    made_up_ids_.emplace(word, id);
  }
}

SentencePairs::Pair SentencePairs::draw(Random random) const {
  std::vector<int> text;
  for (;;) {
    english_.sample(random, text);
    std::vector<std::string_view> sentence;
    Pair pair;
    for (const int index : text) {
      const std::string_view word = english_.words()[static_cast<std::size_t>(index)];
      if (word == "." || word == "?") break;
      sentence.push_back(word);
      pair.source.push_back(first_word_id + index);
    }
    if (sentence.size() > longest_) continue;
    const auto translated = language_.translate(sentence);
    if (!translated) continue;
    for (const std::string& word : *translated) pair.target.push_back(made_up_ids_.find(word)->second);
    return pair;
  }
}

Pairs SentencePairs::make(Split split, std::uint64_t index, std::size_t count) const {
  const Random batch = random_.fork(static_cast<std::uint64_t>(split)).fork(index);
  std::vector<Pair> drawn;
  Pairs pairs;
  pairs.count = count;
  for (std::size_t row = 0; row < count; ++row) {
    drawn.push_back(draw(batch.fork(row)));
    pairs.source_tokens = std::max(pairs.source_tokens, drawn.back().source.size() + 1);
    pairs.target_tokens = std::max(pairs.target_tokens, drawn.back().target.size() + 1);
  }
  for (Pair& pair : drawn) {
    pairs.references.push_back(pair.target);
    translation::Tokens input = pair.target;
    input.insert(input.begin(), end_id);
    pair.source.push_back(end_id);
    pair.target.push_back(end_id);
    add_row(pairs.sources, pair.source, pairs.source_tokens, pad_id);
    add_row(pairs.mask, translation::Tokens(pair.source.size(), 1), pairs.source_tokens, 0);
    add_row(pairs.inputs, input, pairs.target_tokens, pad_id);
    add_row(pairs.labels, pair.target, pairs.target_tokens, nn::ignored_label);
  }
  return pairs;
}

}  // namespace ropewalk::experiments
