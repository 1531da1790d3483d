#include "rope/analysis/strand.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "base/buffer.hpp"
#include "base/text.hpp"
#include "rope/row_spec.hpp"

namespace ropewalk::analysis {
namespace {

double shared_frequency(const Frequencies& rule, std::size_t head) {
  const auto* field = std::get_if<frequencies::ReceptiveField>(&rule);
  if (field == nullptr) return 0;
  const auto of = [head](const frequencies::PerHead& each) {
    return each.values[each.values.size() == 1 ? 0 : head];
  };
  return of(field->alpha) * std::pow(10000, -of(field->rho));
}

std::vector<Strand::Channels> channels_of(const Windows& windows, Pairing pairing) {
  std::vector<Strand::Channels> channels;
  for (std::size_t w = 0; w < windows.count; ++w) {
    const Window window = windows.at(w);
    const std::size_t begin = window.begin + window.offset;
    for (std::size_t i = 0; i < window.pairs; ++i) {
      channels.push_back(pairing == Pairing::half ? Strand::Channels{begin + i, begin + window.pairs + i}
                                                  : Strand::Channels{begin + 2 * i, begin + 2 * i + 1});
    }
  }
  return channels;
}

}  // namespace

double Strand::growth(std::size_t j, double n) const {
  return log_growth.empty() ? 1 : std::exp(n * log_growth[j]);
}

Result<Strand> strand_of(std::string_view function, const RopeOptions& options, std::size_t head) {
  ROPEWALK_LET(rope, Rope::make(options));
  const std::size_t rotary_dim = rope.rotary_dim(), pairs = rotary_dim / 2;
  ROPEWALK_LET(spec, make_row_spec(options, rotary_dim));
  const std::size_t heads = spec.width() / pairs;
  if (head >= heads) {
    return out_of_range(function, "head", head,
                        heads == 1 ? std::string("0, since all heads share their frequencies")
                                   : "a whole number from 0 to " + std::to_string(heads - 1) +
                                         ", the heads that have frequencies");
  }
  Strand strand;
  strand.head_dim = options.head_dim;
  strand.rotary_offset = options.rotary_offset;
  // Rope::make has found these sound.
  const AxisPlan plan = plan_axes(options, pairs).value();
  strand.channels = channels_of(windows_of(options, pairs, plan).value(), options.pairing);
  strand.magnitude = spec.magnitude;
  strand.theta.assign(pairs, 0);
  const std::size_t turns = spec.mixed ? spec.axes : 1;
  for (std::size_t turn = 0; turn < turns; ++turn) {
    for (std::size_t j = 0; j < pairs; ++j)
      strand.theta[j] += spec.theta[turn * spec.width() + head * pairs + j];
  }
  strand.phi = shared_frequency(options.frequencies, head) * static_cast<double>(turns);
  for (double log2_zeta : spec.log2_zeta) {
    strand.log_growth.push_back(log2_zeta * std::numbers::ln2 / spec.xpos.scale_base);
  }
  return strand;
}

Status check_distances(std::string_view function, const Strand& strand, std::span<const double> distances) {
  if (distances.empty())
    return out_of_range(function, "distances", "an empty array", "at least one distance");
  double fastest = 1;
  for (double theta : strand.theta) fastest = std::max(fastest, std::fabs(theta));
  // Beyond 2^52 radians a float64 no longer determines the angle within a turn.
  const double limit = std::min(0x1p32, 0x1p52 / fastest);
  for (std::size_t i = 0; i < distances.size(); ++i) {
    if (std::fabs(distances[i]) <= limit) continue;
    return out_of_range(function, "distances[" + std::to_string(i) + "]", distances[i],
                        "a finite number from -" + text_of(limit) + " to " + text_of(limit));
  }
  // Three curves, in vectors that may grow to three times their size.
  return check_memory(distances.size() * 9 * sizeof(double), "distances");
}

}  // namespace ropewalk::analysis
