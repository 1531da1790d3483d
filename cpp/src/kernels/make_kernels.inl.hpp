#pragma once

// The table of kernels of one architecture. A file of cpp/src/arch includes this after its specialisations of
// kernels/arch.inl.hpp, and nothing else of the project: code that is compiled with an architecture's flags must not be
// shared with code that is not, or the linker may keep the wrong copy.

#include "kernels/dense.inl.hpp"
#include "kernels/gradients.inl.hpp"
#include "kernels/int8.inl.hpp"
#include "kernels/int8_blocks.inl.hpp"
#include "kernels/kernels.hpp"
#include "kernels/rotate.inl.hpp"
#include "kernels/scan.inl.hpp"
#include "kernels/screen.inl.hpp"
#include "kernels/table.inl.hpp"

namespace ropewalk::kernels {

/// A binary may leave out what it never calls, and has null pointers there: with ROPEWALK_ROTATION_ONLY the
/// dense kernels, with ROPEWALK_MODEL_ONLY the rotation of 16-bit elements and the functions that only tests
/// call alone. ROPEWALK_INFERENCE_ONLY leaves out gradients, losses and the optimiser, ROPEWALK_TRAINING_ONLY the
/// products in 8 bits, which only inference calls; ROPEWALK_ENCODERS_ONLY that with scales for blocks and its screen, and
/// ROPEWALK_DECODERS_ONLY that with scales for rows.
template <class Arch>
constexpr Kernels make_kernels(const char* name) {
  Kernels kernels{name, fused<Arch>, make_rotate<Arch>(), make_gradients<Arch>(), make_table<Arch>(), {}, {},
                  {},   {}};
#if !defined(ROPEWALK_ROTATION_ONLY)
  kernels.dense = make_dense<Arch>();
  kernels.int8 = {make_rows<Int8Form<Arch>>(), make_blocks<Int8Form<Arch>>(), &screen<Int8Form<Arch>>};
  kernels.screen = {&pack_screen<Arch>, &query_screen<Arch>};
#endif
#if !defined(ROPEWALK_MODEL_ONLY)
  // Indices lie beside the ropes.
  kernels.scan = {&scan<Arch>};
#endif
#if defined(ROPEWALK_MODEL_ONLY)
  for (int element = 1; element < 3; ++element) {
    for (int pairing = 0; pairing < 2; ++pairing) {
      kernels.rotate.of[element][pairing] = nullptr;
    }
  }
  kernels.dense.erf = kernels.dense.tanh = nullptr;
#endif
#if defined(ROPEWALK_INFERENCE_ONLY)
  kernels.gradients = {};
  leave_out_training(kernels.dense);
#endif
#if defined(ROPEWALK_TRAINING_ONLY) || defined(ROPEWALK_DECODERS_ONLY)
  kernels.int8.rows = {};
#endif
#if defined(ROPEWALK_TRAINING_ONLY) || defined(ROPEWALK_ENCODERS_ONLY)
  kernels.int8.blocks = {};
  kernels.int8.screen = nullptr;
  kernels.screen = {};
#endif
  return kernels;
}

}  // namespace ropewalk::kernels
