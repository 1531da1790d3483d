// The calls that run once per token are plain exports, since an Embind call costs more than rotating a short array.
// Arguments are in call.hpp's block. Each returns the code of a Status.

#include <cstddef>
#include <cstdint>
#include <optional>

#include "call.hpp"
#include "export.hpp"
#include "memory.hpp"

namespace ropewalk::embind {
namespace {

// The results of the last gradients(), until TypeScript has copied them.
ROPEWALK_PER_THREAD RopeGradients gradients;

}  // namespace

#if defined(__EMSCRIPTEN__)
Call& call() {
  static constinit Call block = {};
  return block;
}
#endif

extern "C" {

ROPEWALK_EXPORT(Call*, ropewalk_call) { return &call(); }

ROPEWALK_EXPORT(int, ropewalk_rotate, const Rope* rope) {
  return guarded(
      [&] { return rope->try_rotate(call().x.in(), call().x.result(), call().placement(), call().role); });
}

ROPEWALK_EXPORT(int, ropewalk_unrotate, const Rope* rope) {
  return guarded(
      [&] { return rope->try_unrotate(call().x.in(), call().x.result(), call().placement(), call().role); });
}

ROPEWALK_EXPORT(int, ropewalk_rerotate, const Rope* rope) {
  return guarded([&] {
    return rope->try_rerotate(call().x.in(), call().x.result(), call().placement(),
                              {.positions = call().to.get(), .rope = call().to_rope.get()}, call().role);
  });
}

ROPEWALK_EXPORT(int, ropewalk_rotate_qk, const Rope* rope) {
  std::optional<Strides> key_strides;
  if (call().layout < 0) key_strides = call().key_strides.get();
  return guarded([&] {
    return rope->try_rotate_qk(call().x.in(), call().x.result(), call().k.in(), call().k.result(),
                               call().placement(), call().kv_heads, key_strides);
  });
}

ROPEWALK_EXPORT(int, ropewalk_gradients, const Rope* rope) {
  const MutableArrayRef grad_y = call().x.result();
  const int code = guarded([&] {
    return rope->try_gradients(call().x.in(), {grad_y.data, grad_y.size, grad_y.dtype}, call().placement(),
                               gradients, call().role);
  });
  call().magnitude = gradients.magnitude;
  const auto found = [](const auto& values) {
    return Call::Found{reinterpret_cast<std::uintptr_t>(values.data()),
                       static_cast<std::uint32_t>(values.size())};
  };
  call().gradients[0] = found(gradients.x);
  const std::vector<double>* rest[] = {&gradients.frequencies, &gradients.positions, &gradients.alpha,
                                       &gradients.rho};
  for (std::size_t i = 0; i < 4; ++i) call().gradients[i + 1] = found(*rest[i]);
  return code;
}

/// Frees what gradients() found.
ROPEWALK_EXPORT(void, ropewalk_free_gradients) { gradients = {}; }

/// rotate_by, or where the call has a place for the gradient of the angles, its gradient.
ROPEWALK_EXPORT(int, ropewalk_rotate_by) {
  const auto floats = [](void* data, std::size_t size) { return std::span(static_cast<float*>(data), size); };
  const std::span<const double> angles(call().positions.values.get(), call().positions.count);
  const auto x = floats(call().x.out.get(), call().x.out_size),
             k = floats(call().k.out.get(), call().k.out_size);
  return guarded([&] {
    if (call().grad_angles.value == 0) return try_rotate_by(x, angles, call().given(), x);
    return try_rotate_by_gradient(x, angles, k, call().given(), k, {call().grad_angles.get(), angles.size()});
  });
}

/// Replaces positions by the scales of queries there.
ROPEWALK_EXPORT(int, ropewalk_query_scales, const Rope* rope, double* positions, std::uint32_t count) {
  return guarded([&] { return rope->try_query_scales({positions, count}, {positions, count}); });
}

/// `cos` and `sin` hold `size` elements each.
ROPEWALK_EXPORT(int, ropewalk_table, const Rope* rope, const double* positions, std::uint32_t count,
                float* cos, float* sin, std::uint32_t size) {
  return guarded([&] { return rope->try_table({positions, count}, {cos, size}, {sin, size}); });
}
}

}  // namespace ropewalk::embind
