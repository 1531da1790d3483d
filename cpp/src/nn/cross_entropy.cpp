#include "nn/cross_entropy.hpp"

#include <algorithm>

namespace ropewalk::nn {

Loss cross_entropy_forward(Compute compute, float* log_sum_exp, const float* logits,
                           const std::int32_t* labels, std::size_t m, std::size_t v, float smoothing) {
  const kernels::DenseKernels& kernels = compute.dense();
  Loss result{0.0, 0, 0};
  for (std::size_t i = 0; i < m; ++i) {
    if (labels[i] == ignored_label) {
      if (log_sum_exp != nullptr) log_sum_exp[i] = 0.0F;
      continue;
    }
    const float* row = logits + i * v;
    const auto label = static_cast<std::size_t>(labels[i]);
    const float total = kernels.log_sum_exp(row, v);
    if (log_sum_exp != nullptr) log_sum_exp[i] = total;
    double target = row[label];
    if (smoothing != 0) {
      double sum = 0;
      for (std::size_t c = 0; c < v; ++c) sum += double{row[c]};
      target = (1 - double{smoothing}) * target + double{smoothing} * sum / static_cast<double>(v);
    }
    result.loss += static_cast<double>(total) - target;
    result.correct += static_cast<std::size_t>(std::max_element(row, row + v) - row) == label ? 1 : 0;
    ++result.counted;
  }
  if (result.counted > 0) result.loss /= static_cast<double>(result.counted);
  return result;
}

void cross_entropy_backward(Compute compute, float* dlogits, const float* logits, const float* log_sum_exp,
                            const std::int32_t* labels, std::size_t counted, float factor, std::size_t m,
                            std::size_t v, float smoothing) {
  const kernels::DenseKernels& kernels = compute.dense();
  const float share = counted == 0 ? 0.0F : factor / static_cast<float>(counted);
  for (std::size_t i = 0; i < m; ++i) {
    float* row = dlogits + i * v;
    if (labels[i] == ignored_label) {
      std::fill(row, row + v, 0.0F);
      continue;
    }
    kernels.exp_shifted(logits + i * v, log_sum_exp[i], share, row, v);
    row[labels[i]] -= share * (1 - smoothing);
    if (smoothing == 0) continue;
    const float each = share * smoothing / static_cast<float>(v);
    for (std::size_t c = 0; c < v; ++c) row[c] -= each;
  }
}

}  // namespace ropewalk::nn
