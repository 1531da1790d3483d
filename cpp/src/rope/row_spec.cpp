#include "rope/row_spec.hpp"

#include <cmath>

#include "base/elementary.hpp"
#include "base/text.hpp"
#include "rope/axes.hpp"
#include "rope/frequencies/derive.hpp"

namespace ropewalk {
namespace {

/// Applies the rule to each section separately and assigns the results to the pairs of its axis.
Status restart(const RopeOptions& options, const AxisPlan& plan, RowSpec& spec) {
  const std::size_t pairs = plan.axis_of.size();
  spec.theta.resize(pairs);
  spec.theta_float32.resize(pairs);
  for (std::size_t axis = 0; axis < plan.axes; ++axis) {
    const std::size_t d = 2 * plan.sections[axis];
    if (d == 0) continue;
    ROPEWALK_LET(section, derive(options.frequencies, {.head_dim = d, .rotary_dim = d}));
    if (section.theta.size() != d / 2) {
      return out_of_range("rope", "axes.restart_frequencies", "true",
                          "false, where heads have frequencies of their own");
    }
    spec.magnitude = section.magnitude;
    for (std::size_t j = 0, i = 0; j < pairs; ++j) {
      if (plan.axis_of[j] != axis) continue;
      spec.theta[j] = section.theta[i];
      spec.theta_float32[j] = section.theta_float32[i++];
    }
  }
  return {};
}

Status check_query_scale(const QueryScale& given) {
  if (!(given.scale >= 0) || std::isinf(given.scale)) {
    return out_of_range("rope", "query_scale.scale", given.scale, "a finite number of at least 0");
  }
  if (!(given.length > 0) || std::isinf(given.length)) {
    return out_of_range("rope", "query_scale.length", given.length, "a finite number above 0");
  }
  if (given.offset > 1) return out_of_range("rope", "query_scale.offset", given.offset, "0 or 1");
  return {};
}

Status add_xpos(const XPos& xpos, std::size_t rotary_dim, RowSpec& spec) {
  if (!(xpos.scale_base > 0) || std::isinf(xpos.scale_base)) {
    return out_of_range("rope", "xpos.scale_base", xpos.scale_base, "a finite number above 0");
  }
  if (!std::isfinite(xpos.centre)) return out_of_range("rope", "xpos.centre", xpos.centre, "a finite number");
  spec.xpos = xpos;
  const double d = static_cast<double>(rotary_dim);
  for (std::size_t j = 0; j < rotary_dim / 2; ++j) {
    spec.log2_zeta.push_back(binary_log((2 * static_cast<double>(j) + 0.4 * d) / (1.4 * d)));
  }
  return {};
}

}  // namespace

Result<RowSpec> make_row_spec(const RopeOptions& options, std::size_t rotary_dim) {
  const std::size_t pairs = rotary_dim / 2;
  ROPEWALK_LET(plan, plan_axes(options, pairs));
  RowSpec spec;
  spec.angles = options.angles;
  spec.axes = plan.axes;
  spec.mixed = plan.mixed;
  if (options.axes && options.axes->restart_frequencies && !spec.mixed) {
    ROPEWALK_TRY(restart(options, plan, spec));
  } else {
    ROPEWALK_LET(d, derive(options.frequencies, {options.head_dim, rotary_dim}));
    spec.theta = std::move(d.theta);
    spec.theta_float32 = std::move(d.theta_float32);
    spec.magnitude = d.magnitude;
  }
  if (spec.mixed && spec.theta.size() % (spec.axes * pairs) != 0) {
    return out_of_range(
        "rope", "axes.sections", sentence({spec.axes, " sections of all pairs"}),
        "with every pair on every axis, a custom rule of axes * rotary_dim/2 frequencies, or axes * "
        "heads * rotary_dim/2");
  }
  // The entries of each head use the axes of their pairs.
  for (std::size_t j = 0; !plan.axis_of.empty() && j < spec.theta.size(); ++j) {
    spec.axis_of.push_back(plan.axis_of[j % pairs]);
  }
  if (options.xpos) {
    ROPEWALK_TRY(add_xpos(*options.xpos, rotary_dim, spec));
  }
  if (options.query_scale) {
    ROPEWALK_TRY(check_query_scale(*options.query_scale));
    spec.query_scale = options.query_scale;
  }
  return spec;
}

}  // namespace ropewalk
