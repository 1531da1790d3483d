#pragma once

/// How every fallible operation of Ropewalk answers. The core is built without exceptions, also for WASM: it
/// returns a Status, and the functions without `try_` in their name turn it into an exception.

#include <optional>
#include <string>
#include <utility>

#if defined(__cpp_exceptions)
#include <new>
#include <stdexcept>
#endif

namespace ropewalk {

class [[nodiscard]] Status {
 public:
  enum class Code {
    ok = 0,
    /// A value outside what is allowed: std::invalid_argument in C++, RangeError in TypeScript.
    range = 1,
    /// A thing of the wrong kind, an unknown or missing name: std::invalid_argument, TypeError.
    type = 2,
    /// Memory that cannot be had: std::bad_alloc, Error.
    out_of_memory = 3,
  };

  Status() = default;
  static Status range(std::string message) { return Status(Code::range, std::move(message)); }
  static Status type(std::string message) { return Status(Code::type, std::move(message)); }
  static Status out_of_memory(std::string message) { return Status(Code::out_of_memory, std::move(message)); }

  bool ok() const { return code_ == Code::ok; }
  Code code() const { return code_; }
  /// Names the function, the argument in backticks, its value and what is allowed. Empty when ok.
  const std::string& message() const { return message_; }

 private:
  Status(Code code, std::string message) : code_(code), message_(std::move(message)) {}
  Code code_ = Code::ok;
  std::string message_;
};

/// A value, or the Status that says why there is none.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}
  Result(Status status) : status_(std::move(status)) {}

  bool ok() const { return value_.has_value(); }
  const Status& status() const { return status_; }
  T& value() & { return *value_; }
  const T& value() const& { return *value_; }
  T&& value() && { return std::move(*value_); }

 private:
  Status status_;
  std::optional<T> value_;
};

#if defined(__cpp_exceptions)
/// std::bad_alloc with the message of the Status.
class OutOfMemory : public std::bad_alloc {
 public:
  explicit OutOfMemory(std::string message) : message_(std::move(message)) {}
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  std::string message_;
};

/// Throws std::invalid_argument (or OutOfMemory) unless the status is ok.
inline void raise(const Status& status) {
  if (status.ok()) return;
  if (status.code() == Status::Code::out_of_memory) throw OutOfMemory(status.message());
  throw std::invalid_argument(status.message());
}

template <class T>
T raise(Result<T> result) {
  raise(result.status());
  return std::move(result).value();
}
#endif

}  // namespace ropewalk
