// b a f c b a f c b [MASK] f c: a pattern of letters, repeated.   `a`
#include "tasks/kind.hpp"
#include "tasks/vocabulary.hpp"

namespace ropewalk::task {
namespace {

constexpr double hidden = 0.15;

class Period : public Kind {
 public:
  explicit Period(std::size_t period) : period_(period) { symbols_ = letter_symbols(); }

  std::string_view description() const override {
    return "A pattern of letters repeats; each [MASK] asks for the letter that the pattern has there.";
  }
  std::size_t shortest_sequence() const override { return 2 * period_; }
  double chance_accuracy() const override { return 1.0 / letters; }

  void fill(Random& random, Row row) const override {
    const std::size_t size = row.ids.size();
    for (std::size_t i = 0; i < size; ++i) {
      row.ids[i] = i < period_ ? random_letter(random) : row.ids[i - period_];
    }
    const std::size_t always = random.below(size - period_);  // of those that may be hidden
    std::size_t candidate = 0;
    for (std::size_t first = 0; first < period_; ++first) {
      const std::size_t copies = (size - first + period_ - 1) / period_;
      const std::size_t stays = random.below(copies);
      for (std::size_t copy = 0; copy < copies; ++copy) {
        if (copy == stays) continue;
        const bool hide = random.chance(hidden);
        if (candidate++ != always && !hide) continue;
        const std::size_t place = first + copy * period_;
        row.labels[place] = row.ids[place];
        row.ids[place] = mask_id;
      }
    }
  }

 private:
  std::size_t period_;
};

}  // namespace

std::unique_ptr<Kind> make_period(const Wanted& wanted) { return std::make_unique<Period>(wanted.distance); }

}  // namespace ropewalk::task
