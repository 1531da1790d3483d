// Detects the pairing that made a sample. It rotates, so it is in the module with the kernels.

#include <emscripten/bind.h>

#include <cstddef>
#include <cstdint>

#include "answer.hpp"
#include "call.hpp"
#include "memory.hpp"
#include "rope/options_from_json.hpp"
#include "ropewalk/convert.hpp"

namespace {

using ropewalk::embind::keep;

/// A ropewalk::Pairing; -1 for neither, -2 when an argument is refused. x, what became of it (`out`) and the
/// placement are in the block of hot calls.
int detect_pairing(std::uintptr_t options, std::size_t size) {
  if (!ropewalk::embind::have_memory()) return -2;
  const ropewalk::embind::Call& call = ropewalk::embind::call();
  ropewalk::Result<ropewalk::RopeOptions> read =
      ropewalk::rope_options_from_json(ropewalk::embind::text_at(options, size));
  if (!read.ok()) return keep(read.status()), -2;
  const auto found = ropewalk::try_detect_pairing(
      call.x.in(), {call.x.out.get(), call.x.out_size, call.x.out_type}, read.value(), call.placement());
  if (!found.ok()) return keep(found.status()), -2;
  return found.value() ? static_cast<int>(*found.value()) : -1;
}

}  // namespace

EMSCRIPTEN_BINDINGS(ropewalk_detect) {
  emscripten::function("detectPairing(options, size)", &detect_pairing);
}
