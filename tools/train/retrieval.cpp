#include "retrieval.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "batches.hpp"
#include "ropewalk/sentence.hpp"

namespace ropewalk::train {
namespace {

// Cosines of the same bag of words differ by rounding alone.
constexpr double tie = 1e-6;

template <class Score>
Recall recall(std::size_t size, Score&& score) {
  Recall found;
  std::vector<double> scores(size);
  for (std::size_t query = 0; query < size; ++query) {
    for (std::size_t i = 0; i < size; ++i) scores[i] = score(query, i);
    const double own = scores[query];
    double above = 0, equal = 0;
    for (const double each : scores) {
      above += each > own + tie ? 1 : 0;
      equal += std::fabs(each - own) <= tie ? 1 : 0;
    }
    const double neighbour = scores[query ^ 1];
    found.at_1 += std::clamp((1 - above) / equal, 0.0, 1.0);
    found.at_10 += std::clamp((10 - above) / equal, 0.0, 1.0);
    found.above_neighbour += std::fabs(own - neighbour) <= tie ? 0.5 : own > neighbour ? 1 : 0;
  }
  const auto count = static_cast<double>(size);
  return {found.at_1 / count, found.at_10 / count, found.above_neighbour / count};
}

using Vectors = std::vector<std::vector<float>>;

Recall by_cosine(const Vectors& queries, const Vectors& candidates) {
  return recall(queries.size(), [&](std::size_t query, std::size_t i) {
    double sum = 0;
    for (std::size_t c = 0; c < queries[query].size(); ++c)
      sum += double{queries[query][c]} * double{candidates[i][c]};
    return sum;
  });
}

Vectors embed(Encoder& encoder, SentenceModules& modules, std::span<const std::vector<int>> texts) {
  constexpr std::size_t at_a_time = 100;
  Vectors vectors;
  Texts batch;
  for (std::size_t first = 0; first < texts.size(); first += at_a_time) {
    batch.set(texts.subspan(first, std::min(at_a_time, texts.size() - first)));
    const EncoderOutput output = encoder.forward(batch.input());
    const SentenceOutput sentences = modules.run({.hidden_states = output.last_hidden_state,
                                                  .batch = batch.batch,
                                                  .sequence = batch.sequence,
                                                  .attention_mask = batch.mask});
    const std::size_t width = modules.dimensions();
    for (std::size_t row = 0; row < batch.batch; ++row) {
      const auto vector = sentences.embedding.subspan(row * width, width);
      vectors.emplace_back(vector.begin(), vector.end());
    }
  }
  return vectors;
}

}  // namespace

Collection collect(const Paraphrases& paraphrases, Random random, std::size_t size, bool held_out) {
  Collection collection;
  std::set<Event> events;
  const auto add = [&](const Event& event) {
    paraphrases.write_two(random, event, held_out, collection.queries.emplace_back(),
                          collection.candidates.emplace_back());
  };
  const auto usable = [&](const Event& event) {
    return !events.contains(event) && paraphrases.phrasings(event, held_out).size() >= 2;
  };
  while (collection.queries.size() < size) {
    const Event event = paraphrases.draw(random);
    const Event neighbour = paraphrases.neighbour(random, event);
    if (!usable(event) || !usable(neighbour)) continue;
    events.insert(event);
    events.insert(neighbour);
    add(event);
    add(neighbour);
  }
  return collection;
}

Recall by_model(Encoder& encoder, const Collection& collection) {
  SentenceModules modules({}, encoder.spec().hidden);
  return by_cosine(embed(encoder, modules, collection.queries),
                   embed(encoder, modules, collection.candidates));
}

Recall by_bm25(const Collection& collection) {
  constexpr double k1 = 1.2, b = 0.75;
  const auto count = static_cast<double>(collection.candidates.size());
  std::map<int, double> holding;  // word: candidates that hold it
  double length = 0;
  std::vector<std::map<int, double>> words;  // of each candidate, with how often
  for (const std::vector<int>& text : collection.candidates) {
    length += static_cast<double>(text.size()) / count;
    std::map<int, double>& own = words.emplace_back();
    for (const int word : text) ++own[word];
    for (const auto& [word, times] : own) ++holding[word];
  }
  return recall(collection.queries.size(), [&](std::size_t query, std::size_t i) {
    double score = 0;
    const double long_by = static_cast<double>(collection.candidates[i].size()) / length;
    for (const int word : collection.queries[query]) {
      const auto found = words[i].find(word);
      if (found == words[i].end()) continue;
      const double texts = holding[word];
      score += std::log(1 + (count - texts + 0.5) / (texts + 0.5)) * found->second * (k1 + 1) /
               (found->second + k1 * (1 - b + b * long_by));
    }
    return score;
  });
}

Recall by_words(std::span<const float> table, std::size_t width, std::size_t first,
                const Collection& collection) {
  const auto means = [&](std::span<const std::vector<int>> texts) {
    Vectors vectors;
    for (const std::vector<int>& text : texts) {
      std::vector<double> sum(width);
      for (const int word : text) {
        const float* const row = table.data() + (first + static_cast<std::size_t>(word)) * width;
        for (std::size_t c = 0; c < width; ++c) sum[c] += double{row[c]};
      }
      double squares = 0;
      for (const double x : sum) squares += x * x;
      std::vector<float>& vector = vectors.emplace_back();
      for (const double x : sum) vector.push_back(static_cast<float>(x / std::sqrt(squares)));
    }
    return vectors;
  };
  return by_cosine(means(collection.queries), means(collection.candidates));
}

}  // namespace ropewalk::train
