// d B f k a D c ... e B [MASK]: which letter followed the key B, far back among other keys?   `f`
#include <algorithm>
#include <array>

#include "base/shuffle.hpp"
#include "tasks/kind.hpp"
#include "tasks/places.hpp"
#include "tasks/vocabulary.hpp"

namespace ropewalk::task {
namespace {

constexpr std::size_t keys = 8, tokens_per_key = 8;

class Needle : public Kind {
 public:
  explicit Needle(std::size_t distance) : distance_(distance) {
    symbols_ = letter_symbols();
    for (std::size_t key = 0; key < keys; ++key) symbols_.emplace_back(1, static_cast<char>('A' + key));
  }

  std::string_view description() const override {
    return "The key before the last [MASK] occurred once, far back: which letter followed it there?";
  }
  std::size_t shortest_sequence() const override { return distance_ + 2; }
  double chance_accuracy() const override { return 1.0 / letters; }

  void fill(Random& random, Row row) const override {
    for (std::int32_t& id : row.ids) id = random_letter(random);
    std::array<std::int32_t, keys> order;
    for (std::size_t key = 0; key < keys; ++key) order[key] = first_own + static_cast<std::int32_t>(key);
    shuffle(random, std::span<std::int32_t>(order));
    // Not always at one distance, or the key would not have to be read.
    const std::size_t least = distance_ / 2 + 1;
    const std::size_t away = least + random.below(distance_ - least + 1);
    const std::size_t last = row.ids.size() - 1, place = last - away - 1;
    row.ids[place] = order[0];
    row.labels[last] = row.ids[place + 1];
    row.ids[last - 1] = order[0];
    row.ids[last] = mask_id;
    const std::size_t others = std::clamp<std::size_t>(row.ids.size() / tokens_per_key, 1, keys - 1);
    std::size_t next = 1;
    for (const std::size_t other : spread_places(random, row.ids.size() - 3, others, 2)) {
      const bool touches = other + 1 >= place && other <= place + 1;
      if (!touches) row.ids[other] = order[next++];
    }
  }

 private:
  std::size_t distance_;
};

}  // namespace

std::unique_ptr<Kind> make_needle(const Wanted& wanted) { return std::make_unique<Needle>(wanted.distance); }

}  // namespace ropewalk::task
