#include "tasks/kind.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "nn/cross_entropy.hpp"

namespace ropewalk::task {

void Tally::add(std::span<const double> odds, std::size_t answer) {
  loss += std::log(std::accumulate(odds.begin(), odds.end(), 0.0) / odds[answer]);
  right += std::max_element(odds.begin(), odds.end()) == odds.begin() + static_cast<std::ptrdiff_t>(answer);
  ++labels;
}

Status Kind::add_best(const FilledRow& row, Tally& tally) const {
  for (const std::int32_t label : row.labels) {
    if (label == nn::ignored_label) continue;
    ++tally.right;
    ++tally.labels;
  }
  return {};
}

}  // namespace ropewalk::task
