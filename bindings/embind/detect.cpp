// Which pairing made a sample: it rotates, so it is where the kernels are.

#include <emscripten/bind.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "last_error.hpp"
#include "rope/options_from_json.hpp"
#include "ropewalk/convert.hpp"

namespace {

using ropewalk::embind::keep;

/// A ropewalk::Pairing; -1 for neither, -2 when an argument is refused. Arrays are float32, sizes in
/// elements; the placement as in hot_calls.cpp.
int detect_pairing(const std::string& options, std::uintptr_t x, std::size_t x_size, std::uintptr_t rotated,
                   std::size_t rotated_size, std::size_t batch, std::size_t sequence, std::size_t heads,
                   int layout, int stride_batch, int stride_sequence, int stride_head,
                   std::uintptr_t positions, std::size_t position_count, double start) {
  ropewalk::Result<ropewalk::RopeOptions> read = ropewalk::rope_options_from_json(options);
  if (!read.ok()) return keep(read.status()), -2;
  ropewalk::Placement placement{.batch = batch, .sequence = sequence, .heads = heads, .positions = start};
  if (layout < 0) {
    placement.strides = ropewalk::Strides{stride_batch, stride_sequence, stride_head};
  } else {
    placement.layout = static_cast<ropewalk::Layout>(layout);
  }
  if (positions != 0) {
    placement.positions = std::span<const double>(reinterpret_cast<const double*>(positions), position_count);
  }
  constexpr ropewalk::DType type = ropewalk::DType::float32;
  const auto found = ropewalk::try_detect_pairing(
      {reinterpret_cast<const void*>(x), x_size, type},
      {reinterpret_cast<const void*>(rotated), rotated_size, type}, read.value(), placement);
  if (!found.ok()) return keep(found.status()), -2;
  return found.value() ? static_cast<int>(*found.value()) : -1;
}

}  // namespace

EMSCRIPTEN_BINDINGS(ropewalk_detect) { emscripten::function("detectPairing", &detect_pairing); }
