#include "tasks/make.hpp"

#include <string>

#include "base/text.hpp"
#include "formats/json/value.hpp"

namespace ropewalk::task {
namespace {

constexpr Entry entries[] = {
    {"order", make_order, 0, 0, 0},     {"copy", make_copy, 4, 1, 64},
    {"period", make_period, 5, 1, 256}, {"induction", make_induction, 0, 0, 0},
    {"dyck", make_dyck, 0, 0, 0},       {"needle", make_needle, 16, 4, 4096},
    {"markov", make_markov, 0, 0, 0},   {"english", make_english, 0, 0, 0},
};

std::string all_names() {
  std::string names = "one of";
  for (const Entry& entry : entries) names += (names.size() > 6 ? ", " : " ") + std::string(entry.name);
  return names;
}

Status refuse_distance(const Entry& entry, std::size_t distance) {
  const std::string name(entry.name);
  return out_of_range("task", "distance", distance,
                      entry.most == 0 ? "0, since " + name + " has none"
                                      : sentence({entry.least, " to ", entry.most, " for ", name,
                                                  ", or 0 for its default of ", entry.distance}));
}

}  // namespace

std::span<const Entry> all() { return entries; }

Result<Made> make(const TaskOptions& options) {
  for (const Entry& entry : entries) {
    if (entry.name != options.name) continue;
    const std::size_t distance = options.distance == 0 ? entry.distance : options.distance;
    if (distance < entry.least || distance > entry.most) return refuse_distance(entry, distance);
    // 0 and 1 are the splits.
    return Made{entry.name, distance, entry.make({distance, Random(options.seed).fork(2)})};
  }
  return wrong_type("task", "name", json::quoted(std::string_view(options.name)), all_names());
}

}  // namespace ropewalk::task
