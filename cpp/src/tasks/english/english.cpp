// The generated English as the trainer sees it: `the captain gave the [MASK] to the sailor .` and its odds.
#include "tasks/english/english.hpp"

#include <algorithm>

#include "tasks/english/best_guess.hpp"

namespace ropewalk::trainer {

int English::index(std::string_view word) const {
  const auto all = words();
  const auto place = std::lower_bound(all.begin(), all.end(), word);
  return place != all.end() && *place == word ? static_cast<int>(place - all.begin()) : -1;
}

void English::posterior(std::span<const int> text, std::span<const unsigned char> masked,
                        std::vector<double>& posterior) const {
  english::best_guess(grammar_, text, masked, posterior);
}

double English::probability(std::span<const int> text) const { return english::probability(grammar_, text); }

}  // namespace ropewalk::trainer
