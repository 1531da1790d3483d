#pragma once

// The architectures compiled in, and the one in use. A model asks once, when it is opened (nn/compute.hpp); a rope, which is no
// model, at each call.

#include <span>

#include "kernels/kernels.hpp"

namespace ropewalk::arch {

#if defined(ROPEWALK_ONLY_ARCH)

extern const kernels::Kernels ROPEWALK_ONLY_ARCH;

/// The kernels of an architecture, to be held and handed on. Where one alone is compiled in there is nothing to hold: the
/// linker sees which kernels a program calls, and leaves out the others.
class Architecture {
 public:
  constexpr explicit Architecture(const kernels::Kernels&) {}
  const kernels::Kernels& operator*() const { return ROPEWALK_ONLY_ARCH; }
  const kernels::Kernels* operator->() const { return &ROPEWALK_ONLY_ARCH; }
};

#else

/// The kernels of an architecture, to be held and handed on.
class Architecture {
 public:
  constexpr explicit Architecture(const kernels::Kernels& kernels) : kernels_(&kernels) {}
  const kernels::Kernels& operator*() const { return *kernels_; }
  const kernels::Kernels* operator->() const { return kernels_; }

 private:
  const kernels::Kernels* kernels_;
};

#endif

/// Tables that this processor can run, the preferred one first. Never empty.
std::span<const kernels::Kernels* const> supported();

/// The architecture in use: the first supported one, or the one that ROPEWALK_ARCH or ropewalk::use_architecture named.
Architecture active();

/// The one in use for what must have the same bits on every architecture: nothing in it multiplies and adds in one rounding.
/// It is the widest of those that the processor has, and no wider than active().
Architecture same_bits();

/// The products of 8-bit integers of an architecture, unless use_int8 named others.
const kernels::Int8Kernels& int8(Architecture architecture);

/// Makes `kernels`, which must stay, those of models that are opened from now on. Only where one architecture is compiled
/// in, as in WebAssembly, whose instruction sets are modules.
void use_int8(const kernels::Int8Kernels& kernels);

/// Makes `kernels`, an element of supported(), the table in use from now on, in every thread.
void use(const kernels::Kernels& kernels);

}  // namespace ropewalk::arch
