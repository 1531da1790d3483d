#include "rope/row_spec.hpp"

#include <cmath>
#include <string>

#include "base/elementary.hpp"
#include "base/text.hpp"
#include "rope/frequencies/derive.hpp"

namespace ropewalk {
namespace {

std::string list(const std::vector<std::size_t>& numbers) {
  std::string text = "[";
  for (std::size_t i = 0; i < numbers.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(numbers[i]);
  return text + "]";
}

bool is_mixed(const std::vector<std::size_t>& sections, std::size_t pairs) {
  if (sections.size() < 2) return false;
  for (std::size_t section : sections) {
    if (section != pairs) return false;
  }
  return true;
}

/// The axis of each pair.
Status assign_axes(const Axes& axes, std::size_t pairs, std::vector<std::uint8_t>& axis_of) {
  const std::size_t count = axes.sections.size();
  const std::string allowed =
      "sections that add up to rotary_dim/2 = " + std::to_string(pairs) + ", or are each that many";
  // Subtracting from the remainder cannot wrap around, but a sum of the sections could.
  std::size_t left = pairs;
  for (std::size_t section : axes.sections) {
    if (section > left) return out_of_range("rope", "axes.sections", list(axes.sections), allowed);
    left -= section;
  }
  if (left != 0) return out_of_range("rope", "axes.sections", list(axes.sections), allowed);
  axis_of.assign(pairs, 0);
  if (axes.order == Axes::Order::chunked) {
    std::size_t j = 0;
    for (std::size_t axis = 0; axis < count; ++axis) {
      for (std::size_t i = 0; i < axes.sections[axis]; ++i) axis_of[j++] = static_cast<std::uint8_t>(axis);
    }
    return {};
  }
  for (std::size_t axis = 1; axis < count; ++axis) {
    for (std::size_t i = 0; i < axes.sections[axis]; ++i) {
      const std::size_t j = axis + i * count;
      if (j >= pairs) {
        return out_of_range("rope", "axes.sections", list(axes.sections),
                            sentence({"with order \"interleaved\", sections whose pairs axis + i * ", count,
                                      " stay below rotary_dim/2 = ", pairs}));
      }
      axis_of[j] = static_cast<std::uint8_t>(axis);
    }
  }
  return {};
}

/// Applies the rule to each section separately and assigns the results to the pairs of its axis.
Status restart(const RopeOptions& options, std::size_t pairs, RowSpec& spec) {
  spec.theta.resize(pairs);
  spec.theta_float32.resize(pairs);
  for (std::size_t axis = 0; axis < options.axes->sections.size(); ++axis) {
    const std::size_t d = 2 * options.axes->sections[axis];
    if (d == 0) continue;
    Result<DerivedFrequencies> derived = derive(options.frequencies, {.head_dim = d, .rotary_dim = d});
    if (!derived.ok()) return derived.status();
    const DerivedFrequencies& section = derived.value();
    if (section.theta.size() != d / 2) {
      return out_of_range("rope", "axes.restart_frequencies", "true",
                          "false, where heads have frequencies of their own");
    }
    spec.magnitude = section.magnitude;
    for (std::size_t j = 0, i = 0; j < pairs; ++j) {
      if (spec.axis_of[j] != axis) continue;
      spec.theta[j] = section.theta[i];
      spec.theta_float32[j] = section.theta_float32[i++];
    }
  }
  return {};
}

Status add_axes(const RopeOptions& options, std::size_t pairs, RowSpec& spec) {
  const Axes& axes = *options.axes;
  spec.axes = axes.sections.size();
  if (spec.axes == 0 || spec.axes > 8) {
    return out_of_range("rope", "axes.sections", list(axes.sections), "1 to 8 sections");
  }
  spec.mixed = is_mixed(axes.sections, pairs);
  if (spec.mixed) return {};
  return assign_axes(axes, pairs, spec.axis_of);
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
  RowSpec spec;
  spec.angles = options.angles;
  if (options.axes) {
    if (Status s = add_axes(options, pairs, spec); !s.ok()) return s;
  }
  if (options.axes && options.axes->restart_frequencies && !spec.mixed) {
    if (Status s = restart(options, pairs, spec); !s.ok()) return s;
  } else {
    Result<DerivedFrequencies> derived = derive(options.frequencies, {options.head_dim, rotary_dim});
    if (!derived.ok()) return derived.status();
    DerivedFrequencies& d = derived.value();
    spec.theta = std::move(d.theta);
    spec.theta_float32 = std::move(d.theta_float32);
    spec.magnitude = d.magnitude;
  }
  if (spec.mixed && spec.theta.size() % (spec.axes * pairs) != 0) {
    return out_of_range(
        "rope", "axes.sections", list(options.axes->sections),
        "with every pair on every axis, a custom rule of axes * rotary_dim/2 frequencies, or axes * "
        "heads * rotary_dim/2");
  }
  // The entries of each head use the axes of their pairs.
  if (!spec.axis_of.empty()) {
    for (std::size_t j = pairs; j < spec.theta.size(); ++j) spec.axis_of.push_back(spec.axis_of[j - pairs]);
  }
  if (options.xpos) {
    if (Status s = add_xpos(*options.xpos, rotary_dim, spec); !s.ok()) return s;
  }
  return spec;
}

}  // namespace ropewalk
