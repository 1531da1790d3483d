#pragma once

// The part of a rope that analysis needs: the sinusoids of one head.

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "rope/axes.hpp"
#include "ropewalk/rope.hpp"
#include "ropewalk/status.hpp"

namespace ropewalk::analysis {

/// Pair j contributes growth_j^n e^{i n theta_j} at distance n.
struct Strand {
  std::size_t head_dim = 0, rotary_offset = 0;
  /// The two channels of a pair inside a head, [d/2].
  struct Channels {
    std::size_t first, second;
  };
  std::vector<Channels> channels;
  /// [d/2]. Mixed axes are summed, because the distance is the same on each.
  std::vector<double> theta;
  /// ln zeta_j / scale_base, [d/2]. Empty without xPos.
  std::vector<double> log_growth;
  double magnitude = 1;
  /// The term that all theta_j share: alpha / 10000^rho, or 0.
  double phi = 0;

  std::size_t pairs() const { return theta.size(); }
  double growth(std::size_t j, double n) const;
};

/// Checks the options as Rope::make does, and that head number `head` exists.
Result<Strand> strand_of(std::string_view function, const RopeOptions& options, std::size_t head);

/// Rejects distances whose angles float64 cannot represent, and results that do not fit in memory.
Status check_distances(std::string_view function, const Strand& strand, std::span<const double> distances);

}  // namespace ropewalk::analysis
