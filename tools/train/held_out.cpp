#include "held_out.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "batches.hpp"
#include "nn/threads.hpp"
#include "tasks/english/token_ids.hpp"

namespace ropewalk::train {

using namespace trainer::english;
namespace {

constexpr double hidden_share = 0.15;
constexpr std::size_t texts_at_a_time = 100;

struct Text {
  std::vector<int> words;
  std::vector<unsigned char> hidden;
  std::vector<double> best;  // odds of each word at each hidden place
};

std::vector<Text> draw(const trainer::English& english, Random random, std::size_t count) {
  Random words = random.fork(0), masks = random.fork(1);
  std::vector<Text> texts(count);
  for (Text& text : texts) {
    english.sample(words, text.words);
    bool any = false;
    for (std::size_t i = 0; i < text.words.size(); ++i) {
      text.hidden.push_back(masks.chance(hidden_share) ? 1 : 0);
      any = any || text.hidden.back() != 0;
    }
    if (!any) text.hidden[masks.below(text.hidden.size())] = 1;
  }
  // Texts of one length go through the model together.
  std::stable_sort(texts.begin(), texts.end(),
                   [](const Text& a, const Text& b) { return a.words.size() < b.words.size(); });
  return texts;
}

// The likeliest word, special tokens left out.
int guess(std::span<const float> logits) {
  return static_cast<int>(std::max_element(logits.begin() + first_word_id, logits.end()) - logits.begin()) -
         first_word_id;
}

}  // namespace

Accuracies measure(Encoder& model, const trainer::English& english, Random random, std::size_t count,
                   std::span<const std::uint64_t> counts, std::size_t threads) {
  std::vector<Text> texts = draw(english, random, count);
  ThreadPool pool(threads);
  nn::in_parts(pool, texts.size(), [&](std::size_t i, std::size_t) {
    english.posterior(texts[i].words, texts[i].hidden, texts[i].best);
  });
  const std::size_t words = english.words().size(), vocab = vocab_size(english);
  const auto frequent = static_cast<int>(std::max_element(counts.begin(), counts.end()) - counts.begin());
  std::size_t right = 0, right_unigram = 0, right_best = 0, agreed = 0;
  Accuracies result;
  result.texts = count;
  std::vector<std::vector<int>> some;
  Texts batch;
  for (std::size_t first = 0; first < texts.size(); first += texts_at_a_time) {
    const auto part = std::span(texts).subspan(first, std::min(texts_at_a_time, texts.size() - first));
    some.clear();
    for (const Text& text : part) some.push_back(text.words);
    batch.set(some);
    for (std::size_t row = 0; row < part.size(); ++row) {
      for (std::size_t i = 0; i < part[row].words.size(); ++i) {
        if (part[row].hidden[i] != 0) batch.ids[row * batch.sequence + i + 1] = mask_id;
      }
    }
    const EncoderOutput output = model.forward(batch.input());
    for (std::size_t row = 0; row < part.size(); ++row) {
      const Text& text = part[row];
      std::size_t place = 0;
      for (std::size_t i = 0; i < text.words.size(); ++i) {
        if (text.hidden[i] == 0) continue;
        const std::span<const double> odds = std::span(text.best).subspan(place++ * words, words);
        const auto best = std::max_element(odds.begin(), odds.end());
        const int own = guess(output.logits.subspan((row * batch.sequence + i + 1) * vocab, vocab));
        ++result.hidden;
        right += own == text.words[i] ? 1 : 0;
        right_unigram += frequent == text.words[i] ? 1 : 0;
        right_best += best - odds.begin() == text.words[i] ? 1 : 0;
        agreed += odds[static_cast<std::size_t>(own)] >= *best * (1 - 1e-9) ? 1 : 0;
      }
    }
  }
  const auto hidden = static_cast<double>(result.hidden);
  result.model = static_cast<double>(right) / hidden;
  result.unigram = static_cast<double>(right_unigram) / hidden;
  result.best = static_cast<double>(right_best) / hidden;
  result.agreement = static_cast<double>(agreed) / hidden;
  result.unigram_word = english.words()[static_cast<std::size_t>(frequent)];
  return result;
}

std::vector<Guess> fill(Encoder& model, const trainer::English& english, std::string_view text,
                        std::size_t top) {
  std::vector<std::int32_t> ids = {begin_id};
  std::size_t place = 0;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    const int index = english.index(word);
    if (word == "[MASK]" && place == 0) place = ids.size();
    ids.push_back(word == "[MASK]" ? mask_id : index < 0 ? unknown_id : id_of(index));
  }
  ids.push_back(end_id);
  const EncoderOutput output = model.forward({.input_ids = ids, .batch = 1, .sequence = ids.size()});
  const std::size_t vocab = vocab_size(english);
  const std::span<const float> logits = output.logits.subspan(place * vocab, vocab);
  std::vector<std::int32_t> order(vocab);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](std::int32_t a, std::int32_t b) { return logits[a] > logits[b]; });
  double sum = 0;
  for (const float logit : logits) sum += std::exp(static_cast<double>(logit - logits[order[0]]));
  std::vector<Guess> guesses;
  for (std::size_t i = 0; i < std::min(top, vocab); ++i) {
    guesses.push_back({token_of(english, order[i]),
                       std::exp(static_cast<double>(logits[order[i]] - logits[order[0]])) / sum});
  }
  return guesses;
}

}  // namespace ropewalk::train
