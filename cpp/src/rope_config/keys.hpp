#pragma once

// Typed reading of one object of a configuration. null counts as absent, because configurations use it for a
// default. The first error stays in the status that all objects of one configuration share, so a reader can
// read everything it needs and check the status once.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/json/value.hpp"

namespace ropewalk::rope_config {

inline constexpr std::string_view function = "rope_options_from_config";

class Keys {
 public:
  /// `path` is written before each name in messages: "rope_scaling." or nothing. All arguments must outlive
  /// this object.
  Keys(const json::Value& object, std::string path, Status& status)
      : object_(object), path_(std::move(path)), status_(status) {}

  const json::Value& object() const { return object_; }
  const std::string& path() const { return path_; }
  Status& status() const { return status_; }
  /// The member, or nullptr if it is absent or null.
  const json::Value* find(std::string_view key) const;
  bool has(std::string_view key) const { return find(key) != nullptr; }

  /// A number of at least `low`, or above `low` if `open`.
  std::optional<double> real(std::string_view key, double low, bool open = false) const;
  /// A whole number of at least 1.
  std::optional<std::size_t> whole(std::string_view key) const;
  std::optional<bool> boolean(std::string_view key) const;
  std::optional<std::string_view> text(std::string_view key) const;
  /// Numbers above 0.
  std::optional<std::vector<double>> reals(std::string_view key) const;
  /// Whole numbers of at least 0.
  std::optional<std::vector<std::size_t>> wholes(std::string_view key) const;

  /// As real(), but a missing member is an error. `reader` needs it: "the rule \"linear\"".
  double needed(std::string_view key, double low, bool open, std::string_view reader) const;
  std::vector<double> needed_reals(std::string_view key, std::string_view reader) const;

  void missing(std::string_view key, std::string_view reader) const;
  /// Range errors: "`path.key` is value; allowed: allowed". The value is that of the object unless it is
  /// given.
  void refuse(std::string_view key, std::string_view allowed) const;
  void refuse(std::string_view key, std::string_view value, std::string_view allowed) const;

 private:
  void wrong(const std::string& name, const json::Value& value, std::string_view allowed,
             bool right_type) const;

  const json::Value& object_;
  std::string path_;
  Status& status_;
};

/// True if two JSON values are equal; the order of keys does not matter.
bool equal(const json::Value& a, const json::Value& b);

/// Keeps the first error.
inline void keep_first(Status& status, Status other) {
  if (status.ok()) status = std::move(other);
}

}  // namespace ropewalk::rope_config
