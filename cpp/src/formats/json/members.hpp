#pragma once

// Typed reading of the members of one JSON object. A member that is absent or null leaves `out` unchanged,
// because configurations use null for a default. A member of the wrong type or out of range is an error that
// names it.

#include <cstdint>
#include <string>
#include <string_view>

#include "formats/json/value.hpp"

namespace ropewalk::json {

class Members {
 public:
  /// Both must outlive this. `function` begins every message.
  Members(const Value& object, std::string_view function) : object_(object), function_(function) {}

  /// The member, or nullptr where it is absent or null.
  const Value* find(std::string_view name) const;

  Status whole(std::string_view name, std::int64_t low, std::int64_t high, std::int64_t& out) const;
  /// A whole number from 0 to 2^53 - 1, beyond which JavaScript's numbers have gaps. A fraction is out of
  /// range rather than of the wrong type: the two are one type there.
  Status count(std::string_view name, std::uint64_t& out) const;
  /// Any finite number from `low` to `high`; `low` itself only if `low_allowed`.
  Status real(std::string_view name, double low, bool low_allowed, double high, std::string_view allowed,
              double& out) const;
  Status boolean(std::string_view name, bool& out) const;
  Status text(std::string_view name, std::string& out) const;

  /// "function: `name` is value; allowed: allowed", as a range error if the type is right, else as a type
  /// error.
  Status refuse(std::string_view name, const Value& value, std::string_view allowed, bool right_type) const;

 private:
  const Value& object_;
  std::string_view function_;
};

}  // namespace ropewalk::json
