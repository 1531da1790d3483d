// The only file that includes nlohmann/json: its event parser fills our own values, so that neither its
// container class nor its iostream and locale code reaches the binary.

#define JSON_NOEXCEPTION 1
#define JSON_NO_IO 1
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "json/value.hpp"

namespace ropewalk::json {
namespace {

constexpr std::size_t max_depth = 64;

/// nlohmann's SAX interface: each event returns whether to go on.
class Builder {
 public:
  explicit Builder(Value& root) : root_(root) {}

  bool null() { return put({}); }
  bool boolean(bool value) {
    Value v;
    v.kind = Kind::boolean;
    v.boolean = value;
    return put(std::move(v));
  }
  bool number_integer(std::int64_t value) {
    return whole(value < 0,
                 value < 0 ? ~static_cast<std::uint64_t>(value) + 1 : static_cast<std::uint64_t>(value));
  }
  bool number_unsigned(std::uint64_t value) { return whole(false, value); }
  bool number_float(double value, const std::string& written) {
    Value v;
    v.kind = Kind::real;
    v.real = value;
    v.text = written;
    return put(std::move(v));
  }
  bool string(std::string& value) {
    Value v;
    v.kind = Kind::text;
    v.text = std::move(value);
    return put(std::move(v));
  }
  bool binary(nlohmann::json::binary_t&) { return false; }
  bool start_object(std::size_t) { return open(Kind::object); }
  bool start_array(std::size_t) { return open(Kind::array); }
  bool end_array() {
    open_.pop_back();
    return true;
  }
  bool key(std::string& name) {
    open_.back()->members.push_back({std::move(name), {}});
    return true;
  }
  bool end_object() {
    std::vector<std::string_view> names;
    names.reserve(open_.back()->members.size());
    for (const Member& member : open_.back()->members) names.push_back(member.name);
    std::sort(names.begin(), names.end());
    const auto twice = std::adjacent_find(names.begin(), names.end());
    if (twice != names.end()) {
      error_ = "the key " + quoted(*twice) + " occurs twice in one object";
      return false;
    }
    open_.pop_back();
    return true;
  }
  template <class Exception>
  bool parse_error(std::size_t, const std::string&, const Exception& exception) {
    error_ = exception.what();
    // "[json.exception.parse_error.101] parse error at line 1, column 2: ..."
    if (const std::size_t bracket = error_.find("] "); bracket != std::string::npos)
      error_.erase(0, bracket + 2);
    return false;
  }

  const std::string& error() const { return error_; }

 private:
  bool whole(bool negative, std::uint64_t magnitude) {
    Value v;
    v.kind = Kind::whole;
    v.negative = negative;
    v.magnitude = magnitude;
    v.real = negative ? -static_cast<double>(magnitude) : static_cast<double>(magnitude);
    return put(std::move(v));
  }
  Value& place(Value value) {
    if (open_.empty()) return root_ = std::move(value);
    Value& parent = *open_.back();
    if (parent.kind == Kind::object) return parent.members.back().value = std::move(value);
    return parent.items.emplace_back(std::move(value));
  }
  bool put(Value value) {
    place(std::move(value));
    return true;
  }
  bool open(Kind kind) {
    if (open_.size() == max_depth) {
      error_ = "nested deeper than " + std::to_string(max_depth) + " levels";
      return false;
    }
    Value value;
    value.kind = kind;
    // Stays valid: a container grows only while it is the innermost open one.
    open_.push_back(&place(std::move(value)));
    return true;
  }

  Value& root_;
  std::vector<Value*> open_;
  std::string error_;
};

}  // namespace

Result<Value> parse(std::string_view text, std::string_view function, std::string_view what) {
  Value root;
  Builder builder(root);
  // Both are outside JSON's grammar, but the parser skips the first and takes the second for the end of the
  // text.
  std::string reason;
  if (text.substr(0, 3) == "\xef\xbb\xbf") reason = "it begins with a byte order mark";
  if (text.find('\0') != std::string_view::npos) reason = "it holds a byte of value 0";
  if (reason.empty()) {
    if (nlohmann::json::sax_parse(text.begin(), text.end(), &builder)) return Result<Value>(std::move(root));
    reason = builder.error();
  }
  return Status::type(std::string(function) + ": `" + std::string(what) + "` is not JSON: " + reason +
                      "; allowed: one JSON value in UTF-8, no key twice");
}

}  // namespace ropewalk::json
