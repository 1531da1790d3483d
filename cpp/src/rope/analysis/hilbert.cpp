// Checks numerically that b' is the Hilbert transform of a', without looking at the pairs. a' is sampled and
// transformed by the discrete Hilbert transform of samples g apart (Kak, Proc. IEEE 58, 1970), tapered by a
// Gaussian of deviation T:
//   H(n) = sum over odd m > 0 of (2 / (pi m)) e^{-(m g / T)^2 / 2} (a'(n - m g) - a'(n + m g))
// It takes cos(w n) to r(w) sin(w n) with
//   |1 - r(w)| <= erfc(w T / sqrt 2) + erfc((pi/g - w) T / sqrt 2)
// This is the square wave of the ideal transform, which jumps at 0 and at pi/g, blurred by the taper. g is
// chosen so that w g <= pi/2.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/buffer.hpp"
#include "base/text.hpp"
#include "rope/analysis/products.hpp"
#include "ropewalk/analysis.hpp"

namespace ropewalk {
namespace {

constexpr double pi = std::numbers::pi;
// Length of the taper in deviations. The taper leaves an error of erfc(6.5 / sqrt 2) = 8e-11 on the slowest
// pair, and the part beyond its end adds less than that.
constexpr double reach = 6.5;
// Rounding of angles, samples and their sum.
constexpr double rounding = 1e-9;

struct Grid {
  double step = 1;       // g
  double window = 0;     // T
  std::size_t half = 0;  // samples on either side of a distance
  double first = 0;      // distance of sample 0
  std::size_t count = 0;
};

Status check(const analysis::Strand& strand, const analysis::Products& products,
             std::span<const double> distances, std::size_t samples) {
  constexpr std::string_view function = "hilbert_error";
  if (!strand.log_growth.empty()) {
    return wrong_type(function, "options.xpos", "given", "none: the score under xPos is no sum of sinusoids");
  }
  if (!(products.length > 0)) {
    return out_of_range(function, "q", "orthogonal to `k` in every pair",
                        "a query that meets the key in some pair");
  }
  for (std::size_t i = 0; i < distances.size(); ++i) {
    if (distances[i] == std::floor(distances[i])) continue;
    return out_of_range(function, "distances[" + std::to_string(i) + "]", distances[i], "a whole number");
  }
  if (samples < 1024 || samples > std::size_t{1} << 28) {
    return out_of_range(function, "samples", samples, "a whole number from 1024 to 268435456");
  }
  return {};
}

Result<Grid> lay_grid(const analysis::Strand& strand, std::span<const double> distances,
                      std::size_t samples) {
  double fastest = 0, slowest = std::numeric_limits<double>::infinity();
  for (double theta : strand.theta) {
    const double w = std::fabs(theta - strand.phi);
    fastest = std::max(fastest, w);
    if (w > 0) slowest = std::min(slowest, w);
  }
  Grid grid;
  while (fastest * grid.step > pi / 2) grid.step /= 2;
  const auto [low, high] = std::minmax_element(distances.begin(), distances.end());
  const double between = (*high - *low) / grid.step;
  const double room = (static_cast<double>(samples) - 1 - between) / 2;
  if (!(room >= 64)) {
    return out_of_range("hilbert_error", "distances", "spread over " + text_of(*high - *low) + " positions",
                        "distances that `samples` = " + std::to_string(samples) + " points reach around");
  }
  const double wanted = std::isinf(slowest) ? 64 : reach * reach / slowest / grid.step;
  grid.half = static_cast<std::size_t>(std::clamp(wanted, 64.0, room));
  grid.window = static_cast<double>(grid.half) * grid.step / reach;
  grid.first = *low - static_cast<double>(grid.half) * grid.step;
  grid.count = static_cast<std::size_t>(between) + 2 * grid.half + 1;
  return grid;
}

/// a' on the grid. Each pair's phasor is rotated from sample to sample, and computed afresh every 256 samples
/// so that rounding errors do not accumulate.
void sample(const analysis::Strand& strand, const analysis::Products& products, const Grid& grid,
            double* out) {
  constexpr std::size_t block = 256;
  std::fill_n(out, grid.count, 0.0);
  for (std::size_t j = 0; j < strand.pairs(); ++j) {
    const double w = strand.theta[j] - strand.phi;
    const double turn_re = std::cos(w * grid.step), turn_im = std::sin(w * grid.step);
    for (std::size_t start = 0; start < grid.count; start += block) {
      const double angle = w * (grid.first + static_cast<double>(start) * grid.step);
      const double c = std::cos(angle), s = std::sin(angle);
      double re = products.re[j] * c - products.im[j] * s, im = products.re[j] * s + products.im[j] * c;
      const std::size_t end = std::min(start + block, grid.count);
      for (std::size_t i = start; i < end; ++i) {
        out[i] += re;
        const double next = re * turn_re - im * turn_im;
        im = re * turn_im + im * turn_re;
        re = next;
      }
    }
  }
}

double transform_at(const Grid& grid, const double* sampled, const double* weights, double n) {
  const auto at = static_cast<std::size_t>((n - grid.first) / grid.step);
  double sum = 0;
  // Small terms are added first. The counter wraps below 1, which ends the loop.
  for (std::size_t m = grid.half - (grid.half % 2 == 0); m <= grid.half; m -= 2) {
    sum += weights[m] * (sampled[at - m] - sampled[at + m]);
  }
  return sum;
}

double bound_of(const analysis::Strand& strand, const analysis::Products& products, const Grid& grid) {
  double bound = 0;
  for (std::size_t j = 0; j < strand.pairs(); ++j) {
    const double w = strand.theta[j] - strand.phi;
    if (w <= 0) continue;
    const double miss = std::erfc(w * grid.window * std::numbers::sqrt2 / 2) +
                        std::erfc((pi / grid.step - w) * grid.window * std::numbers::sqrt2 / 2);
    bound += std::hypot(products.re[j], products.im[j]) * std::min(miss, 2.0);
  }
  return bound / products.length + rounding;
}

}  // namespace

Result<HilbertCheck> try_hilbert_error(const RopeOptions& options, std::span<const double> q,
                                       std::span<const double> k, std::span<const double> distances,
                                       std::size_t head, std::size_t samples) {
  constexpr std::string_view function = "hilbert_error";
  ROPEWALK_LET(strand, analysis::strand_of(function, options, head));
  ROPEWALK_LET(products, analysis::products_of(function, strand, q, k));
  ROPEWALK_TRY(check_distances(function, strand, distances));
  ROPEWALK_TRY(check(strand, products, distances, samples));
  ROPEWALK_LET(grid, lay_grid(strand, distances, samples));

  Buffer<double> sampled, weights;
  ROPEWALK_TRY(sampled.allocate(grid.count, "hilbert_error: samples of a'"));
  ROPEWALK_TRY(weights.allocate(grid.half + 1, "hilbert_error: weights of the transform"));
  sample(strand, products, grid, sampled.data());
  for (std::size_t m = 1; m <= grid.half; ++m) {
    const double u = static_cast<double>(m) * grid.step / grid.window;
    weights[m] = 2 / (pi * static_cast<double>(m)) * std::exp(-u * u / 2);
  }
  HilbertCheck result{.error = 0, .bound = bound_of(strand, products, grid), .window = grid.window};
  for (double n : distances) {
    const double transformed = transform_at(grid, sampled.data(), weights.data(), n);
    const double difference = std::fabs(transformed - analysis::parts_at(strand, products, n).quadrature);
    result.error = std::max(result.error, difference / products.length);
  }
  return result;
}

}  // namespace ropewalk
