// Functions that the C library would otherwise import from the host. With them the module without glue imports nothing:
// there is no environment, nowhere to print, and a host that looks at its memory sees that it has grown.

#include <cstddef>
#include <cstdint>

extern "C" {

void emscripten_notify_memory_growth(std::size_t) {}

// Functions of WASI by the names that Emscripten's C library calls them. 8 is WASI's "bad file descriptor".
std::uint16_t __wasi_environ_sizes_get(std::size_t* count, std::size_t* bytes) {
  *count = *bytes = 0;
  return 0;
}
std::uint16_t __wasi_environ_get(std::uint8_t**, std::uint8_t*) { return 0; }
std::uint16_t __wasi_fd_write(int, const void*, std::size_t, std::size_t*) { return 8; }
std::uint16_t __wasi_fd_seek(int, std::int64_t, std::uint8_t, std::uint64_t*) { return 8; }
std::uint16_t __wasi_fd_close(int) { return 8; }
[[noreturn]] void __wasi_proc_exit(std::uint32_t) { __builtin_trap(); }
}
