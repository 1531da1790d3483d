#include "region.hpp"

#include <algorithm>

#if defined(_WIN32)
#include <windows.h>
#else
#include <sys/mman.h>
#endif

namespace ropewalk::node {
namespace {

#if defined(_WIN32)
void* reserve(std::size_t bytes) { return VirtualAlloc(nullptr, bytes, MEM_RESERVE, PAGE_NOACCESS); }
bool commit(void* at, std::size_t bytes) {
  return VirtualAlloc(at, bytes, MEM_COMMIT, PAGE_READWRITE) != nullptr;
}
void give_back(void* at, std::size_t) { VirtualFree(at, 0, MEM_RELEASE); }
#else
void* reserve(std::size_t bytes) {
  void* const at = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return at == MAP_FAILED ? nullptr : at;
}
bool commit(void* at, std::size_t bytes) { return mprotect(at, bytes, PROT_READ | PROT_WRITE) == 0; }
void give_back(void* at, std::size_t bytes) { munmap(at, bytes); }
#endif

/// Pages of every system are divisors of it.
constexpr std::size_t step = std::size_t{64} << 10;
/// The least that the memory grows by, since every growth detaches the views of JavaScript.
constexpr std::size_t least_growth = std::size_t{1} << 20;

constexpr std::size_t rounded_up(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }

}  // namespace

Region::Region() : base_(static_cast<std::byte*>(reserve(limit))) {}

Region::~Region() {
  if (base_ != nullptr) give_back(base_, limit);
}

void Region::add_free(Block block) {
  const auto next = free_.lower_bound(block.first);
  if (next != free_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == block.first) {
      block = {before->first, before->second + block.second};
      remove_free(before);
    }
  }
  if (next != free_.end() && block.first + block.second == next->first) {
    block.second += next->second;
    remove_free(next);
  }
  free_.insert(block);
  free_sizes_.insert({block.second, block.first});
}

void Region::remove_free(std::map<std::size_t, std::size_t>::iterator block) {
  free_sizes_.erase({block->second, block->first});
  free_.erase(block);
}

/// Makes room for so many bytes at the end.
bool Region::grow(std::size_t bytes) {
  std::size_t begin = size_;
  if (!free_.empty() && free_.rbegin()->first + free_.rbegin()->second == size_)
    begin = free_.rbegin()->first;
  if (base_ == nullptr || bytes > limit - begin) return false;
  // A fifth more than there is, as Emscripten grows the memory of WebAssembly.
  const std::size_t wanted = std::max({begin + bytes, size_ + size_ / 5, size_ + least_growth});
  const std::size_t end = std::min(rounded_up(wanted, step), limit);
  if (!commit(base_ + size_, end - size_)) return false;
  add_free({size_, end - size_});
  size_ = end;
  return true;
}

void* Region::allocate(std::size_t bytes) {
  if (bytes > limit) return nullptr;
  bytes = std::max(rounded_up(bytes, alignment), alignment);
  auto found = free_sizes_.lower_bound({bytes, 0});
  if (found == free_sizes_.end()) {
    if (!grow(bytes)) return nullptr;
    found = free_sizes_.lower_bound({bytes, 0});
  }
  const auto [size, begin] = *found;
  remove_free(free_.find(begin));
  if (size > bytes) add_free({begin + bytes, size - bytes});
  used_.emplace(begin, bytes);
  used_bytes_ += bytes;
  return base_ + begin;
}

void Region::free(void* memory) {
  if (memory == nullptr) return;
  const auto found = used_.find(static_cast<std::size_t>(static_cast<std::byte*>(memory) - base_));
  if (found == used_.end()) return;
  const Block block = *found;
  used_.erase(found);
  used_bytes_ -= block.second;
  add_free(block);
}

}  // namespace ropewalk::node
