// The fit has three stages: a search for starting points, a descent from each of the best ones on the near
// distances, and a descent from the best result on all distances. A wide range of distances makes the valleys
// narrow; the near distances lead into them.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "base/buffer.hpp"
#include "base/text.hpp"
#include "rope/analysis/curve_error.hpp"
#include "rope/analysis/descent.hpp"
#include "rope/analysis/start_search.hpp"
#include "rope/frequencies/derive.hpp"
#include "ropewalk/analysis.hpp"

namespace ropewalk {
namespace {

using analysis::Descent;
using analysis::FieldPoint;
using analysis::StartSearch;

constexpr std::string_view function = "fit_receptive_field";
constexpr std::size_t most_starts = 12;
constexpr double farthest_distance = 0x1p32;

Status check(std::span<const double> distances, std::span<const double> values,
             const ReceptiveFieldFitOptions& options) {
  if (options.head_dim < 2 || options.head_dim % 2 != 0 || options.head_dim > 65536) {
    return out_of_range(function, "head_dim", options.head_dim, "an even number from 2 to 65536");
  }
  if (!(options.base > 0) || std::isinf(options.base)) {
    return out_of_range(function, "base", options.base, "a finite number above 0");
  }
  if (options.steps == 0 || options.steps > 1000000) {
    return out_of_range(function, "steps", options.steps, "a whole number from 1 to 1000000");
  }
  if (distances.size() < 2) {
    return out_of_range(function, "distances", "an array of " + std::to_string(distances.size()) + " numbers",
                        "at least 2");
  }
  if (values.size() != distances.size()) {
    return out_of_range(function, "values", "an array of " + std::to_string(values.size()) + " numbers",
                        "one for each of the " + std::to_string(distances.size()) + " distances");
  }
  for (std::size_t i = 0; i < distances.size(); ++i) {
    if (!(std::fabs(distances[i]) <= farthest_distance)) {
      return out_of_range(function, "distances[" + std::to_string(i) + "]", distances[i],
                          "a finite number from -4294967296 to 4294967296");
    }
    if (!std::isfinite(values[i])) {
      return out_of_range(function, "values[" + std::to_string(i) + "]", values[i], "a finite number");
    }
  }
  return {};
}

}  // namespace

struct ReceptiveFieldFit::State {
  std::vector<double> theta;
  // Sorted by |distance|.
  std::vector<double> distances, wanted;
  std::size_t near = 0;  // those that the search resolves
  std::size_t steps = 0, done = 0;

  StartSearch search;
  std::vector<Descent> starts;
  std::vector<double> ranges;  // how far each stage of the last descent looks
  std::size_t stage = 0;
  Descent last;
  bool finished = false;
  FieldPoint best;
  double best_error = 0;  // mean of r^2 / 2 over all distances

  std::size_t explored() const { return search.rows() + steps / 2; }
  std::span<const double> within(std::size_t count, const std::vector<double>& all) const {
    return std::span(all).first(count);
  }
  Descent descend(double range, FieldPoint from) const {
    const auto end = std::upper_bound(distances.begin(), distances.end(), range,
                                      [](double limit, double n) { return limit < std::fabs(n); });
    const auto count = static_cast<std::size_t>(end - distances.begin());
    return Descent(theta, within(count, distances), within(count, wanted), from);
  }
  void consider(FieldPoint point) {
    const double error = curve_error(theta, distances, wanted, point).value;
    if (error < best_error) best = point, best_error = error;
  }
  void begin_exploring();
  void begin_last();
  void one();
};

void ReceptiveFieldFit::State::begin_exploring() {
  for (FieldPoint point : search.best(most_starts)) {
    consider(point);
    starts.emplace_back(theta, within(near, distances), within(near, wanted), point);
  }
  if (done == explored()) begin_last();
}

void ReceptiveFieldFit::State::begin_last() {
  const auto winner = std::min_element(
      starts.begin(), starts.end(), [](const Descent& a, const Descent& b) { return a.error() < b.error(); });
  for (const Descent& each : starts) consider(each.point());
  last = descend(ranges[0], winner->point());
}

void ReceptiveFieldFit::State::one() {
  if (done < search.rows()) {
    search.search(done++);
    if (done == search.rows()) begin_exploring();
    return;
  }
  if (done < explored()) {
    Descent& start = starts[done++ % starts.size()];
    start.step();
    if (std::all_of(starts.begin(), starts.end(), [](const Descent& each) { return each.converged(); })) {
      done = explored();
    }
    if (done == explored()) begin_last();
    return;
  }
  last.step();
  ++done;
  if (stage + 1 == ranges.size()) {
    if (last.error() < best_error) best = last.point(), best_error = last.error();
  } else {
    consider(last.point());
  }
  if (!last.converged()) return;
  if (++stage == ranges.size()) {
    finished = true;
  } else {
    last = descend(ranges[stage], last.point());
  }
}

Result<ReceptiveFieldFit> ReceptiveFieldFit::make(std::span<const double> distances,
                                                  std::span<const double> values,
                                                  const ReceptiveFieldFitOptions& options) {
  ROPEWALK_TRY(check(distances, values, options));
  // Memory for two lists of the points in order of distance, for the parts that the search uses, and for
  // sorting.
  constexpr std::size_t bytes_per_point = 128, bytes_per_channel = 64;
  const std::size_t bytes = distances.size() * bytes_per_point + options.head_dim * bytes_per_channel;
  ROPEWALK_TRY(check_memory(bytes, "fit_receptive_field"));
  DerivedFrequencies derived;
  ROPEWALK_TRY(start_from_default(options.base, {options.head_dim, options.head_dim}, derived));

  auto state = std::make_unique<State>();
  state->theta = std::move(derived.theta);
  std::vector<std::size_t> order(distances.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::fabs(distances[a]) < std::fabs(distances[b]);
  });
  for (std::size_t i : order) {
    state->distances.push_back(distances[i]);
    state->wanted.push_back(values[i]);
    if (std::fabs(distances[i]) <= StartSearch::reach) ++state->near;
  }
  // Too few near distances to say anything. The far ones are used, although they need a finer search.
  if (state->near < 8) state->near = distances.size();
  state->search = StartSearch(state->theta, state->within(state->near, state->distances),
                              state->within(state->near, state->wanted));
  const double farthest = std::fabs(state->distances.back());
  for (double range = std::max(std::fabs(state->distances[state->near - 1]), 1.0); range < farthest;
       range *= 4) {
    state->ranges.push_back(range);
  }
  state->ranges.push_back(farthest);
  state->steps = options.steps;
  state->best_error = curve_error(state->theta, state->distances, state->wanted, state->best).value;
  return ReceptiveFieldFit(std::move(state));
}

ReceptiveFieldFit::ReceptiveFieldFit(std::unique_ptr<State> state) : state_(std::move(state)) {}
ReceptiveFieldFit::ReceptiveFieldFit(ReceptiveFieldFit&&) noexcept = default;
ReceptiveFieldFit& ReceptiveFieldFit::operator=(ReceptiveFieldFit&&) noexcept = default;
ReceptiveFieldFit::~ReceptiveFieldFit() = default;

void ReceptiveFieldFit::step(std::size_t count) {
  for (; count > 0 && !done(); --count) state_->one();
}

bool ReceptiveFieldFit::done() const { return state_->finished || state_->done >= steps(); }
std::size_t ReceptiveFieldFit::steps_done() const { return state_->done; }
std::size_t ReceptiveFieldFit::steps() const { return state_->search.rows() + state_->steps; }
double ReceptiveFieldFit::alpha() const { return state_->best.alpha; }
double ReceptiveFieldFit::rho() const { return state_->best.rho(); }
double ReceptiveFieldFit::error() const { return std::sqrt(2 * state_->best_error); }

}  // namespace ropewalk
