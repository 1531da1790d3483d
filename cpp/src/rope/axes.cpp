#include "rope/axes.hpp"

#include <algorithm>
#include <string>

#include "base/text.hpp"

namespace ropewalk {
namespace {

std::string list(const std::vector<std::size_t>& numbers) {
  std::string text = "[";
  for (std::size_t i = 0; i < numbers.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(numbers[i]);
  return text + "]";
}

Status refuse_sections(const Axes& axes, std::string_view allowed) {
  return out_of_range("rope", "axes.sections", list(axes.sections), allowed);
}

bool is_mixed(const std::vector<std::size_t>& sections, std::size_t pairs) {
  return sections.size() > 1 &&
         std::ranges::all_of(sections, [&](std::size_t each) { return each == pairs; });
}

/// The axis of each pair, as given; the sections follow.
Status assign_list(const Axes& axes, AxisPlan& plan) {
  const std::vector<std::size_t>& order = axes.order.list;
  const std::size_t pairs = plan.axis_of.size();
  bool sound = order.size() == pairs;
  for (std::size_t j = 0; sound && j < pairs; ++j) {
    sound = order[j] < most_axes;
    if (!sound) break;
    ++plan.sections[order[j]];
    plan.axis_of[j] = static_cast<std::uint8_t>(order[j]);
    plan.axes = std::max(plan.axes, order[j] + 1);
  }
  if (!sound) {
    return out_of_range("rope", "axes.order", list(order),
                        sentence({"the axis, 0 to 7, of each of ", pairs, " pairs"}));
  }
  return axes.sections.empty() ? Status() : refuse_sections(axes, "none beside a list in `axes.order`");
}

/// Axis a >= 1 of n takes the pairs a, a + n, a + 2n, ..., and the first axis all others; chunked, each takes the next.
Status assign_sections(const Axes& axes, AxisPlan& plan) {
  const std::size_t pairs = plan.axis_of.size();
  const bool chunked = axes.order.word == Axes::Order::chunked;
  // Subtracting from the remainder cannot wrap around, but a sum of the sections could.
  std::size_t left = pairs, next = 0;
  for (std::size_t section : plan.sections) left = section > left ? pairs + 1 : left - section;
  if (left != 0) {
    return refuse_sections(
        axes, sentence({"sections that add up to rotary_dim/2 = ", pairs, ", or are each that many"}));
  }
  for (std::size_t axis = 0; axis < plan.axes; ++axis) {
    for (std::size_t i = 0; i < plan.sections[axis] && (chunked || axis > 0); ++i) {
      const std::size_t j = chunked ? next++ : axis + i * plan.axes;
      if (j >= pairs) {
        return refuse_sections(axes, sentence({"with order \"interleaved\", sections whose pairs axis + i * ",
                                               plan.axes, " stay below rotary_dim/2 = ", pairs}));
      }
      plan.axis_of[j] = static_cast<std::uint8_t>(axis);
    }
  }
  return {};
}

}  // namespace

Result<AxisPlan> plan_axes(const RopeOptions& options, std::size_t pairs) {
  AxisPlan plan;
  plan.sections[0] = pairs;
  if (!options.axes) return plan;
  const Axes& axes = *options.axes;
  const bool listed = !axes.order.list.empty();
  if (!listed) {
    if (axes.sections.empty() || axes.sections.size() > most_axes)
      return refuse_sections(axes, "1 to 8 sections");
    plan.axes = axes.sections.size();
    std::ranges::copy(axes.sections, plan.sections.begin());
    plan.mixed = is_mixed(axes.sections, pairs);
    if (plan.mixed) return plan;
  } else {
    plan.sections[0] = 0;
  }
  plan.axis_of.assign(pairs, 0);
  ROPEWALK_TRY(listed ? assign_list(axes, plan) : assign_sections(axes, plan));
  return plan;
}

Result<Windows> windows_of(const RopeOptions& options, std::size_t pairs, const AxisPlan& plan) {
  Windows windows{options.head_dim, options.rotary_offset, {pairs}};
  if (!options.axes || options.axes->pair_within == Axes::PairWithin::head) return windows;
  if (plan.mixed || options.pairing != Pairing::half || !(options.axes->order == Axes::Order::chunked)) {
    return out_of_range("rope", "axes.pair_within", "\"section\"",
                        "\"head\", except with half pairing in chunked sections");
  }
  windows.sections = plan.sections;
  windows.count = plan.axes;
  return windows;
}

}  // namespace ropewalk
