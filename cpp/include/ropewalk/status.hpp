#pragma once

/// How every fallible operation of Ropewalk answers. The core is built without exceptions, also for WASM: it
/// returns a Status, and the functions without `try_` in their name turn it into an exception.

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#if defined(__cpp_exceptions)
#include <new>
#include <stdexcept>
#endif

namespace ropewalk {

/// The parts of an error. They are views of the Status; a part that is missing is empty.
struct ErrorDetails {
  std::string_view function, argument, value, allowed;
};

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
    /// A file that is damaged, or not of its format: std::invalid_argument, RangeError.
    malformed = 4,
    /// A sound file that asks for what is not implemented: std::invalid_argument, RangeError.
    unsupported = 5,
  };

  Status() = default;
  /// Errors that are a sentence of their own: "function: problem".
  static Status range(std::string sentence) { return Status(Code::range, std::move(sentence)); }
  static Status type(std::string sentence) { return Status(Code::type, std::move(sentence)); }
  static Status out_of_memory(std::string sentence) {
    return Status(Code::out_of_memory, std::move(sentence));
  }
  static Status malformed(std::string sentence) { return Status(Code::malformed, std::move(sentence)); }
  static Status unsupported(std::string sentence) { return Status(Code::unsupported, std::move(sentence)); }
  /// An argument whose value is not allowed: "function: `argument` is value; allowed: allowed", or in other
  /// words "function: problem".
  static Status refusal(Code code, const ErrorDetails& about, std::string_view problem = {});

  bool ok() const { return code_ == Code::ok; }
  Code code() const { return code_; }
  ErrorDetails details() const;
  /// The sentence: function, argument in backticks, value and what is allowed. Empty when ok.
  std::string message() const;
  /// The same error of another function: the one that the caller called.
  Status in(std::string_view function) const;
  /// The same error under another code.
  Status as(Code code) const { return ok() ? Status() : Status(code, data_); }
  /// All of it in one text, for bindings that render the sentence themselves: function, argument, value,
  /// allowed and problem, with a NUL between two; or one sentence without.
  const std::string& data() const { return data_; }

 private:
  Status(Code code, std::string data) : code_(code), data_(std::move(data)) {}
  Code code_ = Code::ok;
  std::string data_;
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
