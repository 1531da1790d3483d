// Weights between pairings.

#include "ropewalk/convert.hpp"

#include <cstddef>

#include "export.hpp"
#include "memory.hpp"

extern "C" {

/// In place. `rotary_dim` below 0: the default.
ROPEWALK_EXPORT(int, ropewalk_convert_pairing, void* weight, std::size_t size, ropewalk::DType dtype,
                ropewalk::Pairing from, ropewalk::Pairing to, std::size_t heads, std::size_t head_dim,
                double rotary_dim, std::size_t rotary_offset) {
  ropewalk::PairingConversion conversion{
      .from = from, .to = to, .heads = heads, .head_dim = head_dim, .rotary_offset = rotary_offset};
  if (rotary_dim >= 0) conversion.rotary_dim = static_cast<std::size_t>(rotary_dim);
  return ropewalk::embind::guarded([&] {
    return ropewalk::try_convert_pairing({weight, size, dtype}, {weight, size, dtype}, conversion);
  });
}
}
