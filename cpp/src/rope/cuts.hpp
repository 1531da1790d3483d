#pragma once

// Cuts the tokens of an array into runs that share the rows of one table. Batches and packed sequences at the
// same positions share a table; a long sequence uses several tables, so that each stays in the cache.

#include <algorithm>
#include <cstddef>
#include <span>

#include "base/text.hpp"
#include "rope/extent.hpp"
#include "rope/table.hpp"
#include "ropewalk/placement.hpp"

namespace ropewalk {

/// Tokens token .. token + count of each segment, up to the segment's length.
struct Cut {
  std::size_t token, count;
  std::size_t first_segment, last_segment;
  Segment segment;  // the first of them
  std::size_t batch, sequence;

  /// The positions of the cut's tokens.
  RowPositions rows(const Positions& positions, std::size_t axes) const {
    RowPositions rows{.start = positions.start() + static_cast<double>(token), .count = count};
    if (positions.is_start()) return rows;
    const std::size_t size = positions.values().size(), tokens = batch * sequence;
    if (axes > 1 && size == axes * tokens) rows.axis_stride = tokens;
    const bool each_batch = size != sequence;
    rows.values =
        positions.values().data() + (each_batch ? segment.batch * sequence : 0) + segment.first + token;
    return rows;
  }
};

class Cuts {
 public:
  /// `positions` are all the positions of the cuts.
  Cuts(const Extent& extent, std::span<const Positions> positions, std::size_t longest_cut)
      : extent_(extent), longest_cut_(longest_cut) {
    bool start = false;
    for (const Positions& each : positions) {
      start = start || each.is_start();
      shared_ = shared_ && (each.is_start() || each.values().size() == extent.sequence);
    }
    // Packed sequences matter only with a start position. Listed positions belong to tokens, wherever the
    // cuts are.
    if (!start) extent_.cumulative_lengths = {};
    if (!extent_.cumulative_lengths.empty()) {
      for (const Positions& each : positions) shared_ = shared_ && each.is_start();
    }
  }

  Segment segment(std::size_t i) const { return extent_.segment(i); }

  /// Calls visit(cut) for each cut until one call fails.
  template <class Visit>
  Status each(const Visit& visit) const {
    const std::size_t segments = extent_.segments();
    for (std::size_t group = 0; group < (shared_ ? 1 : segments); ++group) {
      const std::size_t last = shared_ ? segments : group + 1;
      std::size_t longest = 0;
      for (std::size_t i = group; i < last; ++i) longest = std::max(longest, segment(i).count);
      for (std::size_t token = 0; token < longest; token += longest_cut_) {
        const Cut cut{token,           std::min(longest_cut_, longest - token),
                      group,           last,
                      segment(group),  extent_.batch,
                      extent_.sequence};
        ROPEWALK_TRY(visit(cut));
      }
    }
    return {};
  }

 private:
  Extent extent_;
  std::size_t longest_cut_;
  bool shared_ = true;
};

}  // namespace ropewalk
