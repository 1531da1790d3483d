// The calls that run once per token are plain exports, since an Embind call costs more than rotating a short array.
// Arguments are in call.hpp's block. Each returns the code of a Status.

#include <emscripten/emscripten.h>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "call.hpp"
#include "memory.hpp"

namespace ropewalk::embind {
namespace {

Call block;
// The results of the last gradients(), until TypeScript has copied them.
RopeGradients gradients;

}  // namespace

Call& call() { return block; }

extern "C" {

EMSCRIPTEN_KEEPALIVE Call* ropewalk_call() { return &block; }

EMSCRIPTEN_KEEPALIVE int ropewalk_rotate(const Rope* rope) {
  return guarded(
      [&] { return rope->try_rotate(block.x.in(), block.x.result(), block.placement(), block.role); });
}

EMSCRIPTEN_KEEPALIVE int ropewalk_unrotate(const Rope* rope) {
  return guarded(
      [&] { return rope->try_unrotate(block.x.in(), block.x.result(), block.placement(), block.role); });
}

EMSCRIPTEN_KEEPALIVE int ropewalk_rerotate(const Rope* rope) {
  return guarded([&] {
    return rope->try_rerotate(block.x.in(), block.x.result(), block.placement(),
                              {.positions = block.to.get(), .rope = block.to_rope}, block.role);
  });
}

EMSCRIPTEN_KEEPALIVE int ropewalk_rotate_qk(const Rope* rope) {
  std::optional<Strides> key_strides;
  if (block.layout < 0) key_strides = block.key_strides.get();
  return guarded([&] {
    return rope->try_rotate_qk(block.x.in(), block.x.result(), block.k.in(), block.k.result(),
                               block.placement(), block.kv_heads, key_strides);
  });
}

EMSCRIPTEN_KEEPALIVE int ropewalk_gradients(const Rope* rope) {
  const MutableArrayRef grad_y = block.x.result();
  const int code = guarded([&] {
    return rope->try_gradients(block.x.in(), {grad_y.data, grad_y.size, grad_y.dtype}, block.placement(),
                               gradients, block.role);
  });
  block.magnitude = gradients.magnitude;
  block.gradients[0] = {gradients.x.data(), gradients.x.size()};
  const std::vector<double>* rest[] = {&gradients.frequencies, &gradients.positions, &gradients.alpha,
                                       &gradients.rho};
  for (std::size_t i = 0; i < 4; ++i) block.gradients[i + 1] = {rest[i]->data(), rest[i]->size()};
  return code;
}

/// Frees what gradients() found.
EMSCRIPTEN_KEEPALIVE void ropewalk_free_gradients() { gradients = {}; }

/// rotate_by, or where the call has a place for the gradient of the angles, its gradient.
EMSCRIPTEN_KEEPALIVE int ropewalk_rotate_by() {
  const auto floats = [](void* data, std::size_t size) { return std::span(static_cast<float*>(data), size); };
  const std::span<const double> angles(block.positions.values, block.positions.count);
  const auto x = floats(block.x.out, block.x.out_size), k = floats(block.k.out, block.k.out_size);
  return guarded([&] {
    if (block.grad_angles == nullptr) return try_rotate_by(x, angles, block.given(), x);
    return try_rotate_by_gradient(x, angles, k, block.given(), k, {block.grad_angles, angles.size()});
  });
}

/// Replaces positions by the scales of queries there.
EMSCRIPTEN_KEEPALIVE int ropewalk_query_scales(const Rope* rope, double* positions, std::uint32_t count) {
  return guarded([&] { return rope->try_query_scales({positions, count}, {positions, count}); });
}

/// `cos` and `sin` hold `size` elements each.
EMSCRIPTEN_KEEPALIVE int ropewalk_table(const Rope* rope, const double* positions, std::uint32_t count,
                                        float* cos, float* sin, std::uint32_t size) {
  return guarded([&] { return rope->try_table({positions, count}, {cos, size}, {sin, size}); });
}
}

}  // namespace ropewalk::embind
