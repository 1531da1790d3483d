#include "rope/analysis/explain_text.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numbers>

#include "base/text.hpp"
#include "options/frequencies.hpp"

namespace ropewalk::analysis {
namespace {

using Pair = Explanation::Pair;

/// Four significant digits.
std::string rounded(double value) {
  if (value == 0 || !std::isfinite(value)) return text_of(value);
  const double exponent = 3 - std::floor(std::log10(std::fabs(value)));
  if (exponent <= 0) {
    const double unit = std::pow(10, -exponent);
    return text_of(std::round(value / unit) * unit);
  }
  if (exponent > 300) return text_of(value);
  const double unit = std::pow(10, exponent);
  return text_of(std::round(value * unit) / unit);
}

/// "4 to 7", or "4".
std::string range(const std::string& low, const std::string& high) {
  return low == high ? low : low + " to " + high;
}

std::string pairs_text(std::size_t first, std::size_t last) {
  return (first == last ? "pair " : "pairs ") + range(std::to_string(first), std::to_string(last));
}

std::string scaling_text(const std::vector<Pair>& pairs, std::size_t begin, std::size_t end) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (std::size_t i = begin; i < end; ++i) {
    low = std::min(low, pairs[i].scaled_by);
    high = std::max(high, pairs[i].scaled_by);
  }
  // Equal to a power up to rounding.
  const auto is_one = [](double scale) { return std::fabs(scale - 1) < 1e-12; };
  if (is_one(low) && is_one(high)) return "";
  if (low == 0 && high == 0) return "theta is 0, ";
  if (low > 0 && high < 1 + 1e-12)
    return "theta divided by " + range(rounded(1 / high), rounded(1 / low)) + ", ";
  return "theta times " + range(rounded(low), rounded(high)) + ", ";
}

std::string wavelengths_text(const std::vector<Pair>& pairs, std::size_t begin, std::size_t end) {
  double low = std::numeric_limits<double>::infinity(), high = 0;
  for (std::size_t i = begin; i < end; ++i) {
    low = std::min(low, pairs[i].wavelength);
    high = std::max(high, pairs[i].wavelength);
  }
  if (std::isinf(low)) return "no turn ever";
  return (begin + 1 == end ? "wavelength " : "wavelengths ") + range(rounded(low), rounded(high)) +
         " positions";
}

/// "Head 2, " if there is more than one head.
std::string place_text(const Pair& pair, bool several_axes, bool several_heads) {
  std::string text;
  if (several_axes) text += "axis " + std::to_string(pair.axis) + ", ";
  if (several_heads) text += "head " + std::to_string(pair.head) + ", ";
  return text;
}

struct Several {
  bool axes, heads;
};

bool follows(const Pair& before, const Pair& after) {
  // Interleaved axes leave gaps between the pairs of one axis.
  return before.axis == after.axis && before.head == after.head && before.pair < after.pair;
}

std::string bands_text(const std::vector<Pair>& pairs, Several several) {
  std::string text;
  for (std::size_t begin = 0, end; begin < pairs.size(); begin = end) {
    end = begin + 1;
    while (end < pairs.size() && pairs[end].band == pairs[begin].band && follows(pairs[end - 1], pairs[end]))
      ++end;
    const Pair &first = pairs[begin], &last = pairs[end - 1];
    std::string line = place_text(first, several.axes, several.heads) + pairs_text(first.pair, last.pair);
    if (last.pair - first.pair + 1 != end - begin) line += " (" + std::to_string(end - begin) + " of them)";
    line += ": " + first.band + (first.band.empty() ? "" : ", ");
    line += scaling_text(pairs, begin, end) + wavelengths_text(pairs, begin, end);
    line[0] = static_cast<char>(line[0] - 'a' + 'A');
    text += line + ".\n";
  }
  return text;
}

/// Runs of pairs whose theta (the rule's, or `unscaled`) makes less than one turn within `context`.
std::string incomplete_text(const std::vector<Pair>& pairs, double context, bool unscaled, Several several) {
  const double slowest = 2 * std::numbers::pi / context;
  const auto completes = [&](const Pair& pair) {
    const double theta = std::fabs(pair.theta);
    if (unscaled && pair.scaled_by == 0) return true;  // stopped by the rule in training too
    return (unscaled ? theta / std::fabs(pair.scaled_by) : theta) >= slowest;
  };
  std::string text;
  for (std::size_t begin = 0, end; begin < pairs.size(); begin = end) {
    end = begin + 1;
    if (completes(pairs[begin])) continue;
    while (end < pairs.size() && !completes(pairs[end]) && follows(pairs[end - 1], pairs[end])) ++end;
    if (!text.empty()) text += "; ";
    text += place_text(pairs[begin], several.axes, several.heads) +
            pairs_text(pairs[begin].pair, pairs[end - 1].pair);
  }
  return text;
}

/// The length that the rule extends, or 0 if it names none.
double original_context(const Frequencies& rule) {
  return std::visit(
      []<class Rule>(const Rule& each) -> double {
        if constexpr (requires { options::Describe<Rule>::original; })
          return each.*options::Describe<Rule>::original;
        return 0;
      },
      rule);
}

std::string_view name_of(const Frequencies& rule) {
  return std::visit([]<class Rule>(const Rule&) { return options::Describe<Rule>::type; }, rule);
}

std::string context_text(const Account& account, const Explanation& explanation, Several several) {
  std::string text;
  if (const double original = original_context(account.options.frequencies); original > 0) {
    const std::string runs = incomplete_text(explanation.pairs, original, true, several);
    const std::string within = " in the original " + text_of(original) + " positions";
    text += runs.empty() ? "Without the rule every pair makes at least one turn" + within
                         : "Without the rule these make less than one turn" + within + ": " + runs;
    text += ".\n";
  }
  if (account.context) {
    const std::string runs = incomplete_text(explanation.pairs, *account.context, false, several);
    const std::string within = " in a context of " + text_of(*account.context) + " positions";
    text += runs.empty() ? "Every pair makes at least one turn" + within
                         : "These make less than one turn" + within + ": " + runs;
    text += ".\n";
  }
  return text;
}

std::string axes_text(const Account& account) {
  if (!account.options.axes) return "";
  const std::size_t count = account.plan.axes;
  if (account.plan.mixed)
    return std::to_string(count) + " position axes, each of which rotates every pair.\n";
  std::string text = std::to_string(count) + " position axes, which rotate ";
  for (std::size_t a = 0; a < count; ++a) {
    text += (a == 0 ? "" : a + 1 == count ? " and " : ", ") + std::to_string(account.plan.sections[a]);
  }
  const Axes& axes = *account.options.axes;
  text += !axes.order.list.empty()                  ? " pairs, in an order of their own"
          : axes.order.word == Axes::Order::chunked ? " pairs, one axis after the other"
                                                    : " pairs, the axes taking turns";
  return text + (axes.restart_frequencies ? "; the rule begins anew for each.\n" : ".\n");
}

/// " (j, j + 32)" and the like: the channels of pair j.
std::string pairing_text(const Account& account) {
  const RopeOptions& options = account.options;
  if (options.pairing == Pairing::interleaved) return " (2j, 2j + 1)";
  if (options.axes && options.axes->pair_within == Axes::PairWithin::section) {
    return " (i, i + n) inside the section of n pairs of each axis";
  }
  return " (j, j + " + std::to_string(account.rotary_dim / 2) + ")";
}

std::string query_scale_text(const Account& account) {
  if (!account.options.query_scale) return "";
  const QueryScale& scale = *account.options.query_scale;
  return "Queries are multiplied by 1 + " + text_of(scale.scale) + " ln(1 + floor(" +
         (scale.offset == 0 ? "m" : "(m + 1)") + " / " + text_of(scale.length) + ")) at position m.\n";
}

std::string head_text(const Account& account) {
  const RopeOptions& options = account.options;
  const std::string d = std::to_string(account.rotary_dim), half = std::to_string(account.rotary_dim / 2);
  std::string text = "Heads of " + std::to_string(options.head_dim) + " channels, ";
  if (account.rotary_dim == options.head_dim) {
    text += "all rotated";
  } else {
    text += d + " rotated from channel " + std::to_string(options.rotary_offset) + " on";
  }
  return text + ", as " + half + (half == "1" ? " pair" : " pairs") + pairing_text(account) + ".\n";
}

}  // namespace

std::string explanation_text(const Account& account, const Explanation& explanation) {
  Several several{false, false};
  for (const Pair& pair : explanation.pairs) {
    several.axes |= pair.axis != 0;
    several.heads |= pair.head != 0;
  }
  std::string text = head_text(account) + axes_text(account) + query_scale_text(account);
  text += "Rule \"" + std::string(name_of(account.options.frequencies)) + "\": " + account.formula + ".\n";
  text += bands_text(explanation.pairs, several);
  if (account.options.xpos) {
    text += "xPos: queries are multiplied by zeta_j^((m - " + text_of(account.options.xpos->centre) + ") / " +
            text_of(account.options.xpos->scale_base) + "), keys divided by it.\n";
  }
  text += "Attention scaling " + rounded(explanation.magnitude) + ": " + explanation.magnitude_source + ".\n";
  return text + context_text(account, explanation, several);
}

}  // namespace ropewalk::analysis
