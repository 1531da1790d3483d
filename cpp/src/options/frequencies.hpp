#pragma once

// The rules of theta_j. A rule is its struct in ropewalk/frequencies.hpp, its table here and its file in
// rope/frequencies/, which defines derive() and describe(). derive() fills `out` from a rule whose numbers are in their
// ranges, or says which do not agree. describe() says what an accepted rule does. `original` is the member that holds the
// length the rule was made to go beyond.

#include <string_view>
#include <tuple>

#include "options/option.hpp"
#include "ropewalk/frequencies.hpp"
#include "ropewalk/status.hpp"

namespace ropewalk {
struct RotaryDimensions;
struct DerivedFrequencies;
struct RuleDescription;
}  // namespace ropewalk

namespace ropewalk::options {

namespace words {

inline constexpr Words base{.range = above(0), .label = "base", .says = "The base of the powers."};
inline constexpr Words factor{.range = at_least(1),
                              .label = "factor",
                              .says = "How many times longer the context becomes.",
                              .example = 8};
inline constexpr Words original{.range = at_least(1),
                                .label = "original length",
                                .says = "Positions of the context that the model was trained on.",
                                .example = 8192};
inline constexpr Words length{.range = at_least(0),
                              .label = "sequence length",
                              .says = "Tokens of the sequence that is rotated.",
                              .example = 32768};
inline constexpr Words attention{.range = above(0),
                                 .label = "attention scaling",
                                 .says = "The magnitude, instead of the one that the factor gives.",
                                 .otherwise = "by factor"};

}  // namespace words

template <>
struct Describe<frequencies::Default> {
  using R = frequencies::Default;
  static constexpr std::string_view type = "default", structure = "Default", label = "no scaling";
  static constexpr std::string_view formula = "theta_j = base^(-2j/d)";
  static constexpr std::string_view says = "Frequencies fall by a constant ratio from pair to pair.";
  static constexpr std::string_view source = "RoFormer, arXiv 2104.09864, section 3.2.2";
  static constexpr auto fields = std::tuple(optional("base", &R::base, words::base));
  static Status derive(const R& rule, const RotaryDimensions& dimensions, DerivedFrequencies& out);
  static void describe(const R& rule, const RotaryDimensions& dimensions, RuleDescription& out);
};

template <>
struct Describe<frequencies::Linear> {
  using R = frequencies::Linear;
  static constexpr std::string_view type = "linear", structure = "Linear", label = "linear";
  static constexpr std::string_view formula = "theta_j = base^(-2j/d) / factor";
  static constexpr std::string_view says =
      "Position interpolation: every pair is slowed down alike, also those that tell neighbours apart.";
  static constexpr std::string_view source = "arXiv 2306.15595";
  static constexpr auto fields =
      std::tuple(optional("base", &R::base, words::base), required("factor", &R::factor, words::factor));
  static Status derive(const R& rule, const RotaryDimensions& dimensions, DerivedFrequencies& out);
  static void describe(const R& rule, const RotaryDimensions& dimensions, RuleDescription& out);
};

template <>
struct Describe<frequencies::Ntk> {
  using R = frequencies::Ntk;
  static constexpr std::string_view type = "ntk", structure = "Ntk", label = "NTK-aware";
  static constexpr std::string_view formula = "theta_j = b^(-2j/d), b = base * factor^(d/(d-2))";
  static constexpr std::string_view says =
      "A larger base: the fastest pair keeps its frequency, the slowest is divided by the factor.";
  static constexpr std::string_view source = "bloc97, 2023";
  static constexpr auto fields =
      std::tuple(optional("base", &R::base, words::base), required("factor", &R::factor, words::factor));
  static Status derive(const R& rule, const RotaryDimensions& dimensions, DerivedFrequencies& out);
  static void describe(const R& rule, const RotaryDimensions& dimensions, RuleDescription& out);
};

template <>
struct Describe<frequencies::NtkSu> {
  using R = frequencies::NtkSu;
  static constexpr std::string_view type = "ntk-su", structure = "NtkSu", label = "NTK, Su's form";
  static constexpr std::string_view formula = "theta_j = (base * factor)^(-2j/d) * factor^(-2/d)";
  static constexpr std::string_view says =
      "A larger base and a divisor for all pairs: the slowest is divided by the factor, and the fastest "
      "changes as well.";
  static constexpr std::string_view source = "Su Jianlin, 2023, as GTE";
  static constexpr auto fields =
      std::tuple(optional("base", &R::base, words::base), required("factor", &R::factor, words::factor));
  static Status derive(const R& rule, const RotaryDimensions& dimensions, DerivedFrequencies& out);
  static void describe(const R& rule, const RotaryDimensions& dimensions, RuleDescription& out);
};

template <>
struct Describe<frequencies::NtkMixed> {
  using R = frequencies::NtkMixed;
  static constexpr std::string_view type = "ntk-mixed", structure = "NtkMixed", label = "NTK, mixed";
  static constexpr std::string_view formula =
      "theta_j = base^(-2j/d) / exp(a (j + 1)^mixed_b), a = ln(factor) / (d/2)^mixed_b";
  static constexpr std::string_view says =
      "Every pair is divided by more than the one before, the slowest by the factor. The exponent says how "
      "evenly.";
  static constexpr std::string_view source = "Su Jianlin, 2023, as GTE";
  static constexpr auto fields =
      std::tuple(optional("base", &R::base, words::base), required("factor", &R::factor, words::factor),
                 required("mixed_b", &R::mixed_b,
                          {.range = above(0),
                           .label = "exponent b",
                           .says = "How unevenly the pairs are divided; 1 is 'ntk-su', GTE takes 0.625.",
                           .example = 0.625}));
  static Status derive(const R& rule, const RotaryDimensions& dimensions, DerivedFrequencies& out);
  static void describe(const R& rule, const RotaryDimensions& dimensions, RuleDescription& out);
};

template <>
struct Describe<frequencies::Dynamic> {
  using R = frequencies::Dynamic;
  static constexpr std::string_view type = "dynamic", structure = "Dynamic", label = "dynamic NTK";
  static constexpr std::string_view formula =
      "theta_j as 'ntk', whose factor is factor * L / max_positions - (factor - 1) for L = "
      "max(sequence_length, max_positions)";
  static constexpr std::string_view says =
      "NTK-aware scaling whose factor follows the sequence length. Nothing changes up to the trained "
      "length.";
  static constexpr std::string_view source = "emozilla, 2023";
  static constexpr auto fields = std::tuple(
      optional("base", &R::base, words::base), required("factor", &R::factor, words::factor),
      required(
          "max_positions", &R::max_positions,
          {.range = at_least(1), .label = "trained length", .says = words::original.says, .example = 8192}),
      required("sequence_length", &R::sequence_length, words::length));
  static constexpr double R::* original = &R::max_positions;
  static Status derive(const R& rule, const RotaryDimensions& dimensions, DerivedFrequencies& out);
  static void describe(const R& rule, const RotaryDimensions& dimensions, RuleDescription& out);
};

template <>
struct Describe<frequencies::Yarn> {
  using R = frequencies::Yarn;
  static constexpr std::string_view type = "yarn", structure = "Yarn", label = "YaRN";
  static constexpr std::string_view formula = "theta_j = base^(-2j/d) (1 - ramp_j + ramp_j / factor)";
  static constexpr std::string_view says =
      "Pairs that turned often in training keep their frequency, those that never did are divided by "
      "the factor, and those in between are blended. Scores are scaled as well.";
  static constexpr std::string_view source = "YaRN, arXiv 2309.00071";
  static constexpr auto fields = std::tuple(
      optional("base", &R::base, {.range = above(1), .label = words::base.label, .says = words::base.says}),
      required("factor", &R::factor, words::factor),
      required("original_max_positions", &R::original_max_positions, words::original),
      optional("beta_fast", &R::beta_fast,
               {.label = "\u03b2 fast, turns",
                .says = "A pair that turns more often than this within the original length is kept."}),
      optional("beta_slow", &R::beta_slow,
               {.range = above(0),
                .label = "\u03b2 slow, turns",
                .says = "A pair that turns less often than this within the original length is divided by the "
                        "factor."}),
      optional("attention_factor", &R::attention_factor, words::attention),
      optional(
          "mscale", &R::mscale,
          {.range = at_least(0),
           .label = "mscale",
           .says = "With mscale_all_dim: the magnitude is (0.1 mscale ln(factor) + 1) / (0.1 mscale_all_dim "
                   "ln(factor) + 1).",
           .otherwise = "none"}),
      optional("mscale_all_dim", &R::mscale_all_dim,
               {.range = at_least(0), .label = "mscale, all", .says = "See mscale.", .otherwise = "none"}),
      optional("truncate", &R::truncate,
               {.label = "ramp from whole pair to whole pair",
                .says = "Rounds the ends of the ramp outwards to whole pairs."}));
  static constexpr double R::* original = &R::original_max_positions;
  static Status derive(const R& rule, const RotaryDimensions& dimensions, DerivedFrequencies& out);
  static void describe(const R& rule, const RotaryDimensions& dimensions, RuleDescription& out);
};

template <>
struct Describe<frequencies::LongRope> {
  using R = frequencies::LongRope;
  static constexpr std::string_view type = "longrope", structure = "LongRope", label = "LongRoPE";
  static constexpr std::string_view formula = "theta_j = base^(-2j/d) / divisor_j";
  static constexpr std::string_view says =
      "Every pair has a divisor of its own, found by search: the short ones up to the original length, "
      "the long ones beyond.";
  static constexpr std::string_view source = "LongRoPE, arXiv 2402.13753";
  static constexpr auto fields =
      std::tuple(optional("base", &R::base, words::base),
                 required("short_factor", &R::short_factor,
                          {.range = above(0),
                           .label = "short divisors, d/2",
                           .says = "The divisors up to the original length."}),
                 required("long_factor", &R::long_factor,
                          {.range = above(0),
                           .label = "long divisors, d/2",
                           .says = "The divisors beyond the original length."}),
                 required("original_max_positions", &R::original_max_positions,
                          {.range = at_least(2),
                           .label = words::original.label,
                           .says = words::original.says,
                           .example = words::original.example}),
                 required("sequence_length", &R::sequence_length, words::length),
                 optional("factor", &R::factor,
                          {.range = above(0),
                           .label = "factor",
                           .says = "How far the context was extended: the magnitude is sqrt(1 + ln(factor) / "
                                   "ln(original_max_positions)).",
                           .otherwise = "none"}),
                 optional("attention_factor", &R::attention_factor, words::attention));
  static constexpr double R::* original = &R::original_max_positions;
  static Status derive(const R& rule, const RotaryDimensions& dimensions, DerivedFrequencies& out);
  static void describe(const R& rule, const RotaryDimensions& dimensions, RuleDescription& out);
};

template <>
struct Describe<frequencies::Llama3> {
  using R = frequencies::Llama3;
  static constexpr std::string_view type = "llama3", structure = "Llama3", label = "Llama 3";
  static constexpr std::string_view says =
      "Keeps short wavelengths, stretches long ones by the factor, and blends in between.";
  static constexpr std::string_view source = "Llama 3.1";
  static constexpr auto fields = std::tuple(
      optional("base", &R::base,
               {.range = above(0), .label = words::base.label, .says = words::base.says, .example = 500000}),
      required("factor", &R::factor, words::factor),
      required(
          "low_frequency_factor", &R::low_frequency_factor,
          {.range = above(0),
           .label = "low-frequency factor",
           .says =
               "A pair that turns less often than this within the original length is divided by the factor.",
           .example = 1}),
      required("high_frequency_factor", &R::high_frequency_factor,
               {.label = "high-frequency factor",
                .says = "A pair that turns more often than this within the original length is kept.",
                .example = 4}),
      required("original_max_positions", &R::original_max_positions, words::original));
  static constexpr double R::* original = &R::original_max_positions;
  static Status derive(const R& rule, const RotaryDimensions& dimensions, DerivedFrequencies& out);
  static void describe(const R& rule, const RotaryDimensions& dimensions, RuleDescription& out);
};

template <>
struct Describe<frequencies::Proportional> {
  using R = frequencies::Proportional;
  static constexpr std::string_view type = "proportional", structure = "Proportional", label = "proportional";
  static constexpr std::string_view formula =
      "theta_j = base^(-2j/D) / factor for the first pairs, 0 for the others, D the head dimension";
  static constexpr std::string_view says =
      "Only the first pairs rotate. The others stand still and can carry meaning at every distance.";
  static constexpr std::string_view source = "p-RoPE, arXiv 2410.06205, as Gemma";
  static constexpr auto fields =
      std::tuple(optional("base", &R::base, words::base),
                 required("fraction", &R::fraction,
                          {.range = {.low = 0, .high = 1, .above = true},
                           .label = "fraction that rotates",
                           .says = "The part of the head's pairs that rotates.",
                           .example = 0.25}),
                 optional("factor", &R::factor,
                          {.range = above(0), .label = "factor", .says = "Divides the frequencies."}));
  static Status derive(const R& rule, const RotaryDimensions& dimensions, DerivedFrequencies& out);
  static void describe(const R& rule, const RotaryDimensions& dimensions, RuleDescription& out);
};

template <>
struct Describe<frequencies::ReceptiveField> {
  using R = frequencies::ReceptiveField;
  static constexpr std::string_view type = "receptive-field", structure = "ReceptiveField",
                                    label = "receptive field";
  static constexpr std::string_view formula = "theta*_j = alpha / 10000^rho + (1 - alpha) base^(-2j/d)";
  static constexpr std::string_view says =
      "All pairs share a frequency with weight alpha: how far a head looks becomes two numbers, which "
      "may differ from head to head.";
  static constexpr auto fields =
      std::tuple(optional("base", &R::base, words::base),
                 required("alpha", &R::alpha,
                          {.range = between(0, 1),
                           .label = "\u03b1",
                           .says = "The weight of the shared frequency.",
                           .example = 0.5}),
                 required("rho", &R::rho,
                          {.range = between(0, 64),
                           .label = "\u03c1",
                           .says = "The shared frequency is 10000^-rho radians per position.",
                           .example = 0.5}));
  static Status derive(const R& rule, const RotaryDimensions& dimensions, DerivedFrequencies& out);
  static void describe(const R& rule, const RotaryDimensions& dimensions, RuleDescription& out);
};

template <>
struct Describe<frequencies::Custom> {
  using R = frequencies::Custom;
  static constexpr std::string_view type = "custom", structure = "Custom", label = "custom";
  static constexpr std::string_view formula = "theta_j as given";
  static constexpr std::string_view says =
      "Explicit frequencies: d/2 of them, or heads * d/2 for frequencies of each head's own.";
  static constexpr auto fields = std::tuple(
      required("frequencies", &R::frequencies, {.label = "\u03b8, d/2", .says = "Radians per position."}),
      optional("magnitude", &R::magnitude, {.label = "magnitude", .says = "Multiplies cos and sin. Not 0."}));
  static Status derive(const R& rule, const RotaryDimensions& dimensions, DerivedFrequencies& out);
  static void describe(const R& rule, const RotaryDimensions& dimensions, RuleDescription& out);
};

}  // namespace ropewalk::options
