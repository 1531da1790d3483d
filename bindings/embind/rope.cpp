// Creation and properties of a Rope; its hot calls are in hot_calls.cpp.

#include <emscripten/bind.h>

#include <algorithm>
#include <cstdint>

#include "answer.hpp"
#include "memory.hpp"
#include "rope/options_from_json.hpp"
#include "ropewalk/rope.hpp"

namespace {

using ropewalk::Rope;

Rope* make_rope(std::uintptr_t options, std::size_t size) {
  if (!ropewalk::embind::have_memory()) return nullptr;
  ropewalk::Result<ropewalk::RopeOptions> read =
      ropewalk::rope_options_from_json(ropewalk::embind::text_at(options, size));
  if (!read.ok()) return ropewalk::embind::keep(read.status()), nullptr;
  ropewalk::Result<Rope> rope = Rope::make(read.value());
  if (!rope.ok()) return ropewalk::embind::keep(rope.status()), nullptr;
  return new Rope(std::move(rope).value());
}

std::uintptr_t address(const Rope& rope) { return reinterpret_cast<std::uintptr_t>(&rope); }
std::size_t rotary_dim(const Rope& rope) { return rope.rotary_dim(); }
/// d/2, or heads * d/2; that for each of several mixed axes.
std::size_t frequency_count(const Rope& rope) { return rope.frequencies().size(); }
double magnitude(const Rope& rope) { return rope.magnitude(); }

/// As many float64 values as there are frequencies, as below.
void write_frequencies(const Rope& rope, std::uintptr_t out) {
  std::ranges::copy(rope.frequencies(), reinterpret_cast<double*>(out));
}

void write_wavelengths(const Rope& rope, std::uintptr_t out) {
  std::ranges::transform(rope.frequencies(), reinterpret_cast<double*>(out), ropewalk::wavelength_of);
}

}  // namespace

EMSCRIPTEN_BINDINGS(ropewalk_rope) {
  using namespace emscripten;
  class_<Rope>("Rope")
      .function("address", &address)
      .function("rotaryDim", &rotary_dim)
      .function("frequencyCount", &frequency_count)
      .function("magnitude", &magnitude)
      .function("writeFrequencies(address)", &write_frequencies)
      .function("writeWavelengths(address)", &write_wavelengths);
  function("makeRope(options, size)", &make_rope, return_value_policy::take_ownership());
}
