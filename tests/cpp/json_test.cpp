// Our parser against nlohmann's, which the library itself does without.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "base/random.hpp"
#include "formats/json/decimal.hpp"
#include "formats/json/value.hpp"

namespace json_test {

using ropewalk::json::decimal;
using ropewalk::json::Kind;
using ropewalk::json::Value;

void expect_same(const Value& actual, const nlohmann::json& expected) {
  switch (actual.kind) {
    case Kind::null:
      EXPECT_TRUE(expected.is_null());
      break;
    case Kind::boolean:
      ASSERT_TRUE(expected.is_boolean());
      EXPECT_EQ(actual.boolean, expected.get<bool>());
      break;
    case Kind::whole:
      ASSERT_TRUE(expected.is_number_integer());
      EXPECT_EQ(actual.negative ? 0 - actual.magnitude : actual.magnitude, expected.get<std::uint64_t>());
      break;
    case Kind::real:
      ASSERT_TRUE(expected.is_number_float());
      EXPECT_EQ(actual.real, expected.get<double>());
      break;
    case Kind::text:
      ASSERT_TRUE(expected.is_string());
      EXPECT_EQ(actual.text, expected.get<std::string>());
      break;
    case Kind::array:
      ASSERT_TRUE(expected.is_array());
      ASSERT_EQ(actual.items.size(), expected.size());
      for (std::size_t i = 0; i < actual.items.size(); ++i) expect_same(actual.items[i], expected[i]);
      break;
    case Kind::object:
      ASSERT_TRUE(expected.is_object());
      ASSERT_EQ(actual.members.size(), expected.size());
      for (const auto& member : actual.members) {
        ASSERT_TRUE(expected.contains(member.name));
        expect_same(member.value, expected[member.name]);
      }
  }
}

void expect_same(const std::string& text) {
  SCOPED_TRACE(text);
  const auto actual = ropewalk::json::parse(text, "test", "text");
  const auto expected = nlohmann::json::parse(text, nullptr, false);
  ASSERT_EQ(actual.ok(), !expected.is_discarded()) << actual.status().message();
  if (actual.ok()) expect_same(actual.value(), expected);
}

TEST(Json, AgreesWithNlohmann) {
  const char* texts[] = {"{}",
                         "[]",
                         "[[[]]]",
                         " \t\r\n1 ",
                         "",
                         " ",
                         "nul",
                         "null",
                         "nullx",
                         "true",
                         "false",
                         "TRUE",
                         "0",
                         "-0",
                         "00",
                         "01",
                         "-",
                         "+1",
                         "1.",
                         ".5",
                         "1.5",
                         "-1.5e3",
                         "1e",
                         "1e+",
                         "1E-2",
                         "0e0",
                         "0.0",
                         "1e400",
                         "-1e400",
                         "1e-400",
                         "NaN",
                         "Infinity",
                         "18446744073709551615",
                         "18446744073709551616",
                         "-9223372036854775808",
                         "9007199254740993.0",
                         R"("")",
                         R"("a\"\\\/\b\f\n\r\tb")",
                         R"("\u00e4\u20ac\ud83d\ude00")",
                         R"("\ud83d")",
                         R"("\ude00")",
                         R"("\ud83dx")",
                         R"("\ud83d\u0041")",
                         R"("\u12")",
                         R"("\u12G4")",
                         R"("\x")",
                         "\"\t\"",
                         "\"",
                         "\"abc",
                         R"(")",
                         "'a'",
                         "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"",
                         "\"\xc0\x80\"",
                         "\"\xe0\x80\x80\"",
                         "\"\xed\xa0\x80\"",
                         "\"\xf4\x90\x80\x80\"",
                         "\"\xf5\x80\x80\x80\"",
                         "\"\xc3\"",
                         "\"\xe2\x82\"",
                         "\"\x80\"",
                         "\"\xff\"",
                         R"({"a":1,"b":[true,null,{"c":"d"}]})",
                         R"({"a":1,})",
                         R"({"a" 1})",
                         R"({a:1})",
                         R"({"a":})",
                         R"({"a")",
                         "{",
                         "[1,]",
                         "[1 2]",
                         "[1",
                         "[,1]",
                         "]",
                         "1 2",
                         "{} []",
                         "[1]x",
                         "/* */1",
                         "1//",
                         "[\"a\",]",
                         R"({"":{"":[]}})"};
  for (const char* text : texts) expect_same(text);
}

TEST(Json, AgreesWithNlohmannOnDamagedTexts) {
  const std::string whole = R"({"k\u00e4":[1,-2.5e-3,"x\ny",null,true,{"z":[]}],"m":"\ud83d\ude00","n":1e5})";
  ropewalk::Random random(3);
  for (std::size_t i = 0; i < whole.size(); ++i) expect_same(whole.substr(0, i));
  for (int round = 0; round < 1500; ++round) {
    std::string text = whole;
    // No 0, at which nlohmann stops reading, and no key twice, which it allows.
    text[random.below(text.size())] = "\x01\"\\{}[]:,0129eE+-. tfnu/\x80\xc3"[random.below(26)];
    if (ropewalk::json::parse(text, "", "").status().message().find("twice") == std::string::npos)
      expect_same(text);
  }
}

TEST(Json, IsStricterThanNlohmann) {
  const auto refused = [](const std::string& text, const char* message) {
    const auto parsed = ropewalk::json::parse(text, "open", "config");
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_NE(parsed.status().message().find(message), std::string::npos) << parsed.status().message();
  };
  refused("{\"a\":1,\n \"b\":2, \"a\":3}",
          "open: `config` is not JSON: line 2, column 15: the key \"a\" occurs twice");
  refused(std::string("{}\0", 3), "line 1, column 3: something follows the value");
  refused("\xef\xbb\xbf{}", "line 1, column 1: expected a value");
  refused(std::string(65, '[') + std::string(65, ']'), "deeper than 64");
  EXPECT_TRUE(ropewalk::json::parse(std::string(64, '[') + std::string(64, ']'), "", "").ok());
  refused(std::string(1000000, '['), "deeper than 64");
}

TEST(Json, NumbersAreTheNearestDouble) {
  const char* hard[] = {"0.1",
                        "1e-12",
                        "2.2250738585072011e-308",
                        "4.9e-324",
                        "2.4703282292062327e-324",
                        "2.4703282292062328e-324",
                        "1.7976931348623157e308",
                        "1.7976931348623158e308",
                        "1.7976931348623159e308",
                        "9007199254740993",
                        "9007199254740992.5",
                        "9007199254740993.0000001",
                        "0.000000000000000000000000000000000001e36",
                        "100000000000000000000000e-23",
                        "6.02214076e23",
                        "123456789012345678901234567890123456789e-20",
                        "5e-324",
                        "1e-323",
                        "0.0e999",
                        "1e22",
                        "1e23",
                        "8.5e-320",
                        "4.4501477170144023e-308"};
  for (const char* text : hard) EXPECT_EQ(decimal(text), std::strtod(text, nullptr)) << text;
  ropewalk::Random random(4);
  for (int i = 0; i < 5000; ++i) {
    const double value = std::bit_cast<double>(random.next());
    if (!std::isfinite(value)) continue;
    char text[64];
    std::snprintf(text, sizeof text, "%.*e", static_cast<int>(random.below(22)), value);
    ASSERT_EQ(decimal(text), std::strtod(text, nullptr)) << text;
  }
}

}  // namespace json_test
