#pragma once

#include "kernels/kernels.hpp"

namespace ropewalk::arch {

/// While one lives that is on, active() in its thread is a table that gives the same bits on every architecture: nothing
/// in it multiplies and adds in one rounding. Its product of 8-bit integers, whose sums are exact, is that of the
/// architecture that was in use.
class SameBits {
 public:
  explicit SameBits(bool on);
  ~SameBits();
  SameBits(const SameBits&) = delete;
  SameBits& operator=(const SameBits&) = delete;

 private:
  [[maybe_unused]] const kernels::Kernels* before_;
};

}  // namespace ropewalk::arch
