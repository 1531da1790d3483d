#include <cmath>
#include <numbers>

#include "ropewalk/analysis.hpp"
#include "base/text.hpp"

namespace ropewalk {

Result<Turns> try_turns(const RopeOptions& options, double context) {
  Result<Rope> rope = Rope::make(options);
  if (!rope.ok()) return rope.status();
  if (!(context > 0) || std::isinf(context)) {
    return out_of_range("turns", "context", context, "a finite number above 0");
  }
  Turns result;
  for (double theta : rope.value().frequencies()) {
    const double turns = context * std::fabs(theta) / (2 * std::numbers::pi);
    if (turns < 1) result.incomplete.push_back(result.turns.size());
    result.turns.push_back(turns);
  }
  return result;
}

}  // namespace ropewalk
