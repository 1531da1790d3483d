// ( [ ( ) [MASK] ): of which kind is the hidden closing bracket?   `]`
#include <vector>

#include "tasks/kind.hpp"
#include "tasks/vocabulary.hpp"

namespace ropewalk::task {
namespace {

constexpr double hidden = 0.3;
constexpr std::int32_t first_open = 2, first_close = 4;

class Dyck : public Kind {
 public:
  Dyck() { symbols_ = {"[PAD]", "[MASK]", "(", "[", ")", "]"}; }

  std::string_view description() const override {
    return "Brackets of two kinds are balanced; each [MASK] closes one of them: of which kind?";
  }
  std::size_t shortest_sequence() const override { return 2; }
  double chance_accuracy() const override { return 0.5; }

  void fill(Random& random, Row row) const override {
    const std::size_t size = row.ids.size() / 2 * 2;
    // Balanced brackets of an odd number are none.
    if (size < row.ids.size()) row.mask[size] = 0;
    std::vector<std::int32_t> open;
    std::size_t asked = random.below(size / 2);  // the closing bracket that is asked for in any case
    for (std::size_t i = 0; i < size; ++i) {
      // The share of the sequences that can be completed from here which opens one more: a quotient of
      // ballot numbers.
      const std::size_t depth = open.size(), left = size - i;
      if (random.below(2 * left * (depth + 1)) < (depth + 2) * (left - depth)) {
        open.push_back(static_cast<std::int32_t>(random.below(2)));
        row.ids[i] = first_open + open.back();
        continue;
      }
      row.ids[i] = first_close + open.back();
      open.pop_back();
      const bool hide = random.chance(hidden);
      if (asked-- != 0 && !hide) continue;
      row.labels[i] = row.ids[i];
      row.ids[i] = mask_id;
    }
  }
};

}  // namespace

std::unique_ptr<Kind> make_dyck(const Wanted&) { return std::make_unique<Dyck>(); }

}  // namespace ropewalk::task
