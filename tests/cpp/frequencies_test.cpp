// The rules of theta_j: the golden values, read as configurations, rotated on every architecture; and each
// rule's own range errors.

#include "ropewalk/frequencies.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "each_architecture.hpp"
#include "golden.hpp"
#include "reference/rotate.hpp"
#include "ropewalk/config.hpp"
#include "ropewalk/rope.hpp"

namespace ropewalk {
namespace frequencies_test {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(Frequencies, HoldTheGoldenValuesReadFromConfigurations) {
  int checked = 0;
  const auto file = golden::read("rope/frequencies.json");
  for (const auto& each : file["cases"]) {
    SCOPED_TRACE(each["name"]);
    ConfigOptions options;
    if (!each["seq_len"].is_null()) options.sequence_length = each["seq_len"].get<double>();
    Result<RopeOptions> read = try_rope_options_from_config(each["config"].dump(), options);
    ASSERT_TRUE(read.ok()) << read.status().message();
    const Rope rope(read.value());
    EXPECT_EQ(rope.rotary_dim(), each["rotary_dim"].get<std::size_t>());
    const auto expected = each["frequencies"].get<std::vector<double>>();
    ASSERT_EQ(rope.frequencies().size(), expected.size());
    for (std::size_t j = 0; j < expected.size(); ++j) {
      EXPECT_NEAR(rope.frequencies()[j], expected[j], 1e-12 * std::fabs(expected[j])) << "pair " << j;
    }
    EXPECT_NEAR(rope.magnitude(), each["attention_factor"].get<double>(), 1e-12);
    ++checked;
  }
  EXPECT_EQ(checked, 15);
}

/// The tables are float32, rounded from float64.
TEST(Frequencies, HoldTheGoldenTablesOfNtkSu) {
  const auto file = golden::read("rope/ntk-su.json");
  ASSERT_EQ(file["cases"].size(), 2u);
  for (const auto& each : file["cases"]) {
    SCOPED_TRACE(each["rule"]);
    RopeOptions options{.head_dim = each["rotary_dim"]};
    if (each["rule"] == "ntk-su") {
      options.frequencies = frequencies::NtkSu{.base = each["base"], .factor = each["factor"]};
    } else {
      options.frequencies =
          frequencies::NtkMixed{.base = each["base"], .factor = each["factor"], .mixed_b = each["mixed_b"]};
    }
    const Rope rope(options);
    const auto expected = each["inverse_frequencies"].get<std::vector<double>>();
    ASSERT_EQ(rope.frequencies().size(), expected.size());
    for (std::size_t j = 0; j < expected.size(); ++j) {
      EXPECT_NEAR(rope.frequencies()[j], expected[j], 0x1p-24 * expected[j]) << "pair " << j;
    }
    EXPECT_EQ(rope.magnitude(), 1);
  }
}

class FrequenciesOn : public EachArchitecture {};
ON_EACH_ARCHITECTURE(FrequenciesOn);

TEST_P(FrequenciesOn, HoldTheGoldenRotationsOfTheRules) {
  int checked = 0;
  const auto file = golden::read("rope/rotate.json");
  for (const auto& each : file["cases"]) {
    if (!each["config"].contains("rope_scaling")) continue;  // rope_test.cpp
    SCOPED_TRACE(each["name"]);
    RopeOptions options = rope_options_from_config(each["config"].dump());
    options.pairing = each["pairing"] == "half" ? Pairing::half : Pairing::interleaved;
    const Rope rope(options);
    const auto positions = each["positions"].get<std::vector<double>>();
    const auto x = each["x"].get<std::vector<float>>();
    const auto expected = each["y"].get<std::vector<double>>();
    std::vector<float> y(x.size());
    rope.rotate(x, y,
                {.batch = each["shape"][0],
                 .sequence = each["shape"][1],
                 .heads = each["shape"][2],
                 .positions = positions});
    const std::size_t pairs = rope.rotary_dim() / 2;
    for (std::size_t head = 0; head < y.size(); head += rope.head_dim()) {
      for (std::size_t j = 0; j < pairs; ++j) {
        const std::size_t a = head + reference::first_channel(options.pairing, pairs, j);
        const std::size_t b = head + reference::second_channel(options.pairing, pairs, j);
        const double length = std::hypot(expected[a], expected[b]);
        ASSERT_NEAR(y[a], expected[a], 0x1p-22 * length) << "channel " << a;
        ASSERT_NEAR(y[b], expected[b], 0x1p-22 * length) << "channel " << b;
      }
    }
    ++checked;
  }
  EXPECT_EQ(checked, 2);
}

/// The message of the error of a head of 8 channels under the rule.
std::string error(Frequencies rule, std::size_t head_dim = 8) {
  RopeOptions options{.head_dim = head_dim};
  options.frequencies = std::move(rule);
  Result<Rope> rope = Rope::make(options);
  if (rope.ok()) return "no error";
  EXPECT_EQ(rope.status().code(), Status::Code::range);
  return rope.status().message();
}

/// True if the message names this argument and value.
testing::AssertionResult refuses(const std::string& message, const std::string& argument,
                                 const std::string& value) {
  const std::string start = "rope: `" + argument + "` is " + value + "; allowed: ";
  if (message.starts_with(start) && message.size() > start.size()) return testing::AssertionSuccess();
  return testing::AssertionFailure() << message << "\nexpected " << start;
}

TEST(FrequenciesErrors, NameTheBaseOfEveryRule) {
  EXPECT_TRUE(refuses(error(frequencies::Default{.base = 0}), "frequencies.base", "0"));
  EXPECT_TRUE(refuses(error(frequencies::Default{.base = -1}), "frequencies.base", "-1"));
  EXPECT_TRUE(refuses(error(frequencies::Default{.base = nan}), "frequencies.base", "NaN"));
  EXPECT_TRUE(refuses(error(frequencies::Linear{.base = infinity}), "frequencies.base", "Infinity"));
  EXPECT_TRUE(refuses(error(frequencies::Ntk{.base = 0}), "frequencies.base", "0"));
  EXPECT_TRUE(refuses(error(frequencies::Dynamic{.base = 0, .max_positions = 8}), "frequencies.base", "0"));
  EXPECT_TRUE(
      refuses(error(frequencies::Yarn{.base = 1, .original_max_positions = 8}), "frequencies.base", "1"));
  EXPECT_TRUE(refuses(error(frequencies::Llama3{.base = 0}), "frequencies.base", "0"));
  EXPECT_TRUE(refuses(error(frequencies::Proportional{.base = 0}), "frequencies.base", "0"));
  EXPECT_TRUE(
      refuses(error(frequencies::ReceptiveField{.base = 0, .alpha = 0, .rho = 0}), "frequencies.base", "0"));
}

TEST(FrequenciesErrors, OfLinearNtkAndDynamic) {
  EXPECT_TRUE(refuses(error(frequencies::Linear{.factor = 0.5}), "frequencies.factor", "0.5"));
  EXPECT_TRUE(refuses(error(frequencies::Linear{.factor = nan}), "frequencies.factor", "NaN"));
  EXPECT_TRUE(refuses(error(frequencies::Ntk{.factor = 0}), "frequencies.factor", "0"));
  EXPECT_TRUE(refuses(error(frequencies::Ntk{.factor = 2}, 2), "rotary_dim", "2"));
  EXPECT_TRUE(
      refuses(error(frequencies::Dynamic{.factor = 0, .max_positions = 8}), "frequencies.factor", "0"));
  EXPECT_TRUE(refuses(error(frequencies::Dynamic{.max_positions = 0}), "frequencies.max_positions", "0"));
  EXPECT_TRUE(refuses(error(frequencies::Dynamic{.max_positions = 8, .sequence_length = -1}),
                      "frequencies.sequence_length", "-1"));
  EXPECT_TRUE(refuses(error(frequencies::Dynamic{.max_positions = 8}, 2), "rotary_dim", "2"));
}

TEST(FrequenciesErrors, OfYarn) {
  const frequencies::Yarn sound{.factor = 4, .original_max_positions = 2048};
  EXPECT_EQ(error(sound), "no error");
  const auto with = [&](auto change) {
    frequencies::Yarn rule = sound;
    change(rule);
    return error(rule);
  };
  EXPECT_TRUE(refuses(with([](auto& r) { r.factor = 0.9; }), "frequencies.factor", "0.9"));
  EXPECT_TRUE(refuses(with([](auto& r) { r.original_max_positions = 0; }),
                      "frequencies.original_max_positions", "0"));
  EXPECT_TRUE(refuses(with([](auto& r) { r.beta_slow = 0; }), "frequencies.beta_slow", "0"));
  EXPECT_TRUE(refuses(with([](auto& r) { r.beta_fast = 1; }), "frequencies.beta_fast", "1"));
  EXPECT_TRUE(refuses(with([](auto& r) { r.beta_fast = infinity; }), "frequencies.beta_fast", "Infinity"));
  EXPECT_TRUE(refuses(with([](auto& r) { r.attention_factor = 0; }), "frequencies.attention_factor", "0"));
  EXPECT_TRUE(refuses(with([](auto& r) { r.mscale = -1; }), "frequencies.mscale", "-1"));
  EXPECT_TRUE(refuses(with([](auto& r) { r.mscale_all_dim = -1; }), "frequencies.mscale_all_dim", "-1"));
}

TEST(FrequenciesErrors, OfLongRope) {
  frequencies::LongRope sound;
  sound.short_factor = {1, 1, 1, 1};
  sound.long_factor = {1, 2, 3, 4};
  sound.original_max_positions = 4096;
  sound.sequence_length = 100;
  EXPECT_EQ(error(sound), "no error");
  const auto with = [&](auto change) {
    frequencies::LongRope rule = sound;
    change(rule);
    return error(rule);
  };
  EXPECT_TRUE(refuses(with([](auto& r) { r.short_factor.pop_back(); }), "frequencies.short_factor",
                      "an array of 3 numbers"));
  EXPECT_TRUE(refuses(with([](auto& r) { r.long_factor.clear(); }), "frequencies.long_factor",
                      "an array of 0 numbers"));
  EXPECT_TRUE(refuses(with([](auto& r) { r.short_factor[2] = 0; }), "frequencies.short_factor[2]", "0"));
  EXPECT_TRUE(refuses(with([](auto& r) { r.long_factor[3] = nan; }), "frequencies.long_factor[3]", "NaN"));
  EXPECT_TRUE(refuses(with([](auto& r) { r.original_max_positions = 1; }),
                      "frequencies.original_max_positions", "1"));
  EXPECT_TRUE(refuses(with([](auto& r) { r.sequence_length = -1; }), "frequencies.sequence_length", "-1"));
  EXPECT_TRUE(refuses(with([](auto& r) { r.factor = 0; }), "frequencies.factor", "0"));
  EXPECT_TRUE(refuses(with([](auto& r) { r.attention_factor = -2; }), "frequencies.attention_factor", "-2"));
}

TEST(FrequenciesErrors, OfLlama3AndProportional) {
  EXPECT_TRUE(refuses(error(frequencies::Llama3{.factor = 0}), "frequencies.factor", "0"));
  EXPECT_TRUE(refuses(error(frequencies::Llama3{.low_frequency_factor = 0}),
                      "frequencies.low_frequency_factor", "0"));
  EXPECT_TRUE(refuses(error(frequencies::Llama3{.high_frequency_factor = 0.5}),
                      "frequencies.high_frequency_factor", "0.5"));
  EXPECT_TRUE(refuses(error(frequencies::Llama3{.original_max_positions = 0}),
                      "frequencies.original_max_positions", "0"));
  EXPECT_TRUE(refuses(error(frequencies::Proportional{.fraction = 0}), "frequencies.fraction", "0"));
  EXPECT_TRUE(refuses(error(frequencies::Proportional{.fraction = 1.5}), "frequencies.fraction", "1.5"));
  EXPECT_TRUE(refuses(error(frequencies::Proportional{.factor = 0}), "frequencies.factor", "0"));
  RopeOptions partial{.head_dim = 8, .rotary_dim = 4};
  partial.frequencies = frequencies::Proportional{.fraction = 0.5};
  EXPECT_TRUE(refuses(Rope::make(partial).status().message(), "rotary_dim", "4"));
}

TEST(FrequenciesErrors, OfReceptiveFieldAndCustom) {
  using frequencies::Custom;
  using frequencies::ReceptiveField;
  const std::vector<double> two = {0.5, 2}, three = {0, 0, 0};
  EXPECT_TRUE(refuses(error(ReceptiveField{.alpha = 1.5, .rho = 0}), "frequencies.alpha", "1.5"));
  EXPECT_TRUE(refuses(error(ReceptiveField{.alpha = two, .rho = 0}), "frequencies.alpha[1]", "2"));
  EXPECT_TRUE(refuses(error(ReceptiveField{.alpha = 0.5, .rho = -1}), "frequencies.rho", "-1"));
  EXPECT_TRUE(refuses(error(ReceptiveField{.alpha = 0.5, .rho = infinity}), "frequencies.rho", "Infinity"));
  EXPECT_TRUE(refuses(error(ReceptiveField{.alpha = std::vector<double>{0, 1}, .rho = three}),
                      "frequencies.rho", "an array of 3 numbers"));
  EXPECT_TRUE(
      refuses(error(Custom{.frequencies = {1, 2, 3}}), "frequencies.frequencies", "an array of 3 numbers"));
  EXPECT_TRUE(refuses(error(Custom{.frequencies = {}}), "frequencies.frequencies", "an array of 0 numbers"));
  EXPECT_TRUE(refuses(error(Custom{.frequencies = {1, 2, nan, 4}}), "frequencies.frequencies[2]", "NaN"));
  EXPECT_TRUE(
      refuses(error(Custom{.frequencies = {1, 2, 3, 4}, .magnitude = 0}), "frequencies.magnitude", "0"));
}

}  // namespace frequencies_test
}  // namespace ropewalk
