// Rotation by given angles, of any shape: every instruction set agrees with float64, channels that do not rotate keep their
// values, the gradient of x is the rotation by minus the angles, and a refused call writes nothing.

#include "ropewalk/rotate_by.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "reference/rotate.hpp"
#include "ropewalk/architecture.hpp"
#include "target.hpp"

namespace {

using namespace ropewalk;
using fuzz::Numbers;

constexpr float untouched = 23130;

struct Call {
  GivenAngles shape;
  std::size_t angle_heads = 1;
  std::vector<double> angles;

  double angle(std::size_t token, std::size_t head, std::size_t pair) const {
    return angles[(token * angle_heads + (angle_heads == 1 ? 0 : head)) * shape.pairs + pair];
  }
};

double angle_of(Numbers& numbers) {
  switch (numbers.whole(0, 4)) {
    case 0:
      return numbers.real(-4, 4);
    case 1:
      return numbers.raw<std::int32_t>();
    case 2:
      // Any number at all: infinite, no number, too small to count.
      return numbers.raw<double>();
    case 3:
      return std::ldexp(numbers.real(-1, 1), 45);
    default:
      return 0;
  }
}

Call call_of(Numbers& numbers) {
  Call call;
  GivenAngles& shape = call.shape;
  shape.batch = numbers.whole(1, 3);
  shape.sequence = numbers.whole(1, 9);
  shape.heads = numbers.whole(1, 4);
  shape.dimension = numbers.whole(1, 80);
  // One pair more than there may be, now and then.
  shape.pairs = numbers.whole(0, shape.dimension / 2 + (numbers.whole(0, 7) == 0 ? 1 : 0));
  shape.pairing = numbers.flag() ? Pairing::half : Pairing::interleaved;
  call.angle_heads = numbers.flag() ? shape.heads : 1;
  const std::size_t count = shape.batch * shape.sequence * call.angle_heads * shape.pairs;
  // Angles repeat, so that a short input fills a large array.
  std::vector<double> some(1 + numbers.whole(0, 30));
  for (double& each : some) each = angle_of(numbers);
  for (std::size_t i = 0; i < count; ++i) call.angles.push_back(some[i % some.size()]);
  return call;
}

void compare(const Call& call, std::span<const float> x, std::span<const float> y, double sign,
             std::string_view architecture) {
  const GivenAngles& shape = call.shape;
  for (std::size_t row = 0; row < x.size() / shape.dimension; ++row) {
    const std::size_t token = row / shape.heads, head = row % shape.heads, first = row * shape.dimension;
    for (std::size_t j = 0; j < shape.pairs; ++j) {
      const std::size_t a = first + reference::first_channel(shape.pairing, shape.pairs, j),
                        b = first + reference::second_channel(shape.pairing, shape.pairs, j);
      const double phi = call.angle(token, head, j), c = std::cos(phi), s = sign * std::sin(phi);
      const double bound = std::hypot(double{x[a]}, double{x[b]}) * std::ldexp(2.5, -23);
      fuzz::require(std::fabs(y[a] - (x[a] * c - x[b] * s)) <= bound &&
                        std::fabs(y[b] - (x[a] * s + x[b] * c)) <= bound,
                    "rotation by given angles is that of float64", architecture);
    }
    for (std::size_t c = 2 * shape.pairs; c < shape.dimension; ++c)
      fuzz::require(x[first + c] == y[first + c], "channels beside the rotated ones stay", architecture);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Numbers numbers(data, size);
  const Call call = call_of(numbers);
  const GivenAngles& shape = call.shape;
  std::vector<float> x(shape.batch * shape.sequence * shape.heads * shape.dimension);
  std::uint32_t state = 12345;
  for (float& each : x) {
    state = state * 1664525u + 1013904223u;
    each = static_cast<float>(static_cast<std::int32_t>(state)) / 1e9F;
  }
  for (const std::string_view architecture : architectures()) {
    fuzz::require(try_use_architecture(architecture).ok(), "an architecture that is listed can be used");
    std::vector<float> y(x.size(), untouched), grad_x(x.size(), untouched);
    std::vector<double> grad_angles(call.angles.size(), untouched);
    const Status status = try_rotate_by(x, call.angles, shape, y);
    const Status backward = try_rotate_by_gradient(x, call.angles, x, shape, grad_x, grad_angles);
    fuzz::require(status.ok() == backward.ok(), "the gradient takes what the rotation takes", architecture);
    if (status.ok()) {
      compare(call, x, y, 1, architecture);
      compare(call, x, grad_x, -1, architecture);
      continue;
    }
    fuzz::require_words(status);
    fuzz::require_words(backward);
    const auto is_clear = [](auto value) { return value == untouched; };
    fuzz::require(std::ranges::all_of(y, is_clear) && std::ranges::all_of(grad_x, is_clear) &&
                      std::ranges::all_of(grad_angles, is_clear),
                  "a refused call writes nothing", architecture);
  }
  return 0;
}
