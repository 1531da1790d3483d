#pragma once

// The shifts of a cache's tokens. Neighbours with the same shift are a run. A key that was rotated
// at position p + shift stands at position p now.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ropewalk::decoder {

struct Run {
  std::size_t end;  // one after its last token; it begins where the run before it ends
  std::int64_t shift;
};

class Runs {
 public:
  const std::vector<Run>& all() const { return runs_; }
  std::size_t length() const { return runs_.empty() ? 0 : runs_.back().end; }

  /// The shift of tokens that are about to come: that of the last run, so that they join it, unless positions
  /// would leave the range in which angles are exact.
  std::int64_t next_shift() const {
    constexpr std::int64_t farthest = std::int64_t{1} << 30;
    if (runs_.empty()) return 0;
    const std::int64_t shift = runs_.back().shift;
    return shift < farthest && shift > -farthest ? shift : 0;
  }
  void extend(std::size_t count, std::int64_t shift) { add(runs_, length() + count, shift); }

  void trim(std::size_t length) {
    std::vector<Run> kept;
    for (const Run& run : runs_) add(kept, std::min(run.end, length), run.shift);
    runs_ = std::move(kept);
  }

  /// Those behind move back and are rotated by as much, or keep their rotation.
  void drop(std::size_t from, std::size_t to, bool rotate) {
    const std::size_t gone = to - from;
    const std::int64_t turned = rotate ? static_cast<std::int64_t>(gone) : 0;
    std::vector<Run> kept;
    for (const Run& run : runs_) add(kept, std::min(run.end, from), run.shift);
    for (const Run& run : runs_) {
      if (run.end > to) add(kept, run.end - gone, run.shift + turned);
    }
    runs_ = std::move(kept);
  }

  /// Tokens [from, to) of `other`, behind what is here.
  void append(const Runs& other, std::size_t from, std::size_t to) {
    const std::int64_t moved = static_cast<std::int64_t>(from) - static_cast<std::int64_t>(length());
    const std::size_t begin = length();
    for (const Run& run : other.runs_) {
      if (run.end > from) add(runs_, begin + std::min(run.end, to) - from, run.shift + moved);
    }
  }

  /// All keys stand where they were rotated.
  void reset(std::size_t length) {
    runs_.clear();
    add(runs_, length, 0);
  }

 private:
  /// Up to `end`; nothing where that is no further.
  static void add(std::vector<Run>& runs, std::size_t end, std::int64_t shift) {
    if (end <= (runs.empty() ? 0 : runs.back().end)) return;
    if (!runs.empty() && runs.back().shift == shift) {
      runs.back().end = end;
    } else {
      runs.push_back({end, shift});
    }
  }

  std::vector<Run> runs_;
};

}  // namespace ropewalk::decoder
