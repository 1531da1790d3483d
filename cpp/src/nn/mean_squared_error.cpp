#include "nn/mean_squared_error.hpp"

namespace ropewalk::nn {

Loss mean_squared_error_forward(const float* values, const float* targets, std::size_t m) {
  double sum = 0;
  for (std::size_t i = 0; i < m; ++i) {
    const double difference = static_cast<double>(values[i]) - static_cast<double>(targets[i]);
    sum += difference * difference;
  }
  return {m == 0 ? 0.0 : sum / static_cast<double>(m), m, 0};
}

void mean_squared_error_backward(float* dvalues, const float* values, const float* targets,
                                 std::size_t counted, float factor, std::size_t m) {
  const float share = counted == 0 ? 0.0F : 2 * factor / static_cast<float>(counted);
  for (std::size_t i = 0; i < m; ++i) dvalues[i] = share * (values[i] - targets[i]);
}

}  // namespace ropewalk::nn
