// a c [MASK] b d: is the letter on the left before the one on the right?   `>`, since c comes after b
#include <algorithm>

#include "tasks/kind.hpp"
#include "tasks/places.hpp"
#include "tasks/vocabulary.hpp"

namespace ropewalk::task {
namespace {

constexpr std::int32_t before_id = first_own, after_id = before_id + 1;
constexpr std::size_t tokens_per_question = 8;

class Order : public Kind {
 public:
  Order() {
    symbols_ = letter_symbols();
    symbols_.emplace_back("<");
    symbols_.emplace_back(">");
  }

  std::string_view description() const override {
    return "Each [MASK] asks whether the letter on its left comes before the one on its right.";
  }
  std::size_t shortest_sequence() const override { return 3; }
  double chance_accuracy() const override { return 0.5; }

  void fill(Random& random, Row row) const override {
    for (std::int32_t& id : row.ids) id = random_letter(random);
    const std::size_t questions = std::max<std::size_t>(1, row.ids.size() / tokens_per_question);
    // Three apart, no letter is the neighbour of two questions.
    for (const std::size_t place : spread_places(random, row.ids.size() - 2, questions, 3)) {
      const auto left = static_cast<std::int32_t>(random.below(letters));
      // One of the other letters: as often greater as smaller, since both are drawn alike.
      const auto step = 1 + static_cast<std::int32_t>(random.below(letters - 1));
      const std::int32_t right = (left + step) % letters;
      row.ids[place] = first_letter + left;
      row.ids[place + 1] = mask_id;
      row.ids[place + 2] = first_letter + right;
      row.labels[place + 1] = left < right ? before_id : after_id;
    }
  }
};

}  // namespace

std::unique_ptr<Kind> make_order(const Wanted&) { return std::make_unique<Order>(); }

}  // namespace ropewalk::task
