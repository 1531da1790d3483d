#include "train/contrastive.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>

#include "base/text.hpp"
#include "model/sentence/pool.hpp"
#include "nn/cross_entropy.hpp"
#include "options/check.hpp"
#include "train/options.hpp"

namespace ropewalk::trainer {
namespace {

// As sentence_modules::normalize has it.
constexpr double shortest = 1e-12;

std::span<const std::uint8_t> counted_tokens(const model::Pass& pass, std::size_t sequence,
                                             const Buffer<std::uint8_t>& all) {
  if (pass.key_mask == nullptr) return all.span().first(pass.tokens);
  return {pass.key_mask + sequence * pass.tokens, pass.tokens};
}

/// The share of a token's hidden state in the pooled vector, for the poolings that are sums.
double weight_of(Pooling pooling, std::size_t place, std::span<const std::uint8_t> counts) {
  if (pooling == Pooling::cls) return place == 0 ? 1 : 0;
  if (counts[place] == 0) return 0;
  double tokens = 0, places = 0;
  bool last = true;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    ++tokens;
    places += static_cast<double>(i + 1);
    last &= i <= place;
  }
  if (pooling == Pooling::last) return last ? 1 : 0;
  if (pooling == Pooling::mean_sqrt_len) return 1 / std::sqrt(tokens);
  if (pooling == Pooling::weightedmean) return static_cast<double>(place + 1) / places;
  return 1 / tokens;
}

/// Each component's gradient goes to the first token that holds the largest value.
void to_largest(float* dhidden, const float* hidden, const float* dvector,
                std::span<const std::uint8_t> counts, std::size_t width) {
  for (std::size_t i = 0; i < width; ++i) {
    std::size_t best = counts.size();
    for (std::size_t place = 0; place < counts.size(); ++place) {
      if (counts[place] == 0) continue;
      if (best == counts.size() || hidden[place * width + i] > hidden[best * width + i]) best = place;
    }
    if (best < counts.size()) dhidden[best * width + i] = dvector[i];
  }
}

/// out (count) += factor * x
void add_scaled(double* out, double factor, const double* x, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) out[i] += factor * x[i];
}

void transpose(float* out, const float* x, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) out[j * n + i] = x[i * n + j];
  }
}

}  // namespace

Status check_contrastive(const ContrastiveOptions& options) {
  return options::check_ranges("trainer", "contrastive.", options);
}

Status Contrastive::reserve(std::size_t batch, std::size_t longest, std::size_t width) {
  constexpr const char* what = "trainer: contrastive";
  pairs_ = batch / 2;
  width_ = width;
  const std::size_t square = pairs_ * pairs_;
  for (const auto& [buffer, size] : {std::pair{&vectors_, batch * width},
                                     {&logits_, square},
                                     {&turned_, square},
                                     {&gradient_, square},
                                     {&turned_gradient_, square},
                                     {&log_sum_exp_, pairs_}}) {
    ROPEWALK_TRY(buffer->reserve(size, what));
  }
  for (const auto& [buffer, size] : {std::pair{&units_, batch * width},
                                     {&columns_, pairs_ * width},
                                     {&row_, std::max(pairs_, width)},
                                     {&lengths_, batch}}) {
    ROPEWALK_TRY(buffer->reserve(size, what));
  }
  ROPEWALK_TRY(all_.reserve(longest, what));
  std::fill_n(all_.data(), longest, std::uint8_t{1});
  ROPEWALK_TRY(labels_.reserve(pairs_, what));
  for (std::size_t i = 0; i < pairs_; ++i) labels_[i] = static_cast<std::int32_t>(i);
  return {};
}

void Contrastive::pool(const model::Pass& pass, const float* hidden, std::size_t first) {
  for (std::size_t b = 0; b < pass.batch; ++b) {
    sentence_modules::pool(options_.pooling, vectors_.data() + (first + b) * width_,
                           {hidden + b * pass.tokens * width_, counted_tokens(pass, b, all_), width_});
  }
}

// Sums are chains in float64 over whole rows, which vectorise without another order: the same bits everywhere.
nn::Loss Contrastive::loss(nn::Compute compute) {
  const std::size_t n = pairs_, width = width_;
  double* const anchors = units_.data();
  double* const positives = anchors + n * width;
  for (std::size_t sequence = 0; sequence < 2 * n; ++sequence) {
    const float* const x = vectors_.data() + sequence * width;
    double squares = 0;
    for (std::size_t c = 0; c < width; ++c) squares += double{x[c]} * double{x[c]};
    lengths_[sequence] = std::max(std::sqrt(squares), shortest);
    double* const unit = (sequence % 2 == 0 ? anchors : positives) + sequence / 2 * width;
    for (std::size_t c = 0; c < width; ++c) unit[c] = double{x[c]} / lengths_[sequence];
  }
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t c = 0; c < width; ++c) columns_[c * n + j] = positives[j * width + c];
  }
  for (std::size_t i = 0; i < n; ++i) {
    std::fill_n(row_.data(), n, 0.0);
    for (std::size_t c = 0; c < width; ++c)
      add_scaled(row_.data(), anchors[i * width + c], columns_.data() + c * n, n);
    for (std::size_t j = 0; j < n; ++j)
      logits_[i * n + j] = static_cast<float>(row_[j] / options_.temperature);
  }
  const float share = options_.symmetric ? 0.5F : 1.0F;
  nn::Loss found = one_direction(compute, logits_, gradient_, share);
  if (options_.symmetric) {
    transpose(turned_.data(), logits_.data(), n);
    const nn::Loss other = one_direction(compute, turned_, turned_gradient_, share);
    transpose(turned_.data(), turned_gradient_.data(), n);
    for (std::size_t i = 0; i < n * n; ++i) gradient_[i] += turned_[i];
    found = {(found.loss + other.loss) / 2, 2 * n, found.correct + other.correct};
  }
  for (std::size_t sequence = 0; sequence < 2 * n; ++sequence) set_gradient(sequence);
  return found;
}

nn::Loss Contrastive::one_direction(nn::Compute compute, Buffer<float>& logits, Buffer<float>& gradient,
                                    float share) {
  const std::size_t n = pairs_;
  const nn::Loss found =
      nn::cross_entropy_forward(compute, log_sum_exp_.data(), logits.data(), labels_.data(), n, n);
  nn::cross_entropy_backward(compute, gradient.data(), logits.data(), log_sum_exp_.data(), labels_.data(), n,
                             share, n, n);
  return found;
}

// With u = x / |x|: dx = (du - u (u . du)) / |x|.
void Contrastive::set_gradient(std::size_t sequence) {
  const std::size_t n = pairs_, width = width_, pair = sequence / 2;
  const bool anchor = sequence % 2 == 0;
  const double* const own = units_.data() + ((anchor ? 0 : n) + pair) * width;
  const double* const others = units_.data() + (anchor ? n : 0) * width;
  double* const sum = row_.data();
  std::fill_n(sum, width, 0.0);
  for (std::size_t k = 0; k < n; ++k) {
    const double gradient = double{anchor ? gradient_[pair * n + k] : gradient_[k * n + pair]};
    add_scaled(sum, gradient / options_.temperature, others + k * width, width);
  }
  double along = 0;
  for (std::size_t c = 0; c < width; ++c) along += own[c] * sum[c];
  for (std::size_t c = 0; c < width; ++c)
    vectors_[sequence * width + c] = static_cast<float>((sum[c] - own[c] * along) / lengths_[sequence]);
}

void Contrastive::unpool(const model::Pass& pass, float* dhidden, const float* hidden,
                         std::size_t first) const {
  std::memset(dhidden, 0, pass.rows() * width_ * sizeof(float));
  for (std::size_t b = 0; b < pass.batch; ++b) {
    const std::span<const std::uint8_t> counts = counted_tokens(pass, b, all_);
    const float* const dvector = vectors_.data() + (first + b) * width_;
    const std::size_t begin = b * pass.tokens * width_;
    if (options_.pooling == Pooling::max) {
      to_largest(dhidden + begin, hidden + begin, dvector, counts, width_);
      continue;
    }
    for (std::size_t place = 0; place < pass.tokens; ++place) {
      const double weight = weight_of(options_.pooling, place, counts);
      if (weight == 0) continue;
      float* const to = dhidden + begin + place * width_;
      for (std::size_t c = 0; c < width_; ++c) to[c] = static_cast<float>(weight * double{dvector[c]});
    }
  }
}

}  // namespace ropewalk::trainer
