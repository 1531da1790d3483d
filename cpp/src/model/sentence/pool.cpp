// Pooling and normalisation: plain sums in the order of the tokens, without a fused multiply-add and without libm
// (a square root is exact), so that every architecture has the same bits.

#include "model/sentence/pool.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace ropewalk::sentence_modules {
namespace {

void copy_row(float* out, const Tokens& tokens, std::size_t place) {
  std::memcpy(out, tokens.hidden + place * tokens.width, tokens.width * sizeof(float));
}

/// out = the sum of weight(place) * row over the tokens that count; returns the sum of the weights.
template <class Weight>
double add_up(float* out, const Tokens& tokens, Weight&& weight) {
  double weights = 0;
  for (std::size_t place = 0; place < tokens.counts.size(); ++place) {
    if (tokens.counts[place] == 0) continue;
    const float* const row = tokens.hidden + place * tokens.width;
    const float factor = weight(place);
    for (std::size_t i = 0; i < tokens.width; ++i) out[i] += factor * row[i];
    weights += factor;
  }
  return weights;
}

void divide(float* out, std::size_t count, double divisor) {
  if (divisor == 0) return;
  for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<float>(out[i] / divisor);
}

void largest(float* out, const Tokens& tokens) {
  bool any = false;
  for (std::size_t place = 0; place < tokens.counts.size(); ++place) {
    if (tokens.counts[place] == 0) continue;
    const float* const row = tokens.hidden + place * tokens.width;
    if (!any) {
      copy_row(out, tokens, place);
    } else {
      for (std::size_t i = 0; i < tokens.width; ++i) out[i] = std::max(out[i], row[i]);
    }
    any = true;
  }
}

}  // namespace

void pool(Pooling pooling, float* out, const Tokens& tokens) {
  if (pooling == Pooling::cls) return copy_row(out, tokens, 0);
  std::fill_n(out, tokens.width, 0.0F);
  switch (pooling) {
    case Pooling::cls:
      break;
    case Pooling::max:
      largest(out, tokens);
      break;
    case Pooling::mean:
      divide(out, tokens.width, add_up(out, tokens, [](std::size_t) { return 1.0F; }));
      break;
    case Pooling::mean_sqrt_len:
      divide(out, tokens.width, std::sqrt(add_up(out, tokens, [](std::size_t) { return 1.0F; })));
      break;
    case Pooling::weightedmean:
      divide(out, tokens.width,
             add_up(out, tokens, [](std::size_t place) { return static_cast<float>(place + 1); }));
      break;
    case Pooling::last:
      for (std::size_t place = tokens.counts.size(); place-- > 0;) {
        if (tokens.counts[place] != 0) return copy_row(out, tokens, place);
      }
      break;
  }
}

void normalize(float* x, std::size_t count) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += double{x[i]} * double{x[i]};
  const double length = std::max(std::sqrt(sum), 1e-12);
  for (std::size_t i = 0; i < count; ++i) x[i] = static_cast<float>(x[i] / length);
}

}  // namespace ropewalk::sentence_modules
