#pragma once

// Describes the entries of a table row: the numbers to which all rules, axes and xPos reduce.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "ropewalk/rope.hpp"
#include "ropewalk/status.hpp"

namespace ropewalk {

struct RowSpec {
  /// [(heads or 1) * d/2]; with mixed axes that many for each axis, axis-major.
  std::vector<double> theta;
  std::vector<float> theta_float32;
  double magnitude = 1;
  Angles angles = Angles::exact;

  std::size_t axes = 1;
  /// The axis of each entry, [width()]. Empty with one axis or with mixed axes.
  std::vector<std::uint8_t> axis_of;
  /// Every axis rotates every pair.
  bool mixed = false;

  /// log2 zeta_j per pair, [d/2]. Empty without xPos.
  std::vector<double> log2_zeta;
  XPos xpos;
  std::optional<QueryScale> query_scale;

  std::size_t width() const { return mixed ? theta.size() / axes : theta.size(); }
  friend bool same_angles(const RowSpec& a, const RowSpec& b) {
    return a.theta == b.theta && a.axis_of == b.axis_of && a.mixed == b.mixed && a.axes == b.axes &&
           a.log2_zeta == b.log2_zeta && a.xpos.scale_base == b.xpos.scale_base &&
           a.xpos.centre == b.xpos.centre;
  }
};

Result<RowSpec> make_row_spec(const RopeOptions& options, std::size_t rotary_dim);

}  // namespace ropewalk
