#include "written.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "decoder_ids.hpp"
#include "rows.hpp"

namespace ropewalk::train {
namespace {

// A text that is still going on after so many tokens does not end.
constexpr std::size_t longest = 64;

double log_sum(std::span<const float> logits) {
  const double largest = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const float logit : logits) sum += std::exp(double{logit} - largest);
  return largest + std::log(sum);
}

// Adds texts one by one, and gives the shares.
class Count {
 public:
  Count(const trainer::English& english, const std::unordered_set<std::uint64_t>& seen)
      : english_(english), seen_(seen) {}

  void add(std::span<const int> words, bool ended) {
    ++texts_;
    const std::uint64_t hash = hash_of(words);
    different_.insert(hash);
    ended_ += ended ? 1 : 0;
    const bool known = std::ranges::all_of(words, [](int word) { return word >= 0; });
    accepted_ += ended && known && english_.probability(words) > 0 ? 1 : 0;
    fresh_ += seen_.contains(hash) ? 0 : 1;
  }

  Written shares() const {
    const auto share = [this](std::size_t count) {
      return static_cast<double>(count) / static_cast<double>(texts_);
    };
    return {texts_, share(ended_), share(accepted_), share(different_.size()), share(fresh_)};
  }

 private:
  const trainer::English& english_;
  const std::unordered_set<std::uint64_t>& seen_;
  std::unordered_set<std::uint64_t> different_;
  std::size_t texts_ = 0, ended_ = 0, accepted_ = 0, fresh_ = 0;
};

}  // namespace

HeldOut held_out(const Decoder& model, const trainer::English& english, Random random, std::size_t texts) {
  HeldOut result{.texts = texts};
  const std::size_t vocabulary = decoder_vocabulary(english);
  std::vector<int> text;
  for (std::size_t i = 0; i < texts; ++i) {
    english.sample(random, text);
    std::vector<std::int32_t> ids = {boundary_id};
    for (const int word : text) ids.push_back(decoder_id_of(word));
    KeyCache cache = model.cache();
    const std::span<const float> logits = cache.feed(ids, {.all = true});
    ids.push_back(boundary_id);
    for (std::size_t at = 0; at + 1 < ids.size(); ++at) {
      const std::span<const float> row = logits.subspan(at * vocabulary, vocabulary);
      result.loss += log_sum(row) - double{row[static_cast<std::size_t>(ids[at + 1])]};
    }
    result.entropy -= std::log(english.probability(text));
    result.tokens += text.size() + 1;
  }
  result.loss /= static_cast<double>(result.tokens);
  result.entropy /= static_cast<double>(result.tokens);
  return result;
}

Written write(const Decoder& model, const trainer::English& english, double temperature, std::size_t texts,
              const std::unordered_set<std::uint64_t>& seen) {
  Count count(english, seen);
  std::vector<int> words;
  for (std::size_t i = 0; i < texts; ++i) {
    Sampler sampler = raise(Sampler::make({.temperature = temperature, .seed = i}));
    KeyCache cache = model.cache();
    words.clear();
    bool ended = false;
    for (std::int32_t id = boundary_id; words.size() < longest;) {
      cache.feed(std::span(&id, 1));
      id = cache.sample(sampler).id;
      ended = id == boundary_id;
      if (ended) break;
      words.push_back(decoder_word_of(id));
    }
    count.add(words, ended);
  }
  return count.shares();
}

Written draw(const trainer::English& english, Random random, std::size_t texts,
             const std::unordered_set<std::uint64_t>& seen) {
  Count count(english, seen);
  std::vector<int> text;
  for (std::size_t i = 0; i < texts; ++i) {
    english.sample(random, text);
    count.add(text, true);
  }
  return count.shares();
}

}  // namespace ropewalk::train
