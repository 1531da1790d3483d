#pragma once

// The options of a rope, except for its rule of theta_j.

#include <string_view>
#include <tuple>

#include "options/frequencies.hpp"
#include "ropewalk/rope.hpp"

namespace ropewalk::options {

template <>
inline constexpr std::string_view words_of<Pairing>[2] = {"interleaved", "half"};
template <>
inline constexpr std::string_view words_of<Angles>[2] = {"exact", "float32"};
template <>
inline constexpr std::string_view words_of<Axes::Order>[2] = {"chunked", "interleaved"};

template <>
struct Describe<Axes> {
  static constexpr std::string_view owner = "`axes`";
  static constexpr auto fields = std::tuple(
      required("sections", &Axes::sections,
               {.says = "How many pairs each axis feeds: d/2 in all, or d/2 each, whose angles add up."}),
      optional("order", &Axes::order,
               {.says = "'chunked': the pairs of the first section, then those of the second. 'interleaved': "
                        "axis a of "
                        "n takes the pairs a, a + n, a + 2n, ..."}),
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
      optional(
          "angles", &R::angles,
          {.says =
               "'exact': angles in float64, cos and sin correct to 1 ulp of float32. 'float32': angles in "
               "float32 as PyTorch implementations compute them."}));
};

}  // namespace ropewalk::options
