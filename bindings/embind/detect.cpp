// Which pairing made a sample: it rotates, so it is where the kernels are.

#include <emscripten/bind.h>

#include <string>

#include "call.hpp"
#include "last_error.hpp"
#include "rope/options_from_json.hpp"
#include "ropewalk/convert.hpp"

namespace {

using ropewalk::embind::keep;

/// A ropewalk::Pairing; -1 for neither, -2 when an argument is refused. x, what became of it (`out`) and the
/// placement are in the block of hot calls.
int detect_pairing(const std::string& options) {
  const ropewalk::embind::Call& call = ropewalk::embind::call();
  ropewalk::Result<ropewalk::RopeOptions> read = ropewalk::rope_options_from_json(options);
  if (!read.ok()) return keep(read.status()), -2;
  const auto found = ropewalk::try_detect_pairing(call.x.in(), {call.x.out, call.x.out_size, call.x.out_type},
                                                  read.value(), call.placement());
  if (!found.ok()) return keep(found.status()), -2;
  return found.value() ? static_cast<int>(*found.value()) : -1;
}

}  // namespace

EMSCRIPTEN_BINDINGS(ropewalk_detect) { emscripten::function("detectPairing", &detect_pairing); }
