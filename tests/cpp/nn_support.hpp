#pragma once

// Shared by the tests of kernels and layers: comparison with the float64 reference, and numeric gradients.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/buffer.hpp"
#include "nn/compute.hpp"

namespace ropewalk::nn_support {

#if defined(__EMSCRIPTEN__)
/// The threads that nn::module_threads returns in this program.
inline Threads* threads_of_module = nullptr;
#endif

/// The architecture in use, and the calling thread alone unless `threads` are given.
inline nn::Compute compute(Threads* threads = nullptr) {
#if defined(__EMSCRIPTEN__)
  threads_of_module = threads;
#endif
  return nn::Compute(arch::active(), threads);
}

inline std::vector<double> doubles(const std::vector<float>& x) { return {x.begin(), x.end()}; }

/// 64-byte aligned, as scratch has to be; filled with NaN, so that a kernel that reads what it did not write
/// shows.
inline Buffer<float> scratch(std::size_t count) {
  Buffer<float> buffer;
  EXPECT_TRUE(buffer.allocate(count, "scratch").ok());
  std::fill_n(buffer.data(), count, std::nanf(""));
  return buffer;
}

/// Largest |actual - expected| over the largest |expected| (or 1 if that is less).
inline double distance(const float* actual, const std::vector<double>& expected) {
  double scale = 1.0, worst = 0.0;
  for (double value : expected) scale = std::max(scale, std::fabs(value));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double error = std::fabs(static_cast<double>(actual[i]) - expected[i]);
    if (!(error <= worst)) worst = error;  // NaN wins
  }
  return worst / scale;
}
inline double distance(const std::vector<float>& actual, const std::vector<double>& expected) {
  EXPECT_EQ(actual.size(), expected.size());
  return distance(actual.data(), expected);
}

/// Compares `gradient` with central differences of `loss` by each element of x.
inline void expect_gradient(std::vector<double>& x, const std::vector<double>& gradient,
                            const std::function<double()>& loss, const std::string& what) {
  ASSERT_EQ(x.size(), gradient.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double step = 1e-5, before = x[i];
    x[i] = before + step;
    const double above = loss();
    x[i] = before - step;
    const double below = loss();
    x[i] = before;
    const double numeric = (above - below) / (2 * step);
    EXPECT_NEAR(gradient[i], numeric, 1e-7 * std::max(1.0, std::fabs(numeric))) << what << " [" << i << "]";
  }
}

inline double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace ropewalk::nn_support
