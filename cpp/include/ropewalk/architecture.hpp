#pragma once

/// The vector instructions that the kernels use. They are chosen at run time, and may be listed and forced.

#include <string_view>
#include <vector>

#include "ropewalk/status.hpp"

namespace ropewalk {

/// Names of the architectures that this build has and this processor runs, the preferred one first:
/// some of "avx512", "avx512vnni_unfused", "avx2", "avxvnni_unfused", "avx2_unfused", "sse2"; "neon" on 64-bit ARM;
/// "wasm" in WebAssembly.
std::vector<std::string_view> architectures();

/// The one in use: the first of architectures(), unless the environment variable ROPEWALK_ARCH or
/// use_architecture named another. "avx2" and "avx512" round a*b+c once and give the same bits as each other. The others
/// round twice and give the same bits. Models in 8 bits, whose bits are the same everywhere, take the first from the one
/// in use on that rounds twice.
std::string_view architecture();

/// Uses `name`, one of architectures(), from now on: for ropes, and for models that are opened later. A model keeps the one
/// that it was opened with. range error otherwise, and nothing changes.
[[nodiscard]] Status try_use_architecture(std::string_view name);

#if defined(__cpp_exceptions)
/// As try_use_architecture, but throws the error.
inline void use_architecture(std::string_view name) { raise(try_use_architecture(name)); }
#endif

}  // namespace ropewalk
