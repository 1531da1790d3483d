// Calls that once overflowed, aborted, raced or answered wrongly: each is refused by name or answered rightly, and what
// follows works. tests/ts/hostile.test.ts does the same through the package.

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/buffer.hpp"
#include "formats/json/value.hpp"
#include "rope/options_from_json.hpp"
#include "ropewalk/rope.hpp"
#include "ropewalk/safetensors.hpp"

namespace ropewalk {
namespace hostile_test {

using Floats = std::vector<float>;

void expect_refused(const Status& status, Status::Code code, const std::string& words) {
  EXPECT_EQ(status.code(), code) << status.message();
  EXPECT_NE(status.message().find(words), std::string::npos) << status.message();
}

// Sums of sections.

TEST(Hostile, SectionsWhoseSumWrapsAroundAreRefused) {
  constexpr std::size_t half = std::size_t{1} << (std::numeric_limits<std::size_t>::digits - 1);
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
  const std::vector<std::size_t> all[] = {
      {half, half, 4}, {most, 5}, {5, most}, {most - 3, 4, 4}, {4, most, 1}};
  for (const std::vector<std::size_t>& sections : all) {
    for (const Axes::Order order : {Axes::Order::chunked, Axes::Order::interleaved}) {
      for (const bool restart : {false, true}) {
        const Axes axes{.sections = sections, .order = order, .restart_frequencies = restart};
        expect_refused(Rope::make({.head_dim = 8, .axes = axes}).status(), Status::Code::range,
                       "`axes.sections`");
      }
    }
  }
  EXPECT_TRUE(Rope::make({.head_dim = 8, .axes = Axes{.sections = {2, 2}}}).ok());
}

// Frequencies that no angle can be computed from.

TEST(Hostile, FrequenciesBeyondTheTableAreRefused) {
  const Frequencies all[] = {frequencies::Proportional{.fraction = 0.5, .factor = 1e-310},
                             frequencies::Default{.base = 1e-310},
                             frequencies::Custom{.frequencies = {1, 1, 1e305, 1}},
                             frequencies::Custom{.frequencies = {1, 1, -0x1.000001p39, 1}}};
  for (const Frequencies& rule : all) {
    expect_refused(Rope::make({.head_dim = 8, .frequencies = rule}).status(), Status::Code::range,
                   "`frequencies`");
  }
}

TEST(Hostile, TheLargestFrequencyRotates) {
  const Rope rope({.head_dim = 2, .frequencies = frequencies::Custom{.frequencies = {0x1p39}}});
  const Floats x = {1, 0};
  for (const double m : {0.0, 1.0, -63.0, 64.0}) {
    Floats y(2);
    rope.rotate(x, y, {.sequence = 1, .heads = 1, .positions = m});
    EXPECT_NEAR(y[0], std::cos(m * 0x1p39), 2e-7);
    EXPECT_NEAR(y[1], std::sin(m * 0x1p39), 2e-7);
  }
}

// Queries and keys whose memory crosses.

class CrossingMemory : public testing::Test {
 protected:
  static constexpr std::size_t head_dim = 8, sequence = 3, heads = 2, size = sequence * heads * head_dim;
  const Rope rope_{{.head_dim = head_dim}};
  const Placement placement_{.sequence = sequence, .heads = heads, .positions = 7.0};

  static Floats wave(std::size_t count, float scale) {
    Floats x(count);
    for (std::size_t i = 0; i < count; ++i) x[i] = scale * std::sin(static_cast<float>(i + 1));
    return x;
  }
  Floats rotated(const Floats& x) const {
    Floats y(x.size());
    rope_.rotate(x, y, placement_);
    return y;
  }
  Status rotate_qk(std::span<const float> q, std::span<float> out_q, std::span<const float> k,
                   std::span<float> out_k) const {
    return rope_.try_rotate_qk(q, out_q, k, out_k, placement_, heads);
  }
};

TEST_F(CrossingMemory, IsRefusedAndLeftAsItIs) {
  Floats memory = wave(4 * size, 1);
  const Floats before = memory;
  const std::span<float> all = memory;
  const auto q = all.subspan(0, size), k = all.subspan(size, size), other = all.subspan(2 * size, size);
  expect_refused(rotate_qk(q, k, k, q), Status::Code::range, "`out_q` is in the memory of `k`");
  expect_refused(rotate_qk(q, k, k, other), Status::Code::range, "`out_q` is in the memory of `k`");
  expect_refused(rotate_qk(q, other, k, q), Status::Code::range, "`out_k` is in the memory of `q`");
  expect_refused(rotate_qk(q, other, k, other), Status::Code::range, "`out_k` is in the memory of `out_q`");
  expect_refused(rotate_qk(q, q, q, q), Status::Code::range, "`out_q` is in the memory of `k`");
  expect_refused(rotate_qk(q, other, k, all.subspan(3 * size - 1, size)), Status::Code::range, "`out_k`");
  EXPECT_EQ(memory, before);
}

TEST_F(CrossingMemory, OneArrayMayBeQueriesAndKeysOfOtherOutputs) {
  const Floats x = wave(size, 1);
  Floats q(size), k(size);
  ASSERT_TRUE(rotate_qk(x, q, x, k).ok());
  EXPECT_EQ(q, rotated(x));
  EXPECT_EQ(k, rotated(x));
}

/// One product of a layer writes queries, keys and values of a token side by side.
TEST_F(CrossingMemory, QueriesAndKeysSideBySideAreRotatedInPlace) {
  const Floats q = wave(size, 1), k = wave(size, -2);
  constexpr std::size_t row = heads * head_dim, token = 3 * row;
  Floats memory(sequence * token, 5);
  for (std::size_t s = 0; s < sequence; ++s) {
    std::copy_n(&q[s * row], row, &memory[s * token]);
    std::copy_n(&k[s * row], row, &memory[s * token + row]);
  }
  const Strides strides{.batch = sequence * token, .sequence = token, .head = head_dim};
  Placement placement = placement_;
  placement.strides = strides;
  const std::size_t reach = (sequence - 1) * token + row;
  const std::span<float> in_q = std::span(memory).first(reach), in_k = std::span(memory).subspan(row, reach);
  const auto read = [](std::span<float> x) { return std::span<const float>(x); };
  rope_.rotate_qk(read(in_q), in_q, read(in_k), in_k, placement, heads, strides);
  const Floats turned_q = rotated(q), turned_k = rotated(k);
  for (std::size_t s = 0; s < sequence; ++s) {
    for (std::size_t i = 0; i < row; ++i) {
      EXPECT_EQ(memory[s * token + i], turned_q[s * row + i]);
      EXPECT_EQ(memory[s * token + row + i], turned_k[s * row + i]);
      EXPECT_EQ(memory[s * token + 2 * row + i], 5);
    }
  }
  // One head further they meet.
  const std::span<float> near = std::span(memory).subspan(row - head_dim, reach);
  expect_refused(rope_.try_rotate_qk(read(in_q), in_q, read(near), near, placement, heads, strides),
                 Status::Code::range, "`out_q` is in the memory of `k`");
}

TEST_F(CrossingMemory, StridesOfAxesWithoutLengthAreBoundedAsWell) {
  const Floats x = wave(size, 1);
  Floats y(size);
  Placement placement = placement_;
  placement.strides = Strides{.batch = std::numeric_limits<std::ptrdiff_t>::max() / 2,
                              .sequence = heads * head_dim,
                              .head = head_dim};
  expect_refused(rope_.try_rotate(x, y, placement), Status::Code::range,
                 "a stride whose bytes can be counted");
}

// Threads that share a rope, and so its last table. Under ThreadSanitizer this is what shows a race.

#ifndef __EMSCRIPTEN__
TEST(Hostile, ThreadsMayShareARope) {
  constexpr std::size_t head_dim = 64, kinds = 40;
  const Rope rope({.head_dim = head_dim, .pairing = Pairing::half});
  const Floats x(9 * head_dim, 0.5F);
  const auto rotated = [&](std::size_t kind) {
    const std::size_t sequence = 1 + kind % 9;
    Floats y(sequence * head_dim);
    rope.rotate(std::span(x).first(y.size()), y,
                {.sequence = sequence, .heads = 1, .positions = static_cast<double>(kind % 7) * 1000});
    return y;
  };
  std::vector<Floats> expected;
  for (std::size_t kind = 0; kind < kinds; ++kind) expected.push_back(rotated(kind));
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t i = 0; i < 200; ++i) {
        const std::size_t kind = (7 * i + 11 * t) % kinds;
        if (rotated(kind) != expected[kind]) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}
#endif

// JSON without end, and memory that cannot be had.

std::string zeros(std::size_t count) {
  std::string text = "[0";
  for (std::size_t i = 1; i < count; ++i) text += ",0";
  return text + "]";
}

TEST(Hostile, JsonHasALimitOfBytesAndOfValues) {
  const json::Limits limits{64, 8};
  EXPECT_TRUE(json::parse(zeros(7), "rope", "options", limits).ok());
  expect_refused(json::parse(zeros(8), "rope", "options", limits).status(), Status::Code::range,
                 "rope: `options` is a JSON text of more than 8 values; allowed: at most 8 values");
  EXPECT_TRUE(json::parse(std::string(63, ' ') + "1", "rope", "options", limits).ok());
  expect_refused(json::parse(std::string(64, ' ') + "1", "rope", "options", limits).status(),
                 Status::Code::range,
                 "rope: `options` is a JSON text of 65 bytes; allowed: at most 64 bytes");
}

TEST(Hostile, OptionsOfMillionsOfNumbersAreRefused) {
  const std::string many = zeros(json::document_limits.values);
  const std::string all[] = {
      R"({"head_dim":8,"frequencies":{"type":"custom","frequencies":)" + many + "}}",
      R"({"head_dim":8,"frequencies":{"type":"longrope","original_max_positions":8,"sequence_length":8,"short_factor":)" +
          many + R"(,"long_factor":[1,1,1,1]}})",
      many};
  for (const std::string& text : all) {
    expect_refused(rope_options_from_json(text).status(), Status::Code::range, "at most 262144 values");
  }
}

TEST(Hostile, FrequenciesForWhichThereIsNoMemoryAreRefused) {
  // 2^17 heads of 2^15 pairs take 2^32 entries of 192 bytes, which only a kernel that promises anything would give.
  frequencies::ReceptiveField rule;
  rule.alpha = std::vector<double>(std::size_t{1} << 17, 0.5);
  const Status unaddressable = check_memory(std::numeric_limits<std::size_t>::max() - 64, "test");
  expect_refused(unaddressable, Status::Code::out_of_memory, "test: no memory for ");
  if (sizeof(std::size_t) == 4) {
    expect_refused(Rope::make({.head_dim = 65536, .frequencies = rule}).status(), Status::Code::out_of_memory,
                   "rope: frequencies: no memory");
  }
}

// Files that the own reader would refuse.

TEST(Hostile, SafetensorsWithShapesThatWrapOrNamesThatAreNotUtf8AreNotWritten) {
  const Floats values = {1, 2, 3, 4};
  const auto made = [&](std::string_view name, const std::vector<std::uint64_t>& shape) {
    const SafetensorsSource source{.name = name, .shape = shape, .data = values};
    return SafetensorsLayout::make({&source, 1}, SafetensorsType::F32).status();
  };
  EXPECT_TRUE(made("weight", {2, 2}).ok());
  expect_refused(made("weight", {std::uint64_t{1} << 63, 2, 4}), Status::Code::range,
                 "has shape [9223372036854775808,2,4]");
  expect_refused(made("weight", {(std::uint64_t{1} << 62) + 1, 4}), Status::Code::range, "fits 64 bits");
  for (const char* name : {"\xff", "a\xc0\xaf", "\xed\xa0\x80"}) {
    expect_refused(made(name, {2, 2}), Status::Code::range, "not UTF-8");
  }
}

}  // namespace hostile_test
}  // namespace ropewalk
