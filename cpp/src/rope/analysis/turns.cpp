#include <cmath>
#include <numbers>

#include "base/buffer.hpp"
#include "base/text.hpp"
#include "ropewalk/analysis.hpp"

namespace ropewalk {

Result<Turns> try_turns(const RopeOptions& options, double context) {
  ROPEWALK_LET(rope, Rope::make(options));
  if (!(context > 0) || std::isinf(context)) {
    return out_of_range("turns", "context", context, "a finite number above 0");
  }
  const std::size_t count = rope.frequencies().size();
  ROPEWALK_TRY(check_memory(count * (sizeof(double) + sizeof(std::size_t)), "turns"));
  Turns result;
  result.turns.reserve(count);
  result.incomplete.reserve(count);
  for (double theta : rope.frequencies()) {
    const double turns = context * std::fabs(theta) / (2 * std::numbers::pi);
    if (turns < 1) result.incomplete.push_back(result.turns.size());
    result.turns.push_back(turns);
  }
  return result;
}

}  // namespace ropewalk
