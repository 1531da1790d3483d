#pragma once

// The options of a rope, except for its rule of theta_j.

#include <string_view>
#include <tuple>

#include "options/frequencies.hpp"
#include "options/read.hpp"
#include "ropewalk/rope.hpp"

namespace ropewalk::options {

template <>
inline constexpr std::string_view words_of<Pairing>[2] = {"interleaved", "half"};
template <>
inline constexpr std::string_view words_of<Angles>[2] = {"exact", "float32"};
template <>
inline constexpr std::string_view words_of<Axes::Order>[2] = {"chunked", "interleaved"};
template <>
inline constexpr std::string_view words_of<Axes::PairWithin>[2] = {"head", "section"};

/// A word, or a list.
inline Status read(const json::Value& value, const Place& place, Axes::PairOrder& out) {
  return value.kind == json::Kind::array ? read(value, place, out.list) : read(value, place, out.word);
}

template <>
struct Describe<Axes> {
  static constexpr std::string_view owner = "`axes`";
  static constexpr auto fields = std::tuple(
      optional("sections", &Axes::sections,
               {.says = "How many pairs each axis feeds: d/2 in all, or d/2 each, whose angles add up.",
                .otherwise = "from `order`, which then is a list"}),
      optional("order", &Axes::order,
               {.says = "'chunked': the pairs of the first section, then those of the second. 'interleaved': "
                        "axis a of n takes the pairs a, a + n, a + 2n, ... Or a list with the axis of each "
                        "pair."}),
      optional(
          "pair_within", &Axes::pair_within,
          {.says = "Where pairing 'half' has a channel's partner: in the rotated part of the head, or in "
                   "the section of its axis."}),
      optional("restart_frequencies", &Axes::restart_frequencies,
               {.says = "Each section starts the rule anew."}));
};

template <>
struct Describe<XPos> {
  static constexpr std::string_view owner = "`xpos`";
  static constexpr auto fields =
      std::tuple(optional("scale_base", &XPos::scale_base, {.says = "Positions per factor of zeta_j."}),
                 optional("centre", &XPos::centre, {.says = "The position whose scale is 1."}));
};

template <>
struct Describe<QueryScale> {
  static constexpr std::string_view owner = "`query_scale`";
  static constexpr auto fields =
      std::tuple(required("scale", &QueryScale::scale,
                          {.range = at_least(0), .says = "Growth for each factor e of the position."}),
                 required("length", &QueryScale::length,
                          {.range = above(0), .says = "Positions in which the scale does not change."}),
                 optional("offset", &QueryScale::offset,
                          {.range = between(0, 1), .says = "Llama 4 counts from 1, Ministral 3 from 0."}));
};

template <>
struct Describe<RopeOptions> {
  using R = RopeOptions;
  static constexpr std::string_view owner = "every rope";
  static constexpr auto fields = std::tuple(
      required("head_dim", &R::head_dim, {.range = at_least(1), .says = "D, channels of a head."}),
      optional("rotary_dim", &R::rotary_dim,
               {.range = at_least(2),
                .says = "d: the first d channels of the window rotate, the others pass through. Even.",
                .otherwise = "headDim"}),
      optional("rotary_offset", &R::rotary_offset,
               {.says = "Where the rotated window starts inside the head."}),
      optional(
          "pairing", &R::pairing,
          {.says =
               "'interleaved': channels (2j, 2j+1), as RoFormer and GPT-J. 'half': (j, j + d/2), as Hugging "
               "Face's Llama and GPT-NeoX."}),
      optional("frequencies", &R::frequencies, {.says = "The rule of theta_j."}),
      optional("axes", &R::axes, {.says = "Several position axes: M-RoPE, images, video."}),
      optional("xpos", &R::xpos, {.says = "Scores that decay with distance."}),
      optional("query_scale", &R::query_scale, {.says = "Queries that grow with their position."}),
      optional(
          "angles", &R::angles,
          {.says =
               "'exact': angles in float64, cos and sin correct to 1 ulp of float32. 'float32': angles in "
               "float32 as PyTorch implementations compute them."}));
};

}  // namespace ropewalk::options
