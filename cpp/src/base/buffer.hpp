#pragma once

// Owned, 64-byte aligned, uninitialised storage for tensors, weights and activations. Unlike with
// std::vector, a failed allocation is a value to test, because the core is built without exceptions.

#include <cstddef>
#include <cstdlib>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "ropewalk/status.hpp"

namespace ropewalk {

template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Buffer() = default;
  Buffer(Buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Buffer() { std::free(data_); }

  /// Replaces the contents by `size` uninitialised elements. If the allocation fails, the old contents stay.
  /// `what` names the data in the message.
  Status allocate(std::size_t size, const char* what) {
    if (size > (std::numeric_limits<std::size_t>::max() - alignment) / sizeof(T)) return refusal(size, what);
    const std::size_t bytes = (size * sizeof(T) + alignment - 1) / alignment * alignment;
    T* data = nullptr;
    if (bytes != 0) {
      data = static_cast<T*>(std::aligned_alloc(alignment, bytes));
      if (data == nullptr) return refusal(size, what);
    }
    std::free(data_);
    data_ = data;
    size_ = size;
    return {};
  }

  /// As allocate, but keeps a buffer that is large enough. For scratch memory that is used repeatedly.
  Status reserve(std::size_t size, const char* what) {
    return size <= size_ ? Status() : allocate(size, what);
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  std::span<T> span() { return {data_, size_}; }
  std::span<const T> span() const { return {data_, size_}; }

 private:
  static constexpr std::size_t alignment = 64;
  static Status refusal(std::size_t size, const char* what) {
    std::string message = std::string(what) + ": no memory for " + std::to_string(size);
    if (sizeof(T) > 1) message += " elements of " + std::to_string(sizeof(T));
    return Status::out_of_memory(message + " bytes");
  }
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// For containers of the standard library, which abort if an allocation fails. Fails unless `bytes` can be
/// allocated now in one piece. Call it before a container grows by no more than that.
inline Status check_memory(std::size_t bytes, const char* what) {
  Buffer<char> probe;
  Status status = probe.allocate(bytes, what);
  // Compilers remove an allocation whose memory is never read.
  asm volatile("" : : "r"(probe.data()) : "memory");
  return status;
}

}  // namespace ropewalk
