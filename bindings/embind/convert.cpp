// Weights between pairings.

#include "ropewalk/convert.hpp"

#include <emscripten/bind.h>

#include <cstddef>
#include <cstdint>

#include "last_error.hpp"

namespace {

using ropewalk::Pairing;
using ropewalk::embind::keep;

/// In place. `rotary_dim` -1: the default.
int convert_pairing(std::uintptr_t weight, std::size_t size, int dtype, int from, int to, std::size_t heads,
                    std::size_t head_dim, double rotary_dim, std::size_t rotary_offset) {
  ropewalk::PairingConversion conversion{.from = static_cast<Pairing>(from),
                                         .to = static_cast<Pairing>(to),
                                         .heads = heads,
                                         .head_dim = head_dim,
                                         .rotary_offset = rotary_offset};
  if (rotary_dim >= 0) conversion.rotary_dim = static_cast<std::size_t>(rotary_dim);
  void* data = reinterpret_cast<void*>(weight);
  const auto type = static_cast<ropewalk::DType>(dtype);
  return keep(ropewalk::try_convert_pairing({data, size, type}, {data, size, type}, conversion));
}

}  // namespace

EMSCRIPTEN_BINDINGS(ropewalk_convert) { emscripten::function("convertPairing", &convert_pairing); }
