#pragma once

// The architectures compiled in, and the one in use.

#include <span>

#include "kernels/kernels.hpp"

namespace ropewalk::arch {

/// Tables that this processor can run, the preferred one first. Never empty.
std::span<const kernels::Kernels* const> supported();

/// The table in use: the first supported one, or the one that ROPEWALK_ARCH or ropewalk::use_architecture named.
const kernels::Kernels& active();

/// Makes `kernels`, an element of supported(), the table in use from now on, in every thread.
void use(const kernels::Kernels& kernels);

}  // namespace ropewalk::arch
