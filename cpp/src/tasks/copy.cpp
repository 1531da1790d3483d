// d k b +2 f a p: which letter is two places after the marker?   `a`
#include <algorithm>

#include "tasks/kind.hpp"
#include "tasks/places.hpp"
#include "tasks/vocabulary.hpp"

namespace ropewalk::task {
namespace {

constexpr std::size_t tokens_per_question = 8;

class Copy : public Kind {
 public:
  explicit Copy(std::size_t farthest) : farthest_(static_cast<std::ptrdiff_t>(farthest)) {
    symbols_ = letter_symbols();
    for (std::ptrdiff_t offset = 1; offset <= farthest_; ++offset) {
      symbols_.push_back("-" + std::to_string(offset));
      symbols_.push_back("+" + std::to_string(offset));
    }
  }

  std::string_view description() const override {
    return "Each marker, such as -3, asks for the letter so many places before or after it.";
  }
  std::size_t shortest_sequence() const override { return 2; }
  double chance_accuracy() const override { return 1.0 / letters; }

  void fill(Random& random, Row row) const override {
    for (std::int32_t& id : row.ids) id = random_letter(random);
    const std::size_t questions = std::max<std::size_t>(1, row.ids.size() / tokens_per_question);
    // Three apart, each marker has a letter beside it to ask for.
    const std::vector<std::size_t> places = spread_places(random, row.ids.size(), questions, 3);
    for (const std::size_t place : places)
      row.ids[place] = mask_id;  // no letter, until the markers are known
    std::vector<std::ptrdiff_t> offsets;
    for (const std::size_t place : places) {
      const auto at = static_cast<std::ptrdiff_t>(place), size = static_cast<std::ptrdiff_t>(row.ids.size());
      offsets.clear();
      for (std::ptrdiff_t target = std::max<std::ptrdiff_t>(0, at - farthest_);
           target < std::min(size, at + farthest_ + 1); ++target) {
        const std::int32_t id = row.ids[static_cast<std::size_t>(target)];
        if (id >= first_letter && id < first_own) offsets.push_back(target - at);
      }
      const std::ptrdiff_t offset = offsets[random.below(offsets.size())];
      row.labels[place] = row.ids[static_cast<std::size_t>(at + offset)];
      row.ids[place] = marker(offset);
    }
  }

 private:
  static std::int32_t marker(std::ptrdiff_t offset) {
    return first_own + static_cast<std::int32_t>(offset < 0 ? -2 * offset - 2 : 2 * offset - 1);
  }

  std::ptrdiff_t farthest_;
};

}  // namespace

std::unique_ptr<Kind> make_copy(const Wanted& wanted) { return std::make_unique<Copy>(wanted.distance); }

}  // namespace ropewalk::task
