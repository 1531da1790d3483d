#pragma once

/// Rules for theta_j, in radians per position, and for the magnitude that multiplies cos and sin: one struct per
/// published rule. The file of that name in cpp/src/rope/frequencies describes each, with its source and valid range.

#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace ropewalk {
namespace frequencies {

/// theta_j = base^(-2j/d). RoFormer, arXiv 2104.09864, section 3.2.2.
struct Default {
  /// Base of the powers that the frequencies are, above 0.
  double base = 10000;
};

/// theta_j = base^(-2j/d) / factor: positions squeezed. Position interpolation, arXiv 2306.15595.
struct Linear {
  /// Base of the powers that the frequencies are, above 0.
  double base = 10000;
  /// How many times longer the context becomes.
  double factor = 1;
};

/// The base grown by factor^(d/(d-2)): the fastest pair keeps its frequency, the slowest is divided by factor.
struct Ntk {
  /// Base of the powers that the frequencies are, above 0.
  double base = 10000;
  /// How many times longer the context becomes.
  double factor = 1;
};

/// Ntk with a factor that follows the sequence length; nothing is scaled up to max_positions.
struct Dynamic {
  /// Base of the powers that the frequencies are, above 0.
  double base = 10000;
  /// How many times longer the context becomes.
  double factor = 1;
  /// Positions up to which nothing is scaled.
  double max_positions = 0;
  /// Tokens of the sequence that is rotated.
  double sequence_length = 0;
};

/// theta_j = (base * factor)^(-2j/d) * factor^(-2/d): a larger base, and the fastest pair changes as well. Su Jianlin;
/// what GTE calls "ntk".
struct NtkSu {
  /// Base of the powers that the frequencies are, above 0.
  double base = 10000;
  /// How many times longer the context becomes.
  double factor = 1;
};

/// theta_j = base^(-2j/d) / exp(a (j + 1)^mixed_b), a = ln(factor) / (d/2)^mixed_b. Su Jianlin; GTE's "ntk" with mixed_b.
struct NtkMixed {
  /// Base of the powers that the frequencies are, above 0.
  double base = 10000;
  /// How many times longer the context becomes.
  double factor = 1;
  /// Exponent of j + 1; the smaller it is, the more evenly the pairs share the factor.
  double mixed_b = 1;
};

/// Fast pairs keep their frequency, slow ones are divided by factor, a ramp between. YaRN, arXiv 2309.00071.
struct Yarn {
  /// Base of the powers that the frequencies are, above 0.
  double base = 10000;
  /// How many times longer the context becomes.
  double factor = 1;
  /// Positions that the model was trained with before it was extended.
  double original_max_positions = 0;
  /// Turns within original_max_positions above which a pair is kept, and below which it is divided by factor.
  double beta_fast = 32;
  /// As beta_fast, of the pairs that are divided by factor.
  double beta_slow = 1;
  /// The magnitude. Default: from mscale and mscale_all_dim where both are given, else 0.1 ln(factor) + 1.
  std::optional<double> attention_factor = std::nullopt;
  /// Factor of 0.1 ln(factor) in the magnitude.
  std::optional<double> mscale = std::nullopt;
  /// The same in what the magnitude is divided by.
  std::optional<double> mscale_all_dim = std::nullopt;
  /// Round the ends of the ramp to whole pairs.
  bool truncate = true;
};

/// theta_j divided by a factor of its own: the short ones up to original_max_positions, the long ones beyond.
/// LongRoPE, arXiv 2402.13753.
struct LongRope {
  /// Base of the powers that the frequencies are, above 0.
  double base = 10000;
  /// Divisors up to original_max_positions, d/2 of them.
  std::vector<double> short_factor;
  /// Divisors beyond it, d/2 of them.
  std::vector<double> long_factor;
  /// Positions that the model was trained with before it was extended.
  double original_max_positions = 0;
  /// Tokens of the sequence that is rotated.
  double sequence_length = 0;
  /// How far the context was extended; the magnitude is sqrt(1 + ln(factor) / ln(original_max_positions)).
  std::optional<double> factor = std::nullopt;
  /// The magnitude, instead of the one that factor gives.
  std::optional<double> attention_factor = std::nullopt;
};

/// Wavelengths below original_max_positions / high_frequency_factor are kept, those above original_max_positions /
/// low_frequency_factor grow by factor, a ramp in frequency between. Llama 3.1.
struct Llama3 {
  /// Base of the powers that the frequencies are, above 0.
  double base = 10000;
  /// How many times longer the context becomes.
  double factor = 8;
  /// Turns within original_max_positions below which a pair is divided by factor.
  double low_frequency_factor = 1;
  /// Turns within original_max_positions above which a pair is kept.
  double high_frequency_factor = 4;
  /// Positions that the model was trained with before it was extended.
  double original_max_positions = 8192;
};

/// The first `fraction` of the head's pairs turn, at base^(-2j/D) / factor, D the head dimension; the others stand
/// still. Gemma.
struct Proportional {
  /// Base of the powers that the frequencies are, above 0.
  double base = 10000;
  /// Share of the pairs that turn, from 0 to 1.
  double fraction = 1;
  /// Divisor of all frequencies.
  double factor = 1;
};

/// One number for all heads, or one for each.
struct PerHead {
  /// One value, or one for each head.
  std::vector<double> values;
  /// One value for all heads.
  PerHead(double value = 0) : values{value} {}
  /// One value for each head.
  PerHead(std::vector<double> each) : values(std::move(each)) {}
};

/// theta*_j = alpha / 10000^rho + (1 - alpha) theta_j: a receptive field of 10000^rho positions, of weight alpha.
struct ReceptiveField {
  /// Base of the powers that the frequencies are, above 0.
  double base = 10000;
  /// Weight of the shared frequency, from 0 to 1.
  PerHead alpha;
  /// Logarithm of the receptive field to the base 10000.
  PerHead rho;
};

/// Explicit theta_j: d/2 of them, or heads * d/2 for frequencies of each head's own.
struct Custom {
  /// Radians per position.
  std::vector<double> frequencies;
  /// The factor of cos and sin, above 0.
  double magnitude = 1;
};

}  // namespace frequencies

/// One of the rules.
using Frequencies = std::variant<frequencies::Default, frequencies::Linear, frequencies::Ntk,
                                 frequencies::NtkSu, frequencies::NtkMixed, frequencies::Dynamic,
                                 frequencies::Yarn, frequencies::LongRope, frequencies::Llama3,
                                 frequencies::Proportional, frequencies::ReceptiveField, frequencies::Custom>;

}  // namespace ropewalk
