#pragma once

// The position axes of a rope: which axis feeds which pair, and which channels make the pairs of a section.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ropewalk/rope.hpp"
#include "ropewalk/status.hpp"

namespace ropewalk {

inline constexpr std::size_t most_axes = 8;

struct AxisPlan {
  std::size_t axes = 1;
  /// How many pairs each axis feeds; of one axis, all.
  std::array<std::size_t, most_axes> sections{};
  /// The axis of each of the d/2 pairs. Empty with one axis or where every axis rotates every pair.
  std::vector<std::uint8_t> axis_of;
  /// Every axis rotates every pair, and their angles add up.
  bool mixed = false;
};

/// Errors: sections that do not add up, an order that does not fit them.
Result<AxisPlan> plan_axes(const RopeOptions& options, std::size_t pairs);

/// Channels of a head that one call of a kernel rotates: pairs `first_pair` and following, paired among themselves.
struct Window {
  /// First channel, and channels, those that pass included.
  std::size_t begin, channels;
  /// First rotated channel, from `begin`.
  std::size_t offset;
  std::size_t first_pair, pairs;
};

/// The windows of a head, which together cover all its channels once: one, or with Axes::PairWithin::section one for
/// each section.
struct Windows {
  std::size_t head_dim = 0, rotary_offset = 0;
  /// Pairs of each window.
  std::array<std::size_t, most_axes> sections{};
  std::size_t count = 1;

  Window at(std::size_t i) const {
    std::size_t first = 0;
    for (std::size_t before = 0; before < i; ++before) first += sections[before];
    // Channels that pass lie in the first and the last window.
    const std::size_t begin = i == 0 ? 0 : rotary_offset + 2 * first;
    const std::size_t end = i + 1 == count ? head_dim : rotary_offset + 2 * (first + sections[i]);
    return {begin, end - begin, i == 0 ? rotary_offset : 0, first, sections[i]};
  }
  bool operator==(const Windows&) const = default;
};

/// Errors: PairWithin::section where it means nothing.
Result<Windows> windows_of(const RopeOptions& options, std::size_t pairs, const AxisPlan& plan);

}  // namespace ropewalk
