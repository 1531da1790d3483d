#pragma once

// The architectures compiled in, and the one in use.

#include <span>

#include "kernels/kernels.hpp"

namespace ropewalk::arch {

/// Tables that this processor can run, the preferred one first. Never empty.
std::span<const kernels::Kernels* const> supported();

/// The table in use: the first supported one, or the one that ROPEWALK_ARCH or ropewalk::use_architecture named.
const kernels::Kernels& active();

/// The products of 8-bit integers in use: those of active(), unless use_int8 named others.
const kernels::Int8Kernels& int8();

/// Makes `kernels`, which must stay, those in use for weights that are packed from now on. Only where one architecture is
/// compiled in, as in WebAssembly, whose instruction sets are modules.
void use_int8(const kernels::Int8Kernels& kernels);

/// Makes `kernels`, an element of supported(), the table in use from now on, in every thread.
void use(const kernels::Kernels& kernels);

}  // namespace ropewalk::arch
