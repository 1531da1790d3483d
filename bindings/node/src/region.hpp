#pragma once

// The memory that JavaScript sees, in one piece at one address for as long as it lives: tensors, copies of arrays and
// texts, and the windows through which files arrive. What the library allocates for itself, such as the weights of a model,
// is in the process's own memory, so that a view of JavaScript that outlives its tensor reaches nothing but data.

#include <cstddef>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

namespace ropewalk::node {

class Region {
 public:
  /// As much as a module of WebAssembly can hold.
  static constexpr std::size_t limit = std::size_t{2} << 30;
  static constexpr std::size_t alignment = 64;

  /// Reserves addresses and takes no memory.
  Region();
  ~Region();
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

  /// nullptr where not even the addresses could be had.
  std::byte* base() const { return base_; }
  /// Bytes from the base on that are memory. They only become more.
  std::size_t size() const { return size_; }
  /// Bytes that are allocated now.
  std::size_t used() const { return used_bytes_; }

  /// Uninitialised, aligned to 64 bytes; nullptr where the memory cannot be had.
  void* allocate(std::size_t bytes);
  /// Nothing happens for an address that allocate() did not give.
  void free(void* memory);

 private:
  using Block = std::pair<std::size_t, std::size_t>;  // where it begins, and its bytes

  void add_free(Block block);
  void remove_free(std::map<std::size_t, std::size_t>::iterator block);
  bool grow(std::size_t bytes);

  std::byte* base_ = nullptr;
  std::size_t size_ = 0;
  std::size_t used_bytes_ = 0;
  // Apart from the memory itself, where a stale view could overwrite them.
  std::unordered_map<std::size_t, std::size_t> used_;
  std::map<std::size_t, std::size_t> free_;                   // by their beginnings
  std::set<std::pair<std::size_t, std::size_t>> free_sizes_;  // bytes, beginning
};

}  // namespace ropewalk::node
