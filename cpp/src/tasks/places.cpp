#include "tasks/places.hpp"

#include <algorithm>

namespace ropewalk::task {

// With the gaps taken out, places apart are merely places that differ: Floyd's sample of those.
std::vector<std::size_t> spread_places(Random& random, std::size_t size, std::size_t count, std::size_t gap) {
  const std::size_t rest = size - (count - 1) * (gap - 1);
  std::vector<std::size_t> places;
  for (std::size_t last = rest - count; last < rest; ++last) {
    const std::size_t place = random.below(last + 1);
    const bool taken = std::find(places.begin(), places.end(), place) != places.end();
    places.push_back(taken ? last : place);
  }
  std::sort(places.begin(), places.end());
  for (std::size_t i = 0; i < places.size(); ++i) places[i] += i * (gap - 1);
  return places;
}

}  // namespace ropewalk::task
