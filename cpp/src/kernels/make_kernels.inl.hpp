#pragma once

// What a file of cpp/src/arch includes, and nothing else: code that is compiled with an architecture's flags
// must not be shared with code that is not, or the linker may keep the wrong copy.

#include "kernels/dense.inl.hpp"
#include "kernels/gradients.inl.hpp"
#include "kernels/kernels.hpp"
#include "kernels/rotate.inl.hpp"
#include "kernels/table.inl.hpp"

namespace ropewalk::kernels {

/// With ROPEWALK_ROTATION_ONLY the dense kernels are null, for a binary that never calls them.
template <class Arch>
constexpr Kernels make_kernels(const char* name, bool fused) {
#if defined(ROPEWALK_ROTATION_ONLY)
  return {name, fused, make_rotate<Arch>(), make_gradients<Arch>(), make_table<Arch>(), {}};
#else
  return {name, fused, make_rotate<Arch>(), make_gradients<Arch>(), make_table<Arch>(), make_dense<Arch>()};
#endif
}

}  // namespace ropewalk::kernels
