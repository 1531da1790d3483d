#include "nn/compute.hpp"

#include "ropewalk/encoder.hpp"

namespace ropewalk::nn {

Compute Compute::in(Precision precision, Threads* threads) {
  return Compute(precision == Precision::int8 ? arch::same_bits() : arch::active(), threads);
}

}  // namespace ropewalk::nn
