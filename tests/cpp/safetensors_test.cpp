#include "ropewalk/safetensors.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "base/half.hpp"
#include "checkpoint.hpp"
#include "golden.hpp"

namespace safetensors_test {

using ropewalk::Safetensors;
using ropewalk::SafetensorsLayout;
using ropewalk::SafetensorsSource;
using ropewalk::SafetensorsTensor;
using ropewalk::SafetensorsType;
using ropewalk::Status;
using testing::Test;

struct Rejected {
  const char* what;
  std::vector<std::byte> bytes;
  Status::Code code;
  std::vector<const char*> message;
};

std::vector<std::byte> with_length(std::uint64_t length, std::size_t size) {
  std::vector<std::byte> bytes(size);
  std::memcpy(bytes.data(), &length, 8);
  return bytes;
}

constexpr auto malformed = Status::Code::malformed;
constexpr auto type_error = Status::Code::type;
constexpr auto range_error = Status::Code::range;

std::vector<Rejected> rejected() {
  using checkpoint::file;
  const auto entry = [](const char* inside, std::size_t data = 4) {
    return file(std::string("{\"a.b\":{") + inside + "}}", data);
  };
  const char* good = R"("dtype":"F32","shape":[1],"data_offsets":[0,4])";
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += "[";
  return {
      {"empty", {}, malformed, {"0 bytes", "HeaderTooSmall"}},
      {"seven bytes", std::vector<std::byte>(7), malformed, {"7 bytes", "HeaderTooSmall"}},
      {"length above the cap", with_length((16u << 20) + 1, 64), malformed, {"16777217", "HeaderTooLarge"}},
      {"length 2^64 - 1", with_length(UINT64_MAX, 64), malformed, {"HeaderTooLarge"}},
      {"length past the end", with_length(57, 64), malformed, {"57", "64", "InvalidHeaderLength"}},
      {"no header", file(""), malformed, {"InvalidHeaderDeserialization"}},
      {"not JSON", file("{'a':1}"), malformed, {"header", "InvalidHeaderDeserialization"}},
      {"not UTF-8", file("{\"\xff\xfe\":1}"), malformed, {"InvalidHeaderDeserialization"}},
      {"two values", file("{} {}"), malformed, {"InvalidHeaderDeserialization"}},
      {"bytes of 0 for padding", file(std::string("{}\0\0", 4)), malformed, {"something follows"}},
      {"byte order mark", file("\xef\xbb\xbf{}"), malformed, {"expected a value"}},
      {"too deep", file(deep), malformed, {"64 levels"}},
      {"an array", file("[]"), malformed, {"an array", "InvalidHeader"}},
      {"twice the same name",
       file(std::string("{\"a\":{") + good + "},\"a\":{" + good + "}}", 4),
       malformed,
       {"\"a\"", "twice"}},
      {"twice the same key",
       entry(R"("dtype":"F32","dtype":"F32","shape":[1],"data_offsets":[0,4])"),
       malformed,
       {"\"dtype\"", "twice"}},
      {"entry is no object", file("{\"a.b\":3}"), malformed, {"\"a.b\"", "InvalidHeader"}},
      {"no dtype", entry(R"("shape":[1],"data_offsets":[0,4])"), malformed, {"\"a.b\"", "`dtype`"}},
      {"no shape", entry(R"("dtype":"F32","data_offsets":[0,4])"), malformed, {"\"a.b\"", "`shape`"}},
      {"no offsets", entry(R"("dtype":"F32","shape":[1])"), malformed, {"\"a.b\"", "`data_offsets`"}},
      {"unknown dtype",
       entry(R"("dtype":"F31","shape":[1],"data_offsets":[0,4])"),
       malformed,
       {"\"a.b\"", "\"F31\"", "InvalidHeader"}},
      {"dtype is a number", entry(R"("dtype":32,"shape":[1],"data_offsets":[0,4])"), malformed, {"32"}},
      {"negative size", entry(R"("dtype":"F32","shape":[-1],"data_offsets":[0,4])"), malformed, {"`shape`"}},
      {"fractional size",
       entry(R"("dtype":"F32","shape":[1.5],"data_offsets":[0,4])"),
       malformed,
       {"`shape`"}},
      {"100.0 as a size",
       entry(R"("dtype":"F32","shape":[1.0],"data_offsets":[0,4])"),
       malformed,
       {"`shape`"}},
      {"1e0 as a size", entry(R"("dtype":"F32","shape":[1e0],"data_offsets":[0,4])"), malformed, {"`shape`"}},
      {"size above 64 bits",
       entry(R"("dtype":"F32","shape":[18446744073709551616],"data_offsets":[0,4])"),
       malformed,
       {"`shape`"}},
      {"shape is a number", entry(R"("dtype":"F32","shape":1,"data_offsets":[0,4])"), malformed, {"`shape`"}},
      {"three offsets",
       entry(R"("dtype":"F32","shape":[1],"data_offsets":[0,4,4])"),
       malformed,
       {"`data_offsets`"}},
      {"metadata is no object", file(R"({"__metadata__":[]})"), malformed, {"`__metadata__`"}},
      {"metadata holds a number",
       file(R"({"__metadata__":{"format":1}})"),
       malformed,
       {"`__metadata__`", "\"format\""}},
      {"shape overflows",
       entry(R"("dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,4])"),
       malformed,
       {"\"a.b\"", "ValidationOverflow"}},
      {"bits overflow",
       entry(R"("dtype":"F32","shape":[1152921504606846976],"data_offsets":[0,4])"),
       malformed,
       {"ValidationOverflow"}},
      {"half a byte",
       entry(R"("dtype":"F4","shape":[3],"data_offsets":[0,2])", 2),
       malformed,
       {"F4", "MisalignedSlice"}},
      {"hole",
       entry(R"("dtype":"F32","shape":[1],"data_offsets":[4,8])", 8),
       malformed,
       {"\"a.b\"", "InvalidOffset"}},
      {"end before begin", entry(R"("dtype":"F32","shape":[1],"data_offsets":[0,-4])"), malformed, {}},
      {"overlap",
       file(
           R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}})",
           12),
       malformed,
       {"\"b\"", "begin at 8", "InvalidOffset"}},
      {"the same bytes twice",
       file(
           R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})",
           8),
       malformed,
       {"InvalidOffset"}},
      {"reversed",
       file(
           R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[0],"data_offsets":[8,4]}})",
           8),
       malformed,
       {"\"b\"", "InvalidOffset"}},
      {"too few bytes for the shape",
       entry(R"("dtype":"F32","shape":[2],"data_offsets":[0,4])"),
       malformed,
       {"\"a.b\"", "4 bytes", "take 8", "TensorInvalidInfo"}},
      {"too many bytes for the shape",
       entry(R"("dtype":"F16","shape":[1],"data_offsets":[0,4])"),
       malformed,
       {"TensorInvalidInfo"}},
      {"cut short", entry(good, 3), malformed, {"MetadataIncompleteBuffer"}},
      {"something after the end", entry(good, 5), malformed, {"MetadataIncompleteBuffer"}},
      {"bytes but no tensor", file("{}", 1), malformed, {"MetadataIncompleteBuffer"}},
      {"a zip, as torch.save writes",
       checkpoint::bytes_of("PK\x03\x04\x14\x08\x08\x08 archive"),
       Status::Code::unsupported,
       {"pickled", "safetensors"}},
      {"a pickle",
       checkpoint::bytes_of("\x80\x02\x8a\x0al\xfc\x9c\x46\xf9\x20"),
       Status::Code::unsupported,
       {"pickled"}},
  };
}

TEST(Safetensors, RejectsWhatTheOfficialReaderRejects) {
  for (const Rejected& file : rejected()) {
    SCOPED_TRACE(file.what);
    const auto opened = Safetensors::open(file.bytes);
    ASSERT_FALSE(opened.ok());
    EXPECT_EQ(opened.status().code(), file.code) << opened.status().message();
    for (const char* part : file.message) {
      EXPECT_NE(opened.status().message().find(part), std::string::npos) << opened.status().message();
    }
  }
}

TEST(Safetensors, AcceptsWhatTheFormatAllows) {
  using checkpoint::file;
  const std::vector<std::vector<std::byte>> accepted = {
      file("{}"),
      file("  \n{}\t  "),
      file(R"({"__metadata__":{"format":"pt","__proto__":"x"}})"),
      file(R"({"scalar":{"dtype":"F32","shape":[],"data_offsets":[0,4]}})", 4),
      file(R"({"nothing":{"dtype":"F32","shape":[3,0],"data_offsets":[0,0]}})"),
      file(
          R"({"a":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},"b":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}})"),
      file(R"({"__proto__":{"dtype":"I64","shape":[1],"data_offsets":[0,8],"extra":[{"x":null}]}})", 8),
      file(R"({"four":{"dtype":"F4","shape":[4],"data_offsets":[0,2]}})", 2),
      file(R"({"\u00e4":{"dtype":"BOOL","shape":[2],"data_offsets":[0,2]}})", 2),
  };
  for (const auto& bytes : accepted) {
    const auto opened = Safetensors::open(bytes);
    EXPECT_TRUE(opened.ok()) << opened.status().message();
  }
  const auto scalar = Safetensors::open(accepted[3]);
  ASSERT_NE(scalar.value().find("scalar"), nullptr);
  EXPECT_EQ(scalar.value().find("scalar")->elements, 1u);
  EXPECT_EQ(scalar.value().find("other"), nullptr);
  EXPECT_EQ(Safetensors::open(accepted[4]).value().find("nothing")->elements, 0u);
}

TEST(Safetensors, ReadsAtAnyAddress) {
  std::vector<std::byte> data(11);
  const float value = -1.5f;
  std::memcpy(data.data() + 7, &value, 4);
  const auto bytes = checkpoint::file(
      R"({"a":{"dtype":"U8","shape":[7],"data_offsets":[0,7]},"b":{"dtype":"F32","shape":[1],"data_offsets":[7,11]}})",
      data);
  for (std::size_t shift = 0; shift < 4; ++shift) {
    std::vector<std::byte> moved(shift);
    moved.insert(moved.end(), bytes.begin(), bytes.end());
    const auto opened = ropewalk::open_safetensors(std::span(moved).subspan(shift));
    float out = 0;
    ropewalk::read_float32(*opened.find("b"), {&out, 1});
    EXPECT_EQ(out, -1.5f);
  }
}

TEST(Safetensors, RefusesOtherTypesByName) {
  const auto bytes = checkpoint::file(R"({"ids":{"dtype":"I32","shape":[1],"data_offsets":[0,4]}})", 4);
  const auto opened = ropewalk::open_safetensors(bytes);
  float out = 7;
  const Status status = ropewalk::try_read_float32(*opened.find("ids"), {&out, 1});
  EXPECT_EQ(status.code(), type_error);
  EXPECT_EQ(status.message(), "read_float32: tensor \"ids\" has the type I32; allowed: F32, F16 or BF16");
  EXPECT_EQ(out, 7);
  EXPECT_EQ(ropewalk::try_read_float32(*opened.find("ids"), {}).code(), range_error);
}

double float16_by_definition(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31, mantissa = bits & 1023;
  const double sign = bits & 0x8000 ? -1 : 1;
  if (exponent == 31) return mantissa ? std::nan("") : sign * std::numeric_limits<double>::infinity();
  return sign * (exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25));
}

TEST(Safetensors, Float16HasEveryValue) {
  for (int bits = 0; bits < 65536; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const float value = ropewalk::from_float16(half);
    const double expected = float16_by_definition(half);
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(value));
      EXPECT_TRUE(std::isnan(ropewalk::from_float16(ropewalk::to_float16(value))));
    } else {
      ASSERT_EQ(value, expected);
      ASSERT_EQ(ropewalk::to_float16(value), half);
    }
  }
  EXPECT_TRUE(std::signbit(ropewalk::from_float16(0x8000)));
}

TEST(Safetensors, Float16RoundsToNearestEven) {
  using ropewalk::to_float16;
  for (std::uint16_t low = 0; low < 0x7bff; ++low) {
    const auto high = static_cast<std::uint16_t>(low + 1);
    const float a = ropewalk::from_float16(low), b = ropewalk::from_float16(high);
    const float middle = (a + b) / 2;  // exact
    ASSERT_EQ(to_float16(middle), low % 2 == 0 ? low : high) << low;
    ASSERT_EQ(to_float16(std::nextafterf(middle, 0)), low);
    ASSERT_EQ(to_float16(std::nextafterf(middle, 1e9f)), high);
    ASSERT_EQ(to_float16(-middle), (low % 2 == 0 ? low : high) | 0x8000);
  }
  EXPECT_EQ(to_float16(65519.99f), 0x7bff);
  EXPECT_EQ(to_float16(65520.f), 0x7c00);
  EXPECT_EQ(to_float16(1e-10f), 0);
}

TEST(Safetensors, Bfloat16IsTheUpperHalf) {
  EXPECT_EQ(ropewalk::from_bfloat16(0x3f80), 1.0f);
  EXPECT_EQ(ropewalk::from_bfloat16(0xc049), -3.140625f);
  EXPECT_TRUE(std::isnan(ropewalk::from_bfloat16(0x7fc0)));
}

TEST(Safetensors, ReadsGoldenFiles) {
  const auto bytes = checkpoint::bytes("roformer/base/model.safetensors");
  const auto opened = ropewalk::open_safetensors(bytes);
  ASSERT_EQ(opened.metadata().size(), 1u);
  EXPECT_EQ(opened.metadata()[0].first, "format");
  EXPECT_EQ(opened.metadata()[0].second, "pt");
  const SafetensorsTensor* words = opened.find("roformer.embeddings.word_embeddings.weight");
  ASSERT_NE(words, nullptr);
  EXPECT_EQ(words->shape, (std::vector<std::uint64_t>{97, 32}));
  EXPECT_EQ(words->type, SafetensorsType::F32);
  EXPECT_TRUE(std::is_sorted(opened.tensors().begin(), opened.tensors().end(),
                             [](const auto& a, const auto& b) { return a.name < b.name; }));
}

TEST(Safetensors, WritesWhatItReads) {
  const std::vector<float> a = {1, 2, 3, 4, 5, 6}, b = {-0.1f}, c = {};
  const std::vector<std::uint64_t> shape_a = {2, 3}, shape_b = {}, shape_c = {0, 5};
  const std::vector<SafetensorsSource> sources = {
      {"z\"\\\n", shape_a, a}, {"b", shape_b, b}, {"empty", shape_c, c}};
  for (const SafetensorsType type : {SafetensorsType::F32, SafetensorsType::F16}) {
    const auto layout = SafetensorsLayout::make(sources, type);
    ASSERT_TRUE(layout.ok());
    std::vector<std::byte> bytes(layout.value().size());
    ASSERT_TRUE(layout.value().try_write(bytes).ok());
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data(), 8);
    EXPECT_EQ(length % 8, 0u);
    EXPECT_EQ(static_cast<char>(bytes[8]), '{');

    const auto opened = ropewalk::open_safetensors(bytes);
    EXPECT_EQ(opened.metadata()[0].second, "pt");
    const SafetensorsTensor* tensor = opened.find("z\"\\\n");
    ASSERT_NE(tensor, nullptr);
    EXPECT_EQ(tensor->shape, shape_a);
    EXPECT_EQ(tensor->type, type);
    std::vector<float> read(6);
    ropewalk::read_float32(*tensor, read);
    EXPECT_EQ(read, a);
    ASSERT_NE(opened.find("empty"), nullptr);
    EXPECT_FALSE(layout.value().try_write(std::span(bytes).first(8)).ok());
  }
}

TEST(Safetensors, RefusesToWriteNonsense) {
  const std::vector<float> a = {1, 2};
  const std::vector<std::uint64_t> shape = {2}, wrong = {3};
  EXPECT_EQ(SafetensorsLayout::make(std::vector<SafetensorsSource>{{"a", shape, a}, {"a", shape, a}})
                .status()
                .code(),
            range_error);
  EXPECT_EQ(SafetensorsLayout::make(std::vector<SafetensorsSource>{{"a", wrong, a}}).status().code(),
            range_error);
  EXPECT_EQ(SafetensorsLayout::make(std::vector<SafetensorsSource>{{"a", shape, a}}, SafetensorsType::F64)
                .status()
                .code(),
            range_error);
  EXPECT_EQ(
      SafetensorsLayout::make(std::vector<SafetensorsSource>{{"__metadata__", shape, a}}).status().code(),
      range_error);
}

}  // namespace safetensors_test
