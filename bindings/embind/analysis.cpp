// Analysis of a rope by its options, and the fit of a receptive field. Arrays are addresses of float64
// values.

#include "ropewalk/analysis.hpp"

#include <emscripten/bind.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>

#include "json/value.hpp"
#include "last_error.hpp"
#include "rope/options_from_json.hpp"
#include "text.hpp"

namespace {

using ropewalk::ReceptiveFieldFit;
using ropewalk::Result;
using ropewalk::RopeOptions;
using ropewalk::embind::keep;

std::span<const double> numbers(std::uintptr_t address, std::size_t size) {
  return {reinterpret_cast<const double*>(address), size};
}

double* write(std::span<const double> values, double* to) { return std::ranges::copy(values, to).out; }

/// Options that made a rope.
RopeOptions read(const std::string& options) { return ropewalk::rope_options_from_json(options).value(); }

/// {"text", "magnitude", "magnitude_source", "pairs": [[axis, head, pair, theta, scaled_by, band], ...]};
/// empty when `context` (0: none) is refused.
std::string explain(const std::string& options, bool has_context, double context) {
  using ropewalk::text_of;
  using ropewalk::json::quoted;
  const auto explained =
      ropewalk::try_explain(read(options), has_context ? std::optional<double>(context) : std::nullopt);
  if (!explained.ok()) return keep(explained.status()), std::string();
  const ropewalk::Explanation& explanation = explained.value();
  std::string text = "{\"text\":" + quoted(explanation.text) +
                     ",\"magnitude\":" + text_of(explanation.magnitude) +
                     ",\"magnitude_source\":" + quoted(explanation.magnitude_source) + ",\"pairs\":[";
  for (const ropewalk::Explanation::Pair& pair : explanation.pairs) {
    text += (text.back() == '[' ? "[" : ",[") + text_of(pair.axis) + "," + text_of(pair.head) + "," +
            text_of(pair.pair) + "," + text_of(pair.theta) + "," + text_of(pair.scaled_by) + "," +
            quoted(pair.band) + "]";
  }
  return text + "]}";
}

/// Writes `count` values.
int decay(const std::string& options, std::size_t head, std::uintptr_t distances, std::size_t count,
          std::uintptr_t out) {
  const auto values = ropewalk::try_decay(read(options), numbers(distances, count), head);
  if (values.ok()) write(values.value(), reinterpret_cast<double*>(out));
  return keep(values.status());
}

/// Writes score, a' and b', `count` values each, then phi and what the unrotated channels add.
int score(const std::string& options, std::size_t head, std::uintptr_t distances, std::size_t count,
          std::uintptr_t q, std::size_t q_size, std::uintptr_t k, std::size_t k_size, std::uintptr_t out) {
  const auto scored = ropewalk::try_score(read(options), numbers(q, q_size), numbers(k, k_size),
                                          numbers(distances, count), head);
  if (!scored.ok()) return keep(scored.status());
  const ropewalk::Score& score = scored.value();
  double* to = write(score.score, reinterpret_cast<double*>(out));
  to = write(score.quadrature, write(score.in_phase, to));
  to[0] = score.phi;
  to[1] = score.unrotated;
  return 0;
}

/// Writes as many values as the rope has frequencies.
int turns(const std::string& options, double context, std::uintptr_t out) {
  const auto turned = ropewalk::try_turns(read(options), context);
  if (turned.ok()) write(turned.value().turns, reinterpret_cast<double*>(out));
  return keep(turned.status());
}

/// NaN when an argument is refused.
double effective_receptive_field(const std::string& options, std::size_t head, double threshold,
                                 double limit) {
  const auto field = ropewalk::try_effective_receptive_field(read(options), threshold, limit, head);
  if (!field.ok()) return keep(field.status()), std::numeric_limits<double>::quiet_NaN();
  return field.value();
}

ReceptiveFieldFit* make_fit(std::uintptr_t distances, std::size_t distance_count, std::uintptr_t values,
                            std::size_t value_count, std::size_t head_dim, double base, std::size_t steps) {
  Result<ReceptiveFieldFit> made =
      ReceptiveFieldFit::make(numbers(distances, distance_count), numbers(values, value_count),
                              {.head_dim = head_dim, .base = base, .steps = steps});
  if (!made.ok()) return keep(made.status()), nullptr;
  return new ReceptiveFieldFit(std::move(made).value());
}

}  // namespace

EMSCRIPTEN_BINDINGS(ropewalk_analysis) {
  using namespace emscripten;
  function("explain", &explain);
  function("decay", &decay);
  function("score", &score);
  function("turns", &turns);
  function("effectiveReceptiveField", &effective_receptive_field);
  class_<ReceptiveFieldFit>("ReceptiveFieldFit")
      .function("step", &ReceptiveFieldFit::step)
      .function("done", &ReceptiveFieldFit::done)
      .function("stepsDone", &ReceptiveFieldFit::steps_done)
      .function("alpha", &ReceptiveFieldFit::alpha)
      .function("rho", &ReceptiveFieldFit::rho)
      .function("error", &ReceptiveFieldFit::error);
  function("makeReceptiveFieldFit", &make_fit, return_value_policy::take_ownership());
}
