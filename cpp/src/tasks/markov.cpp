// Each letter follows from the two before it by a table drawn from the seed, but for noise: which are hidden?
//
// For each last letter, the letter before it and the next one are a permutation. So all letters stay equally
// likely for ever, and the best guess needs one term per pair of letters instead of sixteen.
#include <array>

#include "base/buffer.hpp"
#include "base/shuffle.hpp"
#include "base/text.hpp"
#include "nn/cross_entropy.hpp"
#include "tasks/kind.hpp"
#include "tasks/vocabulary.hpp"
#include "train/masking.hpp"

namespace ropewalk::task {
namespace {

constexpr double noise = 0.1, hidden = 0.15;
constexpr std::size_t size = letters, pairs = size * size;
constexpr std::int32_t special_ids[] = {pad_id, mask_id};

class Markov : public Kind {
 public:
  explicit Markov(Random random) {
    symbols_ = letter_symbols();
    for (auto& row : next_) {
      for (std::size_t i = 0; i < size; ++i) row[i] = i;
      shuffle(random, std::span<std::size_t>(row));
    }
  }

  std::string_view description() const override {
    return "A fixed table gives each letter from the two before it, 9 times in 10; which are the hidden "
           "ones?";
  }
  std::size_t shortest_sequence() const override { return 3; }
  double chance_accuracy() const override { return 1.0 / letters; }

  void fill(Random& random, Row row) const override {
    for (std::size_t i = 0; i < row.ids.size(); ++i) {
      const bool free = i < 2 || random.chance(noise);
      row.ids[i] = free
                       ? random_letter(random)
                       : first_letter +
                             static_cast<std::int32_t>(next_[letter(row.ids[i - 1])][letter(row.ids[i - 2])]);
    }
    const trainer::Masking masking{.probability = hidden,
                                   .masked = 1,
                                   .replaced = 0,
                                   .mask_id = mask_id,
                                   .vocab_size = first_own,
                                   .special_ids = special_ids};
    trainer::mask(masking, random, row.ids, row.labels);
  }

  // Forward and backward sums over the pairs of neighbours (Baum and others, 1970).
  Status add_best(const FilledRow& row, Tally& tally) const override {
    const std::size_t count = row.ids.size();
    // (count, pairs): of row i the odds of letters i - 1 and i, given the tokens up to i. Row 0 is not used.
    Buffer<double> forward;
    ROPEWALK_TRY(forward.allocate(count * pairs, "best"));
    for (std::size_t a = 0; a < size; ++a) {
      for (std::size_t b = 0; b < size; ++b)
        forward[pairs + a * size + b] = may_be(row.ids[0], a) * may_be(row.ids[1], b);
    }
    for (std::size_t i = 2; i < count; ++i) {
      step_forward(forward.span().subspan((i - 1) * pairs, pairs), row.ids[i],
                   forward.span().subspan(i * pairs, pairs));
    }
    // The odds of the tokens after i, given letters i - 1 and i.
    std::array<double, pairs> backward;
    backward.fill(1);
    for (std::size_t i = count - 1; i > 0; --i) {
      std::array<double, size> earlier{}, later{};
      for (std::size_t pair = 0; pair < pairs; ++pair) {
        const double odds = forward[i * pairs + pair] * backward[pair];
        earlier[pair / size] += odds;
        later[pair % size] += odds;
      }
      add(later, row.labels[i], tally);
      if (i == 1) add(earlier, row.labels[0], tally);
      step_backward(backward, row.ids[i]);
    }
    return {};
  }

 private:
  static std::size_t letter(std::int32_t id) { return static_cast<std::size_t>(id - first_letter); }
  static double may_be(std::int32_t id, std::size_t which) {
    return id == mask_id || letter(id) == which ? 1 : 0;
  }

  // to: odds of (b, c) from those of (a, b). Sums to 1, lest it vanish.
  void step_forward(std::span<const double> from, std::int32_t id, std::span<double> to) const {
    double all = 0;
    for (std::size_t b = 0; b < size; ++b) {
      double any = 0;
      for (std::size_t a = 0; a < size; ++a) any += from[a * size + b];
      for (std::size_t a = 0; a < size; ++a) {
        const std::size_t c = next_[b][a];
        to[b * size + c] = may_be(id, c) * (noise / letters * any + (1 - noise) * from[a * size + b]);
        all += to[b * size + c];
      }
    }
    for (double& odds : to) odds /= all;
  }

  // From the pair (b, c), whose c is the token `id`, to the pair (a, b). Sums to 1.
  void step_backward(std::array<double, pairs>& odds, std::int32_t id) const {
    std::array<double, pairs> before;
    double all = 0;
    for (std::size_t b = 0; b < size; ++b) {
      double any = 0;
      for (std::size_t c = 0; c < size; ++c) any += may_be(id, c) * odds[b * size + c];
      for (std::size_t a = 0; a < size; ++a) {
        const std::size_t c = next_[b][a];
        before[a * size + b] = noise / letters * any + (1 - noise) * may_be(id, c) * odds[b * size + c];
        all += before[a * size + b];
      }
    }
    for (double& one : before) one /= all;
    odds = before;
  }

  static void add(const std::array<double, size>& odds, std::int32_t label, Tally& tally) {
    if (label != nn::ignored_label) tally.add(odds, letter(label));
  }

  std::array<std::array<std::size_t, size>, size> next_;  // of the last letter and the one before it
};

}  // namespace

std::unique_ptr<Kind> make_markov(const Wanted& wanted) { return std::make_unique<Markov>(wanted.random); }

}  // namespace ropewalk::task
