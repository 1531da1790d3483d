// A debug allocation mode of Buffer: preloaded (LD_PRELOAD) or linked into a program, this replaces aligned_alloc, from
// which every Buffer comes, and free. Each block ends at a page that nobody may touch, and after free nobody may touch
// the block: an access behind the end, or to what was freed, ends the process, whichever instructions made it. Unlike
// under AddressSanitizer the code that runs is the code that is shipped.
//
// Blocks begin at a multiple of 64 bytes, as Buffer asks for, and Buffer rounds its size up to that: what lies within
// the last 63 bytes is not seen.

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

extern "C" void __libc_free(void* memory);

namespace {

/// Addresses are never used twice, so that a pointer to freed memory stays one. None of it is memory until it is used.
constexpr std::size_t region_bytes = std::size_t{1} << 44;
constexpr std::size_t mark = 0x6775617264ULL;

/// Lies right before the data.
struct Head {
  std::byte* first_page;
  std::size_t readable_bytes;
  std::size_t mark;
};

std::size_t page() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

std::byte* region() {
  static std::byte* const begin = [] {
    void* memory = mmap(nullptr, region_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? nullptr : static_cast<std::byte*>(memory);
  }();
  return begin;
}

std::atomic<std::size_t> used = 0;
std::atomic<std::size_t> blocks = 0;

std::size_t round_up(std::size_t size, std::size_t unit) { return (size + unit - 1) / unit * unit; }

}  // namespace

/// The number of blocks so far.
extern "C" std::size_t ropewalk_guarded_blocks() { return blocks; }

// A block is [unused | head | data], whole pages that may be used, and then the page that may not.
extern "C" void* aligned_alloc(std::size_t alignment, std::size_t size) {
  std::byte* const begin = region();
  const std::size_t data_bytes = round_up(size, alignment);
  errno = ENOMEM;
  if (begin == nullptr || data_bytes < size || data_bytes > region_bytes / 2) return nullptr;
  const std::size_t readable = round_up(round_up(sizeof(Head), alignment) + data_bytes, page());
  const std::size_t at = used.fetch_add(readable + page());
  if (at > region_bytes || readable + page() > region_bytes - at) return nullptr;
  std::byte* const first = begin + at;
  if (mprotect(first, readable, PROT_READ | PROT_WRITE) != 0) return nullptr;
  std::byte* const data = first + readable - data_bytes;
  reinterpret_cast<Head*>(data)[-1] = {first, readable, mark};
  ++blocks;
  errno = 0;
  return data;
}

extern "C" void free(void* memory) {
  std::byte* const begin = region();
  auto* const data = static_cast<std::byte*>(memory);
  if (begin == nullptr || data < begin || data >= begin + region_bytes) return __libc_free(memory);
  const Head head = reinterpret_cast<Head*>(data)[-1];
  if (head.mark != mark) {
    std::fputs("guard pages: something wrote before the beginning of a block\n", stderr);
    std::abort();
  }
  // Gives the memory back and closes its addresses.
  constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
  if (mmap(head.first_page, head.readable_bytes, PROT_NONE, flags, -1, 0) == MAP_FAILED) std::abort();
}
