// c A B f ... d A [MASK] e: what followed A the other time?   `B`
#include <algorithm>
#include <array>

#include "base/shuffle.hpp"
#include "tasks/kind.hpp"
#include "tasks/places.hpp"
#include "tasks/vocabulary.hpp"

namespace ropewalk::task {
namespace {

constexpr std::size_t tokens_per_question = 12, most_questions = 4;

class Induction : public Kind {
 public:
  Induction() { symbols_ = letter_symbols(); }

  std::string_view description() const override {
    return "The letter before each [MASK] occurred once before: which letter followed it then?";
  }
  std::size_t shortest_sequence() const override { return 4; }
  double chance_accuracy() const override { return 1.0 / letters; }

  void fill(Random& random, Row row) const override {
    const std::size_t questions =
        std::clamp<std::size_t>(row.ids.size() / tokens_per_question, 1, most_questions);
    // The first few letters are asked about and occur nowhere else; the rest is what follows them, and noise.
    std::array<std::int32_t, letters> order;
    for (std::int32_t i = 0; i < letters; ++i) order[static_cast<std::size_t>(i)] = first_letter + i;
    shuffle(random, std::span<std::int32_t>(order));
    const auto other = [&] { return order[questions + random.below(letters - questions)]; };
    for (std::int32_t& id : row.ids) id = other();
    std::array<std::size_t, 2 * most_questions> asks;
    for (std::size_t i = 0; i < 2 * questions; ++i) asks[i] = i / 2;
    shuffle(random, std::span(asks).first(2 * questions));
    std::array<std::int32_t, most_questions> followers{};  // 0: not yet seen
    const std::vector<std::size_t> places = spread_places(random, row.ids.size() - 1, 2 * questions, 2);
    for (std::size_t i = 0; i < places.size(); ++i) {
      row.ids[places[i]] = order[asks[i]];
      std::int32_t& follower = followers[asks[i]];
      std::int32_t& next = row.ids[places[i] + 1];
      if (follower == 0) {
        follower = next;
      } else {
        row.labels[places[i] + 1] = follower;
        next = mask_id;
      }
    }
  }
};

}  // namespace

std::unique_ptr<Kind> make_induction(const Wanted&) { return std::make_unique<Induction>(); }

}  // namespace ropewalk::task
