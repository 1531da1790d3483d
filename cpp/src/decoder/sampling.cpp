// Sampling in float64: sums in the order of ids or of candidates, and an exponential and a logarithm of our own,
// since those of mathematics libraries differ in their last bit.

#include "ropewalk/sampling.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "base/random.hpp"
#include "base/text.hpp"
#include "decoder/log_probability.hpp"
#include "formats/json/order.hpp"

namespace ropewalk {
namespace {

constexpr double ln2_high = 0x1.62e42fee00000p-1, ln2_low = 0x1.a39ef35793c76p-33;

/// 1/i!, the series of e^x.
constexpr std::array<double, 14> series = [] {
  std::array<double, 14> terms{1};
  for (std::size_t i = 1; i < terms.size(); ++i) terms[i] = terms[i - 1] / static_cast<double>(i);
  return terms;
}();

/// e^x for x <= 0, to about 1e-16 of its value; 0 below -708. Without branches and divisions, so that loops of it become
/// vectors.
inline double exp_of(double x) {
  // A sum with 1.5 * 2^52 is rounded to a whole number, which its last bits then are.
  constexpr double whole = 0x1.8p52;
  const double shifted = x * 0x1.71547652b82fep+0 + whole, steps = shifted - whole;
  const double rest = (x - steps * ln2_high) - steps * ln2_low;  // within ln 2 / 2
  double sum = series.back();
  for (std::size_t i = series.size() - 1; i > 0; --i) sum = sum * rest + series[i - 1];
  const double power = std::bit_cast<double>((std::bit_cast<std::uint64_t>(shifted) + 1023) << 52);
  return x > -708 ? sum * power : 0;
}

/// The sum of e^(logit - highest), in the order of ids.
double sum_of_exponentials(std::span<const float> logits, double highest) {
  std::array<double, 64> terms;
  double sum = 0;
  for (std::size_t at = 0; at < logits.size(); at += terms.size()) {
    const std::size_t count = std::min(terms.size(), logits.size() - at);
    for (std::size_t i = 0; i < count; ++i) terms[i] = exp_of(static_cast<double>(logits[at + i]) - highest);
    for (std::size_t i = 0; i < count; ++i) sum += terms[i];
  }
  return sum;
}

/// ln x for a normal x: from the exponent, and the series of artanh for the rest.
double log_of(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  auto exponent = static_cast<std::int64_t>(bits >> 52) - 1023;
  double mantissa = std::bit_cast<double>((bits & 0xfffffffffffffu) | 0x3ff0000000000000u);
  if (mantissa > 0x1.6a09e667f3bcdp+0) mantissa /= 2, ++exponent;
  const double z = (mantissa - 1) / (mantissa + 1), square = z * z;
  double sum = 0;
  for (int i = 23; i > 0; i -= 2) sum = sum * square + 1.0 / i;
  const auto steps = static_cast<double>(exponent);
  return steps * ln2_high + (steps * ln2_low + 2 * z * sum);
}

Status check_number(std::string_view name, double value, double low, bool open, double high,
                    std::string_view allowed) {
  if ((open ? value > low : value >= low) && value <= high) return {};
  return out_of_range("generate", name, value, allowed);
}

void normalise(std::vector<Candidate>& candidates) {
  double sum = 0;
  for (const Candidate& each : candidates) sum += each.probability;
  for (Candidate& each : candidates) each.probability /= sum;
}

}  // namespace

Result<Sampler> Sampler::make(const SamplingOptions& options, std::uint64_t drawn) {
  for (Status status :
       {check_number("temperature", options.temperature, 0, false, 1e6, "a number from 0 to 1e6"),
        check_number("top_p", options.top_p, 0, true, 1, "a number above 0, up to 1"),
        check_number("min_p", options.min_p, 0, false, 1, "a number from 0 to 1"),
        check_number("repetition_penalty", options.repetition_penalty, 0, true, 1e6,
                     "a number above 0, up to 1e6")}) {
    if (!status.ok()) return status;
  }
  return Sampler(options, drawn);
}

Status Sampler::try_candidates(std::span<const float> logits, std::span<const std::int32_t> recent,
                               std::vector<Candidate>& candidates) const {
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (!(std::isfinite(logits[i]) || logits[i] == -std::numeric_limits<float>::infinity()))
      return out_of_range("generate", sentence({"logits[", i, "]"}), logits[i], "numbers");
  }
  candidates.clear();
  if (logits.empty()) return out_of_range("generate", "logits", "empty", "at least one");
  const auto best_of = [](const auto& values) {
    return static_cast<std::size_t>(std::ranges::max_element(values) - values.begin());
  };
  if (options_.temperature == 0 && options_.repetition_penalty == 1) {
    candidates.push_back({static_cast<std::int32_t>(best_of(logits)), 1});
    return {};
  }
  std::vector<double> x(logits.begin(), logits.end());
  if (options_.repetition_penalty != 1) {
    std::vector<bool> seen(x.size());
    for (const std::int32_t id : recent) {
      const auto at = static_cast<std::size_t>(id);
      if (id < 0 || at >= x.size() || seen[at]) continue;
      seen[at] = true;
      x[at] = x[at] > 0 ? x[at] / options_.repetition_penalty : x[at] * options_.repetition_penalty;
    }
  }
  const std::size_t best = best_of(x);
  if (options_.temperature == 0) {
    candidates.push_back({static_cast<std::int32_t>(best), 1});
    return {};
  }
  // The order is by logits, as probabilities of different ones may round to the same number.
  const auto before = [&](std::uint32_t a, std::uint32_t b) { return x[a] != x[b] ? x[a] > x[b] : a < b; };
  const bool cuts = options_.top_k != 0 && options_.top_k < x.size();
  std::vector<std::uint32_t> order(x.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint32_t>(i);
  if (cuts) {
    std::ranges::nth_element(order, order.begin() + static_cast<std::ptrdiff_t>(options_.top_k), before);
    order.resize(options_.top_k);
    std::ranges::sort(order, before);
  }
  // After the cut, so that the candidates depend on no logit that top-k leaves out.
  const double highest = x[best];
  for (const std::uint32_t i : order)
    candidates.push_back({static_cast<std::int32_t>(i), exp_of((x[i] - highest) / options_.temperature)});
  normalise(candidates);
  if (!cuts && (options_.top_p < 1 || options_.min_p > 0)) {
    const auto id = [](const Candidate& each) { return static_cast<std::uint32_t>(each.id); };
    std::ranges::sort(candidates, before, id);
  }
  if (options_.top_p < 1) {
    double sum = 0;
    std::size_t count = 0;
    while (count < candidates.size() && sum < options_.top_p) sum += candidates[count++].probability;
    candidates.resize(count);
    normalise(candidates);
  }
  if (options_.min_p > 0) {
    const double least = options_.min_p * candidates.front().probability;
    std::erase_if(candidates, [&](const Candidate& each) { return each.probability < least; });
    normalise(candidates);
  }
  return {};
}

Status Sampler::try_sample(std::span<const float> logits, std::span<const std::int32_t> recent,
                           Sample& sample) {
  std::vector<Candidate> candidates;
  ROPEWALK_TRY(try_candidates(logits, recent, candidates));
  std::size_t chosen = 0;
  if (candidates.size() > 1) {
    // A stream for each token, so that a copy of this goes on alike.
    const double draw = Random(options_.seed).fork(drawn_).uniform();
    double sum = 0;
    for (chosen = 0; chosen + 1 < candidates.size(); ++chosen) {
      sum += candidates[chosen].probability;
      if (draw < sum) break;
    }
  }
  ++drawn_;
  sample.id = candidates[chosen].id;
  sample.log_probability = log_probability(logits, sample.id);
  return {};
}

double log_probability(std::span<const float> logits, std::int32_t id) {
  const double highest = *std::ranges::max_element(logits);
  return static_cast<double>(logits[static_cast<std::size_t>(id)]) - highest -
         log_of(sum_of_exponentials(logits, highest));
}

}  // namespace ropewalk
