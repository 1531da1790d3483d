#pragma once

/// Rotation by given angles, one for each token, head and pair, for encodings whose angles are not position times
/// frequency: sums of steps that depend on the input (Selective RoPE, arXiv 2511.17388), learned or contextual positions.

#include <cstddef>
#include <span>

#include "ropewalk/pairing.hpp"
#include "ropewalk/status.hpp"

namespace ropewalk {

/// Shape of what is rotated: x [batch, sequence, heads, dimension], angles [batch, sequence, heads or 1, pairs] in
/// radians. The first 2 * pairs channels of a head rotate, the others pass.
struct GivenAngles {
  /// B
  std::size_t batch = 1;
  /// S
  std::size_t sequence = 1;
  /// H
  std::size_t heads = 1;
  /// D, channels of a head.
  std::size_t dimension = 0;
  /// P: at most dimension / 2.
  std::size_t pairs = 0;
  /// The two of the first 2 * pairs channels that make a pair.
  Pairing pairing = Pairing::interleaved;
};

/// out = x with pair (a, b) of angle phi as (a cos phi - b sin phi, a sin phi + b cos phi), cos and sin within 1 ulp of
/// float32. `out` is x itself or does not overlap it. With one angle for all heads, `angles` has a single head.
/// Errors: sizes that do not agree, angles that are not finite or beyond 2^45; nothing has been written then.
Status try_rotate_by(std::span<const float> x, std::span<const double> angles, const GivenAngles& shape,
                     std::span<float> out);

/// The gradients of try_rotate_by from grad_y = dL/dy: grad_x, which may be grad_y itself, and grad_angles, of the shape
/// of `angles` and in float64, summed over the heads that share an angle. Errors as there.
Status try_rotate_by_gradient(std::span<const float> x, std::span<const double> angles,
                              std::span<const float> grad_y, const GivenAngles& shape,
                              std::span<float> grad_x, std::span<double> grad_angles);

#if defined(__cpp_exceptions)
/// As try_rotate_by, but throws the error.
inline void rotate_by(std::span<const float> x, std::span<const double> angles, const GivenAngles& shape,
                      std::span<float> out) {
  raise(try_rotate_by(x, angles, shape, out));
}
/// As try_rotate_by_gradient, but throws the error.
inline void rotate_by_gradient(std::span<const float> x, std::span<const double> angles,
                               std::span<const float> grad_y, const GivenAngles& shape,
                               std::span<float> grad_x, std::span<double> grad_angles) {
  raise(try_rotate_by_gradient(x, angles, grad_y, shape, grad_x, grad_angles));
}
#endif

}  // namespace ropewalk
