// A strict JSON parser (RFC 8259). It rejects texts that two readers would interpret differently.

#include <algorithm>
#include <cmath>

#include "base/buffer.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "formats/json/decimal.hpp"
#include "formats/json/order.hpp"
#include "formats/json/value.hpp"

namespace ropewalk::json {
namespace {

constexpr int max_depth = 64;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

void append_utf8(std::string& out, std::uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
    return;
  }
  const int following = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  constexpr std::uint32_t lead[] = {0, 0xc0, 0xe0, 0xf0};
  out += static_cast<char>(lead[following] | code >> 6 * following);
  for (int i = following; i-- > 0;) out += static_cast<char>(0x80 | (code >> 6 * i & 0x3f));
}

class Parser {
 public:
  Parser(std::string_view text, std::size_t most_values) : text_(text), values_left_(most_values) {}

  bool too_many() const { return too_many_; }

  bool whole_text(Value& out) {
    skip_space();
    if (!value(out, 0)) return false;
    skip_space();
    return at_ == text_.size() || fail("something follows the value");
  }

  /// "line 1, column 7: ..."
  std::string error() const {
    const std::string_view before = text_.substr(0, at_);
    const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    return "line " + std::to_string(line) + ", column " + std::to_string(at_ - line_start + 1) + ": " +
           error_;
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) {
    if (peek() != c || at_ == text_.size()) return false;
    ++at_;
    return true;
  }
  bool fail(std::string message) {
    error_ = std::move(message);
    return false;
  }
  void skip_space() {
    while (peek() == ' ' || peek() == '\n' || peek() == '\r' || peek() == '\t') ++at_;
  }

  bool value(Value& out, int depth) {
    if (values_left_-- == 0) {
      too_many_ = true;
      return false;
    }
    if (depth == max_depth && (peek() == '[' || peek() == '{')) {
      return fail("nested deeper than " + std::to_string(max_depth) + " levels");
    }
    switch (peek()) {
      case '{':
        return object(out, depth);
      case '[':
        return array(out, depth);
      case '"':
        out.kind = Kind::text;
        return string(out.text);
      case 't':
        out.kind = Kind::boolean;
        out.boolean = true;
        return word("true");
      case 'f':
        out.kind = Kind::boolean;
        return word("false");
      case 'n':
        return word("null");
      default:
        return number(out);
    }
  }

  bool word(std::string_view expected) {
    if (text_.substr(at_, expected.size()) != expected) return fail("expected " + std::string(expected));
    at_ += expected.size();
    return true;
  }

  bool array(Value& out, int depth) {
    out.kind = Kind::array;
    ++at_;
    skip_space();
    if (take(']')) return true;
    do {
      skip_space();
      if (!value(out.items.emplace_back(), depth + 1)) return false;
      skip_space();
    } while (take(','));
    return take(']') || fail("expected , or ]");
  }

  bool object(Value& out, int depth) {
    out.kind = Kind::object;
    ++at_;
    skip_space();
    if (take('}')) return true;
    do {
      skip_space();
      Member& member = out.members.emplace_back();
      if (peek() != '"') return fail("expected a key in quotation marks");
      if (!string(member.name)) return false;
      skip_space();
      if (!take(':')) return fail("expected :");
      skip_space();
      if (!value(member.value, depth + 1)) return false;
      skip_space();
    } while (take(','));
    if (!take('}')) return fail("expected , or }");
    return unique(out.members);
  }

  bool unique(const std::vector<Member>& members) {
    const auto name = [&](std::uint32_t i) -> const std::string& { return members[i].name; };
    const std::vector<std::uint32_t> order =
        sorted(members.size(), [&](std::uint32_t a, std::uint32_t b) { return name(a) < name(b); });
    for (std::size_t i = 1; i < order.size(); ++i) {
      if (name(order[i]) == name(order[i - 1])) {
        return fail("the key " + quoted(std::string_view(name(order[i])).substr(0, 60)) +
                    " occurs twice in one object");
      }
    }
    return true;
  }

  bool digits() {
    if (!is_digit(peek())) return fail("expected a digit");
    while (is_digit(peek())) ++at_;
    return true;
  }

  bool number(Value& out) {
    const std::size_t start = at_;
    if (peek() != '-' && !is_digit(peek())) {
      return fail(at_ == text_.size() ? "the text ends where a value is expected" : "expected a value");
    }
    const bool minus = take('-');
    if (!take('0') && !digits()) return false;
    bool whole = true;
    if (take('.')) {
      whole = false;
      if (!digits()) return false;
    }
    if (peek() == 'e' || peek() == 'E') {
      whole = false;
      ++at_;
      if (!take('+')) take('-');
      if (!digits()) return false;
    }
    const std::string_view written = text_.substr(start, at_ - start);
    if (whole && magnitude(written.substr(minus), out.magnitude)) {
      out.kind = Kind::whole;
      out.negative = minus && out.magnitude != 0;
      out.real = minus ? -static_cast<double>(out.magnitude) : static_cast<double>(out.magnitude);
      return true;
    }
    out.kind = Kind::real;
    out.text = written;
    out.real = decimal(written);
    if (std::isinf(out.real)) return fail("the number " + out.text.substr(0, 40) + " is too large");
    return true;
  }

  /// False when the digits exceed 64 bits.
  static bool magnitude(std::string_view digits, std::uint64_t& out) {
    std::uint64_t sum = 0;
    for (const char c : digits) {
      const std::uint64_t digit = static_cast<std::uint64_t>(c - '0');
      if (sum > (UINT64_MAX - digit) / 10) return false;
      sum = sum * 10 + digit;
    }
    out = sum;
    return true;
  }

  bool string(std::string& out) {
    ++at_;
    while (at_ < text_.size()) {
      const unsigned char c = static_cast<unsigned char>(text_[at_]);
      if (c == '"') {
        ++at_;
        return true;
      }
      if (c < 0x20) return fail("a control character inside a text");
      if (c == '\\') {
        if (!escape(out)) return false;
      } else if (c < 0x80) {
        out += static_cast<char>(c);
        ++at_;
      } else if (!utf8(out)) {
        return false;
      }
    }
    return fail("the text ends inside quotation marks");
  }

  /// One character of two to four bytes.
  bool utf8(std::string& out) {
    const std::size_t length = utf8_length(text_.substr(at_));
    if (length == 0) return fail("bytes that are not UTF-8");
    out.append(text_.substr(at_, length));
    at_ += length;
    return true;
  }

  bool escape(std::string& out) {
    ++at_;
    constexpr std::string_view letters = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
    if (const std::size_t i = letters.find(peek()); at_ < text_.size() && i != std::string_view::npos) {
      out += meanings[i];
      ++at_;
      return true;
    }
    if (!take('u')) return fail("an unknown escape after \\");
    std::uint32_t code = 0;
    if (!hex4(code)) return false;
    if (code >= 0xd800 && code < 0xdc00) {
      std::uint32_t low = 0;
      if (!take('\\') || !take('u') || !hex4(low) || low < 0xdc00 || low >= 0xe000) {
        return fail("half of a surrogate pair");
      }
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    } else if (code >= 0xdc00 && code < 0xe000) {
      return fail("half of a surrogate pair");
    }
    append_utf8(out, code);
    return true;
  }

  bool hex4(std::uint32_t& code) {
    for (int i = 0; i < 4; ++i, ++at_) {
      const char c = peek();
      const char lower = static_cast<char>(c | 0x20);
      if (!is_digit(c) && !(lower >= 'a' && lower <= 'f'))
        return fail("expected four hexadecimal digits after \\u");
      code = code << 4 | static_cast<std::uint32_t>(is_digit(c) ? c - '0' : lower - 'a' + 10);
    }
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t values_left_;
  bool too_many_ = false;
  std::string error_;
};

/// Memory that parsing `text` may take. A vector that grows holds up to three times its values, and so does a
/// string.
std::size_t memory_of(std::string_view text, const Limits& limits) {
  std::size_t values = 1;
  for (const char c : text) values += c == ',' || c == '[' || c == '{';
  return 3 * (std::min(values, limits.values) * sizeof(Member) + text.size());
}

}  // namespace

Result<Value> parse(std::string_view text, std::string_view function, std::string_view what,
                    const Limits& limits) {
  if (text.size() > limits.bytes) {
    return out_of_range(function, what, sentence({"a JSON text of ", text.size(), " bytes"}),
                        sentence({"at most ", limits.bytes, " bytes"}));
  }
  const std::string subject(function);
  ROPEWALK_TRY(check_memory(memory_of(text, limits), subject.c_str()));
  Value root;
  Parser parser(text, limits.values);
  if (parser.whole_text(root)) return Result<Value>(std::move(root));
  if (parser.too_many()) {
    return out_of_range(function, what, sentence({"a JSON text of more than ", limits.values, " values"}),
                        sentence({"at most ", limits.values, " values"}));
  }
  return Status::malformed(sentence({function, ": `", what, "` is not JSON: ", parser.error(),
                                     "; allowed: one JSON value in UTF-8, no key twice"}));
}

}  // namespace ropewalk::json
