#include "model/heads/pool.hpp"

#include <algorithm>
#include <cstring>

namespace ropewalk::model {
namespace {

bool counts(const Pass& pass, std::size_t row) { return pass.key_mask == nullptr || pass.key_mask[row] != 0; }

/// 1 over the number of tokens of sequence b, or 0.
float share(const Pass& pass, std::size_t b) {
  std::size_t tokens = 0;
  for (std::size_t t = 0; t < pass.tokens; ++t) tokens += counts(pass, b * pass.tokens + t) ? 1 : 0;
  return tokens == 0 ? 0.0F : 1.0F / static_cast<float>(tokens);
}

}  // namespace

void Pool::forward(const Pass& pass, float* out, const float* hidden) const {
  const auto& dense = pass.compute.dense();
  for (std::size_t b = 0; b < pass.batch; ++b, out += width_) {
    const std::size_t first = b * pass.tokens;
    if (which_ != Pooled::mean) {
      const std::size_t row = which_ == Pooled::first ? first : first + pass.tokens - 1;
      std::memcpy(out, hidden + row * width_, width_ * sizeof(float));
      continue;
    }
    std::fill_n(out, width_, 0.0F);
    for (std::size_t row = first; row < first + pass.tokens; ++row) {
      if (counts(pass, row)) dense.add(hidden + row * width_, out, width_);
    }
    dense.scale(share(pass, b), out, out, width_);
  }
}

void Pool::backward(const Pass& pass, float* dhidden, const float* dout) const {
  std::memset(dhidden, 0, pass.rows() * width_ * sizeof(float));
  for (std::size_t b = 0; b < pass.batch; ++b, dout += width_) {
    const std::size_t first = b * pass.tokens;
    if (which_ != Pooled::mean) {
      const std::size_t row = which_ == Pooled::first ? first : first + pass.tokens - 1;
      std::memcpy(dhidden + row * width_, dout, width_ * sizeof(float));
      continue;
    }
    for (std::size_t row = first; row < first + pass.tokens; ++row) {
      if (counts(pass, row)) pass.compute.dense().scale(share(pass, b), dout, dhidden + row * width_, width_);
    }
  }
}

}  // namespace ropewalk::model
