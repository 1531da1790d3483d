// Analysis of a rope by its options (JSON text), and the fit of a receptive field. Arrays are of float64
// values.

#include "ropewalk/analysis.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "answer.hpp"
#include "base/text.hpp"
#include "export.hpp"
#include "formats/json/value.hpp"
#include "memory.hpp"
#include "rope/options_from_json.hpp"

namespace {

using ropewalk::ReceptiveFieldFit;
using ropewalk::RopeOptions;
using ropewalk::embind::keep;

double* write(std::span<const double> values, double* to) { return std::ranges::copy(values, to).out; }

/// Keeps the Status that `ask` has for the options, which made a rope.
template <class Ask>
int with_options(const char* options, std::size_t size, const Ask& ask) {
  return ropewalk::embind::guarded([&]() -> ropewalk::Status {
    const ropewalk::Result<RopeOptions> read = ropewalk::rope_options_from_json({options, size});
    return read.ok() ? ask(read.value()) : read.status();
  });
}

/// {"text", "magnitude", "magnitude_source", "pairs": [[axis, head, pair, theta, scaled_by, band], ...]}
std::string json_of(const ropewalk::Explanation& explanation) {
  using ropewalk::text_of;
  using ropewalk::json::quoted;
  std::string text = "{\"text\":" + quoted(explanation.text) +
                     ",\"magnitude\":" + text_of(explanation.magnitude) +
                     ",\"magnitude_source\":" + quoted(explanation.magnitude_source) + ",\"pairs\":[";
  for (const ropewalk::Explanation::Pair& pair : explanation.pairs) {
    text += text.back() == '[' ? "[" : ",[";
    for (const std::size_t place : {pair.axis, pair.head, pair.pair}) text += text_of(place) + ",";
    for (const double number : {pair.theta, pair.scaled_by}) text += text_of(number) + ",";
    text += quoted(pair.band) + "]";
  }
  return text + "]}";
}

}  // namespace

extern "C" {

/// Answers with the explanation.
ROPEWALK_EXPORT(int, ropewalk_explain, const char* options, std::size_t size, bool has_context,
                double context) {
  return with_options(options, size, [&](const RopeOptions& rope) {
    const auto explained =
        ropewalk::try_explain(rope, has_context ? std::optional<double>(context) : std::nullopt);
    if (explained.ok()) ropewalk::embind::answer(json_of(explained.value()));
    return explained.status();
  });
}

/// Writes `count` values.
ROPEWALK_EXPORT(int, ropewalk_decay, const char* options, std::size_t size, std::size_t head,
                const double* distances, std::size_t count, double* out) {
  return with_options(options, size, [&](const RopeOptions& rope) {
    const auto values = ropewalk::try_decay(rope, {distances, count}, head);
    if (values.ok()) write(values.value(), out);
    return values.status();
  });
}

/// Writes score, a' and b', `count` values each, then phi and what the unrotated channels add.
ROPEWALK_EXPORT(int, ropewalk_score, const char* options, std::size_t size, std::size_t head,
                const double* distances, std::size_t count, const double* q, std::size_t q_size,
                const double* k, std::size_t k_size, double* out) {
  return with_options(options, size, [&](const RopeOptions& rope) {
    const auto scored = ropewalk::try_score(rope, {q, q_size}, {k, k_size}, {distances, count}, head);
    if (!scored.ok()) return scored.status();
    const ropewalk::Score& score = scored.value();
    double* end = write(score.quadrature, write(score.in_phase, write(score.score, out)));
    end[0] = score.phi;
    end[1] = score.unrotated;
    return ropewalk::Status();
  });
}

/// Writes error, bound and window.
ROPEWALK_EXPORT(int, ropewalk_hilbert_error, const char* options, std::size_t size, std::size_t head,
                const double* distances, std::size_t count, const double* q, std::size_t q_size,
                const double* k, std::size_t k_size, double* out) {
  return with_options(options, size, [&](const RopeOptions& rope) {
    const auto checked =
        ropewalk::try_hilbert_error(rope, {q, q_size}, {k, k_size}, {distances, count}, head);
    if (!checked.ok()) return checked.status();
    out[0] = checked.value().error;
    out[1] = checked.value().bound;
    out[2] = checked.value().window;
    return ropewalk::Status();
  });
}

/// Writes as many values as the rope has frequencies.
ROPEWALK_EXPORT(int, ropewalk_turns, const char* options, std::size_t size, double context, double* out) {
  return with_options(options, size, [&](const RopeOptions& rope) {
    const auto turned = ropewalk::try_turns(rope, context);
    if (turned.ok()) write(turned.value().turns, out);
    return turned.status();
  });
}

/// Writes one value.
ROPEWALK_EXPORT(int, ropewalk_effective_receptive_field, const char* options, std::size_t size,
                std::size_t head, double threshold, double limit, double* out) {
  return with_options(options, size, [&](const RopeOptions& rope) {
    const auto field = ropewalk::try_effective_receptive_field(rope, threshold, limit, head);
    if (field.ok()) *out = field.value();
    return field.status();
  });
}

/// Null when an argument is refused.
ROPEWALK_EXPORT(ReceptiveFieldFit*, ropewalk_fit_make, const double* distances, std::size_t distance_count,
                const double* values, std::size_t value_count, std::size_t head_dim, double base,
                std::size_t steps) {
  if (!ropewalk::embind::have_memory()) return nullptr;
  ropewalk::Result<ReceptiveFieldFit> made =
      ReceptiveFieldFit::make({distances, distance_count}, {values, value_count},
                              {.head_dim = head_dim, .base = base, .steps = steps});
  if (!made.ok()) return keep(made.status()), nullptr;
  return new ReceptiveFieldFit(std::move(made).value());
}

/// Does the next step, and says whether it was the last.
ROPEWALK_EXPORT(bool, ropewalk_fit_step, ReceptiveFieldFit* fit) {
  fit->step();
  return fit->done();
}
ROPEWALK_EXPORT(std::size_t, ropewalk_fit_steps_done, const ReceptiveFieldFit* fit) {
  return fit->steps_done();
}
ROPEWALK_EXPORT(double, ropewalk_fit_alpha, const ReceptiveFieldFit* fit) { return fit->alpha(); }
ROPEWALK_EXPORT(double, ropewalk_fit_rho, const ReceptiveFieldFit* fit) { return fit->rho(); }
ROPEWALK_EXPORT(double, ropewalk_fit_error, const ReceptiveFieldFit* fit) { return fit->error(); }
ROPEWALK_EXPORT(void, ropewalk_fit_free, ReceptiveFieldFit* fit) { delete fit; }
}
