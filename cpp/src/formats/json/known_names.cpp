#include "formats/json/known_names.hpp"

#include <algorithm>
#include <vector>

namespace ropewalk::json {

std::size_t changes(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row[b.size()];
}

std::string_view nearest(std::string_view name, std::span<const std::string_view> known) {
  std::string_view best;
  std::size_t fewest = std::max<std::size_t>(2, name.size() / 2) + 1;
  for (const std::string_view each : known) {
    const std::size_t count = changes(name.substr(0, 64), each);
    if (count >= fewest) continue;
    fewest = count;
    best = each;
  }
  if (!best.empty() || name.size() < 4) return best;
  // For an abbreviated name: the shortest known name that begins with it.
  for (const std::string_view each : known) {
    if (each.starts_with(name) && (best.empty() || each.size() < best.size())) best = each;
  }
  return best;
}

Status check_names(const Value& object, std::span<const std::string_view> known, std::string_view function,
                   std::string_view path) {
  for (const Member& member : object.members) {
    if (std::find(known.begin(), known.end(), member.name) != known.end()) continue;
    std::string message(function);
    message.append(": unknown option `").append(path).append(member.name.substr(0, 60)).append("`; ");
    if (const std::string_view name = nearest(member.name, known); !name.empty()) {
      return Status::type(message.append("did you mean `").append(path).append(name).append("`?"));
    }
    message.append("allowed:");
    for (const std::string_view each : known) message.append(" `").append(each).append("`");
    return Status::type(message);
  }
  return {};
}

}  // namespace ropewalk::json
