// The header of a GGUF file against tests/golden/gguf, which other code wrote.

#include "formats/gguf.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <stdexcept>

#include "golden.hpp"

namespace gguf_test {

namespace gguf = ropewalk::gguf;
using Bytes = std::vector<std::byte>;
using nlohmann::json;

Bytes file(const std::string& name) {
  std::ifstream stream(std::string(ROPEWALK_GOLDEN) + "/gguf/" + name, std::ios::binary);
  if (!stream) throw std::runtime_error("cannot open tests/golden/gguf/" + name);
  const std::vector<char> chars{std::istreambuf_iterator<char>(stream), {}};
  const auto bytes = std::as_bytes(std::span(chars));
  return {bytes.begin(), bytes.end()};
}

const char* const models[] = {"llama-f32", "llama-q8_0", "llama-q4_0-rope-freqs",
                              "llama-k",   "qwen2-f16",  "qwen2-bf16"};

/// As the golden files have it: what JSON cannot say is text.
json plain(const gguf::Value& value) {
  if (const auto text = value.text()) return std::string(*text);
  if (const auto boolean = value.boolean()) return *boolean;
  if (value.type() == gguf::ValueType::array) {
    json items = json::array();
    gguf::Value item;
    for (gguf::Items walk(value); walk.next(item);) items.push_back(plain(item));
    return items;
  }
  if (const auto whole = value.whole()) {
    if (*whole > (std::uint64_t{1} << 53)) return std::to_string(*whole);
    return *whole;
  }
  const double real = value.real().value();
  if (std::isnan(real)) return "NaN";
  if (std::isinf(real)) return real < 0 ? "-inf" : "inf";
  if (real < -0x1p53) return std::to_string(std::numeric_limits<std::int64_t>::min());
  if (value.type() == gguf::ValueType::f32 || value.type() == gguf::ValueType::f64) return real;
  return static_cast<std::int64_t>(real);
}

void expect_tensors(const gguf::Header& header, const json& expected, const std::string& name) {
  EXPECT_EQ(header.tensors().size(), expected.size()) << name;
  for (const auto& [tensor, about] : expected.items()) {
    const gguf::Tensor* found = header.tensor(tensor);
    ASSERT_NE(found, nullptr) << name << " " << tensor;
    EXPECT_EQ(found->type->name, about["type"].get<std::string>()) << tensor;
    const auto shape = found->shape();
    EXPECT_EQ(std::vector<std::uint64_t>(shape.begin(), shape.end()),
              about["dims"].get<std::vector<std::uint64_t>>())
        << tensor;
  }
}

TEST(Gguf, ReadsTheHeadersOfModels) {
  for (const std::string name : models) {
    const Bytes bytes = file(name + ".gguf");
    const auto header = gguf::Header::open(bytes, bytes.size());
    ASSERT_TRUE(header.ok()) << name << ": " << header.status().message();
    const json expected = golden::read("gguf/" + name + ".json");
    EXPECT_EQ(header.value().version(), expected["version"].get<std::uint32_t>());
    EXPECT_EQ(header.value().alignment(), expected["alignment"].get<std::uint64_t>());
    EXPECT_EQ(plain(*header.value().find("general.architecture")), expected["architecture"]);
    expect_tensors(header.value(), expected["tensors"], name);
    std::map<std::string, int> types;
    for (const gguf::Tensor& tensor : header.value().tensors()) ++types[std::string(tensor.type->name)];
    EXPECT_EQ(json(types), expected["types"]);
  }
}

TEST(Gguf, FindsTheDataOfTensors) {
  // Tensors of type F32 are stored as what their values are.
  const Bytes bytes = file("llama-f32.gguf");
  const auto header = gguf::Header::open(bytes, bytes.size());
  ASSERT_TRUE(header.ok());
  const json expected = golden::read("gguf/llama-f32.json")["tensors"];
  for (const gguf::Tensor& tensor : header.value().tensors()) {
    ASSERT_EQ(tensor.type->name, "F32");
    EXPECT_EQ(tensor.bytes, 4 * tensor.elements);
    const json& first = expected[std::string(tensor.name)]["first"];
    for (std::size_t i = 0; i < first.size(); ++i) {
      float value = 0;
      std::memcpy(&value, bytes.data() + tensor.offset + 4 * i, 4);
      EXPECT_EQ(static_cast<double>(value), first[i].get<double>()) << tensor.name << " " << i;
    }
  }
}

TEST(Gguf, ReadsOddFiles) {
  const json files = golden::read("gguf/odd.json").at("files");
  for (const json& each : files) {
    const std::string name = each["file"];
    const Bytes bytes = file(name);
    const auto opened = gguf::Header::open(bytes, bytes.size());
    ASSERT_TRUE(opened.ok()) << name << ": " << opened.status().message();
    const gguf::Header& header = opened.value();
    EXPECT_EQ(header.metadata().size(), each["metadata"].size()) << name;
    for (const auto& [key, expected] : each["metadata"].items()) {
      const gguf::Value* value = header.find(key);
      ASSERT_NE(value, nullptr) << name << " " << key;
      EXPECT_EQ(plain(*value), expected) << name << " " << key;
    }
    expect_tensors(header, each["tensors"], name);
    EXPECT_EQ(header.find("no such key"), nullptr);
    EXPECT_EQ(header.tensor("no.such.tensor"), nullptr);
  }
}

/// Words that the message of each hostile file must hold.
const std::map<std::string, const char*> refusals = {
    {"magic", "\"GGUF\""},
    {"empty", "0 bytes"},
    {"version-1", "the version is 1"},
    {"version-4", "the version is 4"},
    {"big-endian", "big-endian"},
    {"cut-in-the-header", "its number of keys"},
    {"cut-in-a-key", "too short: it has 37 bytes"},
    {"cut-in-the-tensor-infos", "too short: it has 661 bytes"},
    {"cut-in-the-data", "cut short"},
    {"tensor-count-overflow", "9223372036854775808 tensors"},
    {"tensor-count-large", "1000000000 tensors"},
    {"pair-count-overflow", "18446744073709551615 keys"},
    {"string-huge", "takes 9223372036854775808"},
    {"key-huge", "ends inside key 0"},
    {"array-overflow", "2305843009213693952 items"},
    {"array-large", "2147483648 items"},
    {"arrays-nested-1000-deep", "arrays inside arrays"},
    {"kv-type-13", "the type 13"},
    {"array-of-type-77", "the type 77"},
    {"key-twice", "twice"},
    {"key-empty", "is empty"},
    {"key-not-utf8", "not UTF-8"},
    {"bool-2", "a bool of 2"},
    {"alignment-zero", "`general.alignment` is 0"},
    {"alignment-24", "`general.alignment` is 24"},
    {"alignment-string", "`general.alignment` is no whole number"},
    {"alignment-huge", "but the file has"},
    {"dims-0", "0 dimensions"},
    {"dims-5", "5 dimensions"},
    {"dims-overflow", "product exceeds 64 bits"},
    {"dims-overflow-bytes", "but the file has"},
    {"dims-negative", "18446744073709551"},
    {"dim-zero", "sizes of at least 1"},
    {"offset-beyond-the-end", "but the file has"},
    {"offset-wraps", "ends beyond 2^64 bytes"},
    {"offset-unaligned", "a multiple of the alignment 32"},
    {"tensors-overlap", "share bytes"},
    {"tensor-twice", "twice"},
    {"tensor-name-200-bytes", "200 bytes"},
    {"tensor-name-not-utf8", "not UTF-8"},
    {"tensor-type-99", "the type 99"},
    {"tensor-type-removed", "the type 4"},
    {"row-no-multiple-of-the-block", "a multiple of 32"},
};

TEST(Gguf, RefusesHostileFiles) {
  std::size_t refused = 0;
  const json files = golden::read("gguf/hostile/hostile.json").at("files");
  for (const json& each : files) {
    const std::string name = each["file"], stem = name.substr(0, name.size() - 5);
    const Bytes bytes = file("hostile/" + name);
    const auto opened = gguf::Header::open(bytes, bytes.size());
    if (each["refused_by"] == "model") {
      EXPECT_TRUE(opened.ok()) << name << ": " << opened.status().message();
      continue;
    }
    ASSERT_FALSE(opened.ok()) << name;
    ++refused;
    const std::string& message = opened.status().message();
    EXPECT_EQ(message.rfind("gguf: ", 0), 0u) << message;
    ASSERT_TRUE(refusals.contains(stem)) << name << ": " << message;
    EXPECT_NE(message.find(refusals.at(stem)), std::string::npos) << name << ": " << message;
    EXPECT_LT(message.size(), 400u) << message;
  }
  EXPECT_EQ(refused, refusals.size());
  const Bytes good = file("hostile/good.gguf");
  EXPECT_TRUE(gguf::Header::open(good, good.size()).ok());
}

TEST(Gguf, SaysHowMuchOfTheFileItNeeds) {
  for (const char* name : {"odd-version-2.gguf", "odd-nothing.gguf", "llama-q4_0-rope-freqs.gguf"}) {
    const Bytes bytes = file(name);
    const auto whole = gguf::header_bytes(bytes, bytes.size());
    ASSERT_TRUE(whole.ok()) << whole.status().message();
    const auto size = static_cast<std::size_t>(whole.value());
    for (std::size_t have = 0; have < size; ++have) {
      const auto beginning = std::span(bytes).first(have);
      const auto needed = gguf::header_bytes(beginning, bytes.size());
      ASSERT_TRUE(needed.ok()) << name << " " << have << ": " << needed.status().message();
      EXPECT_GT(needed.value(), have) << name;
      EXPECT_LE(needed.value(), size) << name << " " << have;
      const auto unknown = gguf::header_bytes(beginning, gguf::unknown_size);
      ASSERT_TRUE(unknown.ok() && unknown.value() == needed.value()) << name << " " << have;
      EXPECT_FALSE(gguf::Header::open(beginning, bytes.size()).ok()) << name << " " << have;
    }
    const auto alone = gguf::Header::open(std::span(bytes).first(size), bytes.size());
    ASSERT_TRUE(alone.ok()) << alone.status().message();
    EXPECT_TRUE(gguf::Header::open(bytes, gguf::unknown_size).ok());
  }
}

TEST(Gguf, RefusesEveryFileThatIsCutShort) {
  const Bytes bytes = file("hostile/good.gguf");
  std::size_t end = 0;
  const auto whole = gguf::Header::open(bytes, bytes.size());
  for (const gguf::Tensor& tensor : whole.value().tensors()) {
    end = std::max(end, static_cast<std::size_t>(tensor.offset + tensor.bytes));
  }
  for (std::size_t size = 0; size < end; ++size) {
    const Bytes cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_FALSE(gguf::Header::open(cut, cut.size()).ok()) << size;
  }
}

// A header with one byte changed opens or is refused; what it then says of its tensors lies inside the file.
TEST(Gguf, HoldsWithAnyByteChanged) {
  Bytes bytes = file("hostile/good.gguf");
  const auto size = static_cast<std::size_t>(gguf::header_bytes(bytes, bytes.size()).value());
  std::size_t opened = 0, refused = 0;
  for (std::size_t at = 0; at < size; ++at) {
    const std::byte before = bytes[at];
    for (const int change : {1, 0x80, 0xff}) {
      bytes[at] = before ^ static_cast<std::byte>(change);
      const auto header = gguf::Header::open(bytes, bytes.size());
      if (!header.ok()) {
        ++refused;
        continue;
      }
      ++opened;
      EXPECT_FALSE(gguf::metadata_to_json(header.value(), 64).empty());
      for (const gguf::Tensor& tensor : header.value().tensors()) {
        EXPECT_LE(tensor.offset + tensor.bytes, bytes.size());
        EXPECT_GE(tensor.offset, 24u);
      }
    }
    bytes[at] = before;
  }
  EXPECT_GT(opened, 100u);
  EXPECT_GT(refused, 1000u);
}

TEST(Gguf, WritesTheHeaderAsJson) {
  const Bytes odd = file("odd-version-2.gguf");
  const auto header = gguf::Header::open(odd, odd.size());
  ASSERT_TRUE(header.ok());
  const json metadata = json::parse(gguf::metadata_to_json(header.value(), 16));
  EXPECT_EQ(metadata["general.architecture"], "test");
  EXPECT_EQ(metadata["u64"], UINT64_MAX);
  EXPECT_EQ(metadata["i64"], INT64_MIN);
  EXPECT_EQ(metadata["nan"], "NaN");
  EXPECT_EQ(metadata["inf"], "-Infinity");
  EXPECT_EQ(metadata["texts"], json({"a", "", "\u2581b"}));
  EXPECT_EQ(metadata["bools"], json({true, false, true}));
  EXPECT_EQ(metadata["no items"], json::array());
  EXPECT_FALSE(metadata.contains("many"));
  EXPECT_EQ(json::parse(gguf::metadata_to_json(header.value(), 256))["many"].size(), 256u);
  const json tensors = json::parse(gguf::tensors_to_json(header.value()));
  ASSERT_EQ(tensors.size(), 3u);
  for (const json& tensor : tensors) {
    const gguf::Tensor* found = header.value().tensor(tensor["name"].get<std::string>());
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(tensor["offset"], found->offset);
    EXPECT_EQ(tensor["bytes"], found->bytes);
    EXPECT_EQ(tensor["type"], std::string(found->type->name));
    EXPECT_EQ(tensor["shape"].size(), found->dimensions);
  }
}

/// A header of one key, written by hand.
Bytes with_key(std::uint32_t type, const Bytes& value) {
  Bytes bytes;
  const auto add = [&](const auto number) {
    const auto* begin = reinterpret_cast<const std::byte*>(&number);
    bytes.insert(bytes.end(), begin, begin + sizeof(number));
  };
  for (const char c : std::string("GGUF")) bytes.push_back(static_cast<std::byte>(c));
  add(std::uint32_t{3});
  add(std::uint64_t{0});
  add(std::uint64_t{1});
  add(std::uint64_t{1});
  bytes.push_back(std::byte{'k'});
  add(type);
  bytes.insert(bytes.end(), value.begin(), value.end());
  return bytes;
}

TEST(Gguf, ReadsArraysInsideArrays) {
  // Two arrays: of the bytes 7 and 8, and of no text.
  Bytes value;
  const auto add = [&](const auto number) {
    const auto* begin = reinterpret_cast<const std::byte*>(&number);
    value.insert(value.end(), begin, begin + sizeof(number));
  };
  add(std::uint32_t{9});
  add(std::uint64_t{2});
  add(std::uint32_t{0});
  add(std::uint64_t{2});
  add(std::uint8_t{7});
  add(std::uint8_t{8});
  add(std::uint32_t{8});
  add(std::uint64_t{0});
  const Bytes bytes = with_key(9, value);
  const auto header = gguf::Header::open(bytes, bytes.size());
  ASSERT_TRUE(header.ok()) << header.status().message();
  EXPECT_EQ(plain(*header.value().find("k")), json::parse("[[7, 8], []]"));
  EXPECT_EQ(gguf::metadata_to_json(header.value(), 2), "{\"k\":[[7,8],[]]}");
  EXPECT_EQ(gguf::metadata_to_json(header.value(), 1), "{}");
}

TEST(Gguf, WritesTextsThatAreNotUtf8) {
  Bytes value(8 + 3);
  value[0] = std::byte{3};
  value[8] = std::byte{'a'};
  value[9] = std::byte{0xff};
  value[10] = std::byte{'b'};
  const Bytes bytes = with_key(8, value);
  const auto header = gguf::Header::open(bytes, bytes.size());
  ASSERT_TRUE(header.ok());
  EXPECT_EQ(json::parse(gguf::metadata_to_json(header.value(), 0))["k"], "a\uFFFDb");
}

TEST(Gguf, KnowsTheSizesOfTypes) {
  for (const auto& [name, elements, bytes] : {std::tuple{"F32", 1u, 4u},
                                              {"F16", 1u, 2u},
                                              {"BF16", 1u, 2u},
                                              {"Q8_0", 32u, 34u},
                                              {"Q4_0", 32u, 18u},
                                              {"Q4_K", 256u, 144u},
                                              {"Q6_K", 256u, 210u},
                                              {"Q5_K", 256u, 176u},
                                              {"IQ4_XS", 256u, 136u}}) {
    const gguf::TensorType* type = gguf::tensor_type(std::string_view(name));
    ASSERT_NE(type, nullptr) << name;
    EXPECT_EQ(type->elements, elements) << name;
    EXPECT_EQ(type->bytes, bytes) << name;
    EXPECT_EQ(gguf::tensor_type(type->number), type);
  }
  EXPECT_EQ(gguf::tensor_type(4), nullptr);
}

}  // namespace gguf_test
