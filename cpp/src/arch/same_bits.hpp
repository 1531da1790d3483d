#pragma once

#include "kernels/kernels.hpp"

namespace ropewalk::arch {

/// While one lives that is on, active() in its thread is a table that gives the same bits on every architecture: nothing
/// in it multiplies and adds in one rounding. It is the widest of those that the processor has, and no wider than the
/// architecture that was in use.
class SameBits {
 public:
  explicit SameBits(bool on);
  ~SameBits();
  /// True while one that is on lives in this thread, so that threads that help it can compute as it does.
  static bool is_on();
  SameBits(const SameBits&) = delete;
  SameBits& operator=(const SameBits&) = delete;

 private:
  [[maybe_unused]] const kernels::Kernels* before_;
};

}  // namespace ropewalk::arch
