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
  /// The function that was called.
  std::string_view function;
  /// The argument that is refused.
  std::string_view argument;
  /// Its value.
  std::string_view value;
  /// The values that are allowed.
  std::string_view allowed;
};

/// Success, or an error with its parts.
class [[nodiscard]] Status {
 public:
  /// The kind of error.
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
  /// As range, for a thing of the wrong kind.
  static Status type(std::string sentence) { return Status(Code::type, std::move(sentence)); }
  /// As range, for memory that cannot be had.
  static Status out_of_memory(std::string sentence) {
    return Status(Code::out_of_memory, std::move(sentence));
  }
  /// As range, for a damaged file.
  static Status malformed(std::string sentence) { return Status(Code::malformed, std::move(sentence)); }
  /// As range, for what is not implemented.
  static Status unsupported(std::string sentence) { return Status(Code::unsupported, std::move(sentence)); }
  /// An argument whose value is not allowed: "function: `argument` is value; allowed: allowed", or in other
  /// words "function: problem".
  static Status refusal(Code code, const ErrorDetails& about, std::string_view problem = {});

  /// True without an error.
  bool ok() const { return code_ == Code::ok; }
  /// The kind of error; Code::ok without one.
  Code code() const { return code_; }
  /// Views of this Status.
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
  /// A value.
  Result(T value) : value_(std::move(value)) {}
  /// An error; `status` is not ok.
  Result(Status status) : status_(std::move(status)) {}

  /// True if there is a value.
  bool ok() const { return value_.has_value(); }
  /// Why there is no value; ok if there is one.
  const Status& status() const { return status_; }
  /// The value. ok() must be true.
  T& value() & { return *value_; }
  /// The value. ok() must be true.
  const T& value() const& { return *value_; }
  /// The value, to be moved out of a temporary Result. ok() must be true.
  T&& value() && { return std::move(*value_); }

 private:
  Status status_;
  std::optional<T> value_;
};

#if defined(__cpp_exceptions)
/// std::bad_alloc with the message of the Status.
class OutOfMemory : public std::bad_alloc {
 public:
  /// Keeps the sentence.
  explicit OutOfMemory(std::string message) : message_(std::move(message)) {}
  /// The sentence.
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

/// The value, or throws as raise(const Status&).
template <class T>
T raise(Result<T> result) {
  raise(result.status());
  return std::move(result).value();
}
#endif

}  // namespace ropewalk
