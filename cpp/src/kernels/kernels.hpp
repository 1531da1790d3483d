#pragma once

// One table of function pointers per architecture. The templates behind it are in *.inl.hpp beside this file,
// cpp/src/arch/<name>.cpp instantiates them, arch/select.hpp chooses a table at run time.

#include "kernels/dense.hpp"
#include "kernels/gradients.hpp"
#include "kernels/int8.hpp"
#include "kernels/int8_blocks.hpp"
#include "kernels/rotate.hpp"
#include "kernels/scan.hpp"
#include "kernels/screen.hpp"
#include "kernels/table.hpp"

namespace ropewalk::kernels {

/// Products of 8-bit integers.
struct Int8Kernels {
  RowsKernels rows;
  BlocksKernels blocks;
  ScreenKernel screen;
};

struct Kernels {
  /// As its file in cpp/src/arch: "sse2", "avx2", "avx512", "neon", "wasm".
  const char* name;
  /// True if a*b+c rounds once. Tables with the same value give the same bits.
  bool fused;
  RotateKernels rotate;
  GradientKernels gradients;
  TableKernels table;
  DenseKernels dense;
  /// Exact, hence the same bits in every table; so are the sums of `scan`.
  Int8Kernels int8;
  ScanKernels scan;
  ScreenKernels screen;
};

}  // namespace ropewalk::kernels
