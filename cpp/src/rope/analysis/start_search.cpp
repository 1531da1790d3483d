#include "rope/analysis/start_search.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ropewalk::analysis {
namespace {

constexpr std::size_t most_distances = 256;
constexpr std::size_t valleys_per_row = 3;

}  // namespace

StartSearch::StartSearch(std::span<const double> theta, std::span<const double> distances,
                         std::span<const double> wanted)
    : theta_(theta) {
  const std::size_t size = distances.size(), count = std::min(size, most_distances);
  double farthest = 1;
  for (std::size_t i = 0; i < count; ++i) {
    // Multiples of the golden ratio: spread out, at no regular interval that would alias.
    const double turn = static_cast<double>(i) * 0.6180339887498949, fraction = turn - std::floor(turn);
    const std::size_t at = count == size ? i : static_cast<std::size_t>(fraction * static_cast<double>(size));
    distances_.push_back(distances[at]);
    wanted_.push_back(wanted[at]);
    farthest = std::max(farthest, std::fabs(distances[at]));
  }
  step_ = std::max(std::numbers::pi / (4 * farthest), 1.0 / 2048);
  rows_ = static_cast<std::size_t>(std::clamp(4 * farthest / std::numbers::pi, 64.0, 384.0));
}

StartSearch::Phasors StartSearch::phasors(double alpha) const {
  Phasors means;
  const double count = static_cast<double>(theta_.size());
  for (double n : distances_) {
    double re = 0, im = 0;
    for (double own : theta_) {
      re += std::cos(n * (1 - alpha) * own);
      im += std::sin(n * (1 - alpha) * own);
    }
    means.emplace_back(re / count, im / count);
  }
  return means;
}

/// A few Gauss-Newton steps in phi alone, so that valleys are compared at their lowest points.
StartSearch::Valley StartSearch::descend(Valley valley, const Phasors& phasors) const {
  const double alpha = alpha_of(valley.row);
  double phi = valley.phi;
  for (int iteration = 0; iteration < 4; ++iteration) {
    double error = 0, slope = 0, curvature = 0;
    for (std::size_t i = 0; i < distances_.size(); ++i) {
      const double n = distances_[i], c = std::cos(n * phi), s = std::sin(n * phi);
      const double re = phasors[i].real(), im = phasors[i].imag();
      const double r = c * re - s * im - wanted_[i], by_phi = -n * (s * re + c * im);
      error += r * r;
      slope += r * by_phi;
      curvature += by_phi * by_phi;
    }
    if (error <= valley.error) valley.error = error, valley.phi = phi;
    if (!(curvature > 0)) break;
    phi = std::clamp(phi - std::clamp(slope / curvature, -step_, step_), 0.0, alpha);
  }
  return valley;
}

void StartSearch::search(std::size_t row) {
  const double alpha = alpha_of(row), step = std::min(step_, alpha / 4);
  const Phasors still = phasors(alpha);
  Phasors turned = still, turn;
  for (double n : distances_) turn.emplace_back(std::cos(n * step), std::sin(n * step));
  std::vector<double> errors;
  for (double phi = 0; phi <= alpha + step / 2; phi += step) {
    double sum = 0;
    for (std::size_t i = 0; i < distances_.size(); ++i) {
      const double re = turned[i].real(), im = turned[i].imag(), r = re - wanted_[i];
      sum += r * r;
      turned[i] = {re * turn[i].real() - im * turn[i].imag(), re * turn[i].imag() + im * turn[i].real()};
    }
    errors.push_back(sum);
  }
  std::vector<Valley> found;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    const bool left = i == 0 || errors[i] <= errors[i - 1];
    const bool right = i + 1 == errors.size() || errors[i] <= errors[i + 1];
    if (left && right) found.push_back({row, std::min(static_cast<double>(i) * step, alpha), errors[i]});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.error < b.error; });
  if (found.size() > valleys_per_row) found.resize(valleys_per_row);
  for (const Valley& each : found) valleys_.push_back(descend(each, still));
}

std::vector<FieldPoint> StartSearch::best(std::size_t count) const {
  std::vector<Valley> sorted = valleys_;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.error < b.error; });
  std::vector<FieldPoint> points;
  for (const Valley& each : sorted) {
    if (points.size() == count) break;
    // One start for each valley: rows whose neighbour has a lower point nearby are skipped.
    const bool lower_nearby = std::any_of(valleys_.begin(), valleys_.end(), [&](const Valley& other) {
      const std::size_t apart = std::max(each.row, other.row) - std::min(each.row, other.row);
      return apart == 1 && std::fabs(each.phi - other.phi) <= step_ && other.error < each.error;
    });
    if (!lower_nearby) points.push_back({alpha_of(each.row), each.phi});
  }
  return points;
}

}  // namespace ropewalk::analysis
