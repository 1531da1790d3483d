#pragma once

/// Effects of a rope on attention: how scores fall with distance, which pairs complete a turn in a context, how
/// a rule changed each pair, and which alpha and rho give a wanted curve.
///
/// All of it is computed in float64 from the exact theta_j, also where the rope itself uses Angles::float32.
/// A distance is n = m_query - m_key; it may be negative and fractional. With several position axes it is the
/// same on each of them. `head` matters only where heads have frequencies of their own. Errors of every
/// function: options that Rope::make refuses, a head that has no frequencies, a distance that is not finite
/// or beyond 2^32.

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ropewalk/rope.hpp"
#include "ropewalk/status.hpp"

namespace ropewalk {

/// The decay of the bound on the score, for each distance n:
///   (2/d) sum_{j=1..d/2} |S_j|, with S_j = sum_{k<j} e^{i n theta_k}.
/// By Abel's summation |score| is at most d/2 times this times the largest step between neighbouring q_j conj(k_j),
/// the step from the last one to 0 included. RoFormer, arXiv 2104.09864, section 3.4.3, equations 35-37. It is not
/// monotone, and (d/2 + 1)/2 at distance 0. With xPos every term carries zeta_k^(n/scale_base).
Result<std::vector<double>> try_decay(const RopeOptions& options, std::span<const double> distances,
                                      std::size_t head = 0);

/// The attention score of one query and one key, before the division by sqrt(D), and its parts:
///   score = unrotated + cos(n phi) in_phase - sin(n phi) quadrature.
struct Score {
  /// The score at each distance.
  std::vector<double> score;
  /// a'(n) = Re sum_j h_j e^{i n w_j}, with h_j = magnitude^2 q_j conj(k_j) and w_j = theta_j - phi: the
  /// frequencies without what all pairs share, for the receptive-field rule (1 - alpha) theta_j.
  std::vector<double> in_phase;
  /// b'(n) = Im sum_j h_j e^{i n w_j}: the Hilbert transform of a' where every w_j > 0.
  std::vector<double> quadrature;
  /// alpha / 10000^rho for the receptive-field rule, 0 for all others.
  double phi = 0;
  /// The part of the channels outside the rotated window, the same at every distance.
  double unrotated = 0;
};

/// q and k [head_dim], laid out as the options' pairing says.
Result<Score> try_score(const RopeOptions& options, std::span<const double> q, std::span<const double> k,
                        std::span<const double> distances, std::size_t head = 0);

/// How far b' is from the Hilbert transform of a', in units of sum_j |h_j|.
struct HilbertCheck {
  /// The largest difference over the distances.
  double error = 0;
  /// How large a difference the numerical transform itself may make. Pairs whose wavelength exceeds `window`
  /// dominate it: they turn too slowly to be told from a constant.
  double bound = 0;
  /// The deviation of the Gaussian that tapers a', in positions.
  double window = 0;
  /// True if b' is the Hilbert transform of a', as far as can be seen through the window. It is not where
  /// some w_j <= 0: a constant's transform is 0, and that of cos(-w n) is sin(w n).
  bool holds() const { return error <= bound; }
};

/// Takes a' as a black box: samples it at up to `samples` points, transforms it by the discrete Hilbert
/// transform (Kak 1970: (2/pi) sum over odd m of a'(n - m g) / m) under a Gaussian taper, and compares with
/// b'. The window is 6.5 times the longest period 1/w_j, or as wide as `samples` allows. Whole distances
/// alone, so that they lie on the grid. Errors: q and k all zero in the window; xPos, whose score is not a
/// sum of sinusoids.
Result<HilbertCheck> try_hilbert_error(const RopeOptions& options, std::span<const double> q,
                                       std::span<const double> k, std::span<const double> distances,
                                       std::size_t head = 0, std::size_t samples = std::size_t{1} << 20);

/// How often each pair turns within a context.
struct Turns {
  /// context * |theta_j| / (2 pi), in the order of Rope::frequencies().
  std::vector<double> turns;
  /// The entries that turn less than once: a model trained on this context has not seen all of their angles.
  std::vector<std::size_t> incomplete;
};

/// Error: a context that is not a finite number above 0.
Result<Turns> try_turns(const RopeOptions& options, double context);

/// The distance at which the mean kernel K(n) = (2/d) sum_j cos(n theta_j), the expected score of equal
/// queries and keys with K(0) = 1, first falls below `threshold`; infinite if it does not within `limit`
/// positions. The steps are bounded by K's largest curvature, so none jumps over a crossing; good to 1e-6 of
/// the shortest period. Time is proportional to the distance walked. Errors: a threshold outside -1 .. 1
/// (exclusive), a limit at which the fastest pair would have turned by more than 2^24 radians.
Result<double> try_effective_receptive_field(const RopeOptions& options, double threshold = 0.5,
                                             double limit = 131072, std::size_t head = 0);

/// Explains how the rule changed each pair, why, and where the magnitude comes from.
struct Explanation {
  /// One pair of the rope, or of one axis or head.
  struct Pair {
    /// 0 unless the rule gives axes frequencies of their own.
    std::size_t axis = 0;
    /// 0 unless the rule gives heads frequencies of their own.
    std::size_t head = 0;
    /// j, counted from 0 within its axis and head.
    std::size_t pair = 0;
    /// Radians per position.
    double theta = 0;
    /// 2 pi / |theta|; infinite where theta is 0.
    double wavelength = 0;
    /// theta divided by what it would be without the rule: 1/8 where the rule divides by 8.
    double scaled_by = 1;
    /// How the rule treats this pair, for a rule that treats pairs differently: "kept", "on the ramp", ...
    std::string band;
  };
  /// For people: one line each for the head, the rule, every run of pairs, the magnitude and the context.
  std::string text;
  /// Every pair, in the order of Rope::frequencies().
  std::vector<Pair> pairs;
  /// The factor of cos and sin.
  double magnitude = 1;
  /// "0.1 ln(factor) + 1"
  std::string magnitude_source;
};

/// `context`: a length to say which pairs never complete a turn in; the one the rule names is considered
/// always.
Result<Explanation> try_explain(const RopeOptions& options, std::optional<double> context = std::nullopt);

/// Options of ReceptiveFieldFit::make.
struct ReceptiveFieldFitOptions {
  /// D, even.
  std::size_t head_dim = 0;
  /// Base of the frequencies, above 0.
  double base = 10000;
  /// Steps of the descent; those of the search for starts come on top (see steps()).
  std::size_t steps = 240;
};

/// alpha in [0, 1] and rho in [0, 8] whose mean kernel K(n) = (2/d) sum_j cos(n theta*_j), theta*_j = alpha /
/// 10000^rho + (1 - alpha) base^(-2j/d), is nearest to wanted values in the least squares. K(0) is 1 and
/// there is no free gain: divide a measured curve by its value at distance 0. Opposite distances have the
/// same K.
///
/// A search over alpha and phi = alpha / 10000^rho finds starts; each descends by the analytic gradient of
/// the squared error through theta*, preconditioned by the 2 x 2 Gauss-Newton matrix (Levenberg-Marquardt),
/// in alpha and phi; the best goes on to the end. Deterministic.
///
/// Some curves do not say which alpha and rho made them, and one that fits is returned: where phi times the
/// largest distance is far below 1, where d is 2, where all distances are multiples of some g (phi and phi +
/// 2 pi / g agree).
class ReceptiveFieldFit {
 public:
  /// Errors: no or fewer than 2 distances, lengths that differ, values not finite, an odd head_dim, base not
  /// above 0, no steps.
  static Result<ReceptiveFieldFit> make(std::span<const double> distances, std::span<const double> values,
                                        const ReceptiveFieldFitOptions& options);
  /// Moves. The source may only be destroyed or assigned to afterwards.
  ReceptiveFieldFit(ReceptiveFieldFit&&) noexcept;
  /// Moves. The source may only be destroyed or assigned to afterwards.
  ReceptiveFieldFit& operator=(ReceptiveFieldFit&&) noexcept;
  ~ReceptiveFieldFit();

  /// Does the next `count` steps, or as many as are left.
  void step(std::size_t count = 1);
  /// True if no step is left.
  bool done() const;
  /// Steps done so far.
  std::size_t steps_done() const;
  /// At most; the descent may end before.
  std::size_t steps() const;
  /// The best so far.
  double alpha() const;
  /// The best so far.
  double rho() const;
  /// Root of the mean squared difference to the wanted values.
  double error() const;

 private:
  struct State;
  explicit ReceptiveFieldFit(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

#if defined(__cpp_exceptions)
/// As try_decay, but throws the error.
inline std::vector<double> decay(const RopeOptions& options, std::span<const double> distances,
                                 std::size_t head = 0) {
  return raise(try_decay(options, distances, head));
}
/// As try_score, but throws the error.
inline Score score(const RopeOptions& options, std::span<const double> q, std::span<const double> k,
                   std::span<const double> distances, std::size_t head = 0) {
  return raise(try_score(options, q, k, distances, head));
}
/// As try_hilbert_error, but throws the error.
inline HilbertCheck hilbert_error(const RopeOptions& options, std::span<const double> q,
                                  std::span<const double> k, std::span<const double> distances,
                                  std::size_t head = 0, std::size_t samples = std::size_t{1} << 20) {
  return raise(try_hilbert_error(options, q, k, distances, head, samples));
}
/// As try_turns, but throws the error.
inline Turns turns(const RopeOptions& options, double context) { return raise(try_turns(options, context)); }
/// As try_effective_receptive_field, but throws the error.
inline double effective_receptive_field(const RopeOptions& options, double threshold = 0.5,
                                        double limit = 131072, std::size_t head = 0) {
  return raise(try_effective_receptive_field(options, threshold, limit, head));
}
/// As try_explain, but throws the error.
inline Explanation explain(const RopeOptions& options, std::optional<double> context = std::nullopt) {
  return raise(try_explain(options, context));
}
/// The whole fit; `progress(step, error)` is called after every step.
template <class Progress>
ReceptiveFieldFit fit_receptive_field(std::span<const double> distances, std::span<const double> values,
                                      const ReceptiveFieldFitOptions& options, Progress&& progress) {
  ReceptiveFieldFit fit = raise(ReceptiveFieldFit::make(distances, values, options));
  while (!fit.done()) {
    fit.step();
    progress(fit.steps_done(), fit.error());
  }
  return fit;
}
/// The whole fit.
inline ReceptiveFieldFit fit_receptive_field(std::span<const double> distances,
                                             std::span<const double> values,
                                             const ReceptiveFieldFitOptions& options) {
  return fit_receptive_field(distances, values, options, [](std::size_t, double) {});
}
#endif

}  // namespace ropewalk
