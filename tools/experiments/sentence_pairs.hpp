// the sailor who the kings saw was tired -> what that is in the made-up language: the first sentences of texts of the
// generated English that it can say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "ropewalk/task.hpp"
#include "tasks/english/english.hpp"
#include "translation/bleu.hpp"
#include "translation/language.hpp"
#include "translation/translator.hpp"

namespace ropewalk::experiments {

// Sentences of several lengths: padded on the right. S and T: the longest of them, with the token that ends them.
struct Pairs {
  std::size_t count = 0, source_tokens = 0, target_tokens = 0;
  std::vector<std::int32_t> sources, mask;   // (count,S)
  std::vector<std::int32_t> inputs, labels;  // (count,T)
  std::vector<translation::Tokens> references;

  translation::Sentences view() const {
    return {.batch = count,
            .source_tokens = source_tokens,
            .target_tokens = target_tokens,
            .sources = sources,
            .source_mask = mask,
            .inputs = inputs,
            .labels = labels};
  }
  // Words to be read and written, those that end a sentence included.
  std::size_t tokens() const;
};

// The same on every thread and machine: safe to share.
class SentencePairs {
 public:
  static constexpr std::int32_t pad_id = 0, end_id = 1;

  SentencePairs(std::uint64_t seed, std::size_t longest);

  // Both languages and the two tokens above.
  std::size_t vocab_size() const { return first_made_up_ + language_.words().size(); }
  // The batch numbered `index` of a split.
  Pairs make(Split split, std::uint64_t index, std::size_t count) const;

 private:
  static constexpr std::uint64_t stream = 47;
  struct Pair {
    translation::Tokens source, target;
  };
  Pair draw(Random random) const;

  trainer::English english_;
  translation::Language language_;
  Random random_;
  std::size_t longest_, first_made_up_;
  std::map<std::string, std::int32_t, std::less<>> made_up_ids_;
};

}  // namespace ropewalk::experiments
