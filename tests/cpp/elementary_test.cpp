// log, exp and pow against values of Python's decimal module with 80 digits, rounded to the nearest double.

#include "base/elementary.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/random.hpp"

namespace ropewalk {
namespace elementary_test {

// x, y, x to the power of y
constexpr double powers[][3] = {{0x1.227bf23a72cbap+21, 0x1.d800000000000p+1, 0x1.143df78ece54bp+78},
                                {0x1.3880000000000p+13, -0x1.d800000000000p-1, 0x1.aea7c90e75adap-13},
                                {0x1.e848000000000p+18, -0x1.7000000000000p-1, 0x1.5024d596be222p-14},
                                {0x1.4a2f2b718ab26p+22, -0x1.e7c922b2d54e4p-2, 0x1.453ca3f294a9cp-11},
                                {0x1.e848000000000p+18, -0x1.1000000000000p-1, 0x1.ec07d4a69338fp-11},
                                {0x1.0000000000000p+1, 0x1.8df1b44419175p+1, 0x1.14144aaf49f6bp+3},
                                {0x1.3880000000000p+13, -0x1.2000000000000p-2, 0x1.33281b6744ae1p-4},
                                {0x1.3880000000000p+17, -0x1.d800000000000p-1, 0x1.0b68096990a40p-16},
                                {0x1.0000000000000p+3, -0x1.2760b41c74abdp-1, 0x1.3487e6b16793bp-2},
                                {0x1.3880000000000p+13, -0x1.25fbb88b3b6b0p-5, 0x1.6fe505ba3444bp-1},
                                {0x1.0000000000000p+1, 0x1.4800000000000p+1, 0x1.7a11473eb0187p+2},
                                {0x1.0000000000000p+3, -0x1.7000000000000p-2, 0x1.e502ee78b3ff6p-2},
                                {0x1.e848000000000p+19, -0x1.5d2cc33a9b555p-1, 0x1.5371741cd663fp-14},
                                {0x1.055a4b54afc63p+23, -0x1.6000000000000p-3, 0x1.0783f51e3cd54p-4},
                                {0x1.2661f2f2674a1p+23, -0x1.23620f06a92d9p-1, 0x1.bc6f0a3bef563p-14},
                                {0x1.82567c35b8395p+22, 0x1.117eb4a4797c6p+0, 0x1.19a6b04adc384p+24},
                                {0x1.0000000000000p+1, -0x1.8000000000000p-4, 0x1.dfc97337b9b5fp-1},
                                {0x1.3880000000000p+17, -0x1.0000000000000p-5, 0x1.6014733a346eep-1},
                                {0x1.3880000000000p+17, -0x1.bedb51c79c570p-1, 0x1.e1a78a7499b49p-16},
                                {0x1.cd2ffd9134ad0p+21, -0x1.c800000000000p-1, 0x1.745bbb30b4ccbp-20},
                                {0x1.3880000000000p+13, 0x1.3d1a2580ed008p+0, 0x1.5ff32efdfad52p+16},
                                {0x1.3880000000000p+13, -0x1.f800000000000p-1, 0x1.e459c57e28a47p-14},
                                {0x1.e848000000000p+19, -0x1.8000000000000p-5, 0x1.0beddc8f2a614p-1},
                                {0x1.e848000000000p+18, -0x1.9000000000000p-2, 0x1.8554eaad8965ep-8}};

// x, ln x, the binary logarithm of x
constexpr double logarithms[][3] = {{0x1.d80312bb444aep-2, -0x1.8c86fd4554baep-1, -0x1.1e08b3513193bp+0},
                                    {0x1.0a85e946633bdp-1, -0x1.4e4427fe81321p-1, -0x1.e23e8682647f3p-1},
                                    {0x1.49da755418039p-1, -0x1.c23a8b6944836p-2, -0x1.44c57720789ebp-1},
                                    {0x1.312e112596283p-1, -0x1.08ebabb724591p-1, -0x1.7e331a498ebabp-1},
                                    {0x1.1e913c0536cefp-1, -0x1.2923c8b54a5a2p-1, -0x1.acae9d61ad6b7p-1},
                                    {0x1.3db2f6b1ea0d8p-1, -0x1.e8ac5b640e420p-2, -0x1.6080d51347274p-1},
                                    {0x1.1f0e093a2c302p+23, 0x1.00e8fbfe7b734p+4, 0x1.72a4966ae7113p+4},
                                    {0x1.3576f29c168d8p+22, 0x1.ee0b81298ab01p+3, 0x1.6460caa6199b3p+4},
                                    {0x1.072db06997b4bp+22, 0x1.e8dc4e926b73bp+3, 0x1.60a36bbf2bb7cp+4},
                                    {0x1.b7a4a3345b751p+22, 0x1.f947e00aeb052p+3, 0x1.6c7ba787d3163p+4},
                                    {0x1.221527a7f6060p+21, 0x1.d5cb6691e9f22p+3, 0x1.52e2975cc4438p+4},
                                    {0x1.6f89aa7c387f0p+21, 0x1.dd5e1f0607212p+3, 0x1.5859151ec0146p+4},
                                    {0x1.0000000001000p+0, 0x1.ffffffffff000p-41, 0x1.71547652b7773p-40},
                                    {0x1.fffffffffe000p-1, -0x1.0000000000800p-40, -0x1.71547652b8e89p-40},
                                    {0x0.0000000000001p-1022, -0x1.74385446d71c3p+9, -0x1.0c80000000000p+10},
                                    {0x1.e42d130773b76p+1023, 0x1.62dd08fdc6f88p+9, 0x1.fff5ae814b54ap+9}};

// x, e to the power of x
constexpr double exponentials[][2] = {
    {0x1.31ca4ff4a89bep+5, 0x1.1b1e808957a6bp+55},    {0x1.b0afdd07a9940p+0, 0x1.5ae910423fa39p+2},
    {0x1.efed90b1cd650p+1, 0x1.813eaab6d0d81p+5},     {-0x1.38aace30eda3fp+5, 0x1.87f658e0ac8aep-57},
    {-0x1.b21f7f8807390p+2, 0x1.28ec95c88f223p-10},   {0x1.996c014985590p+2, 0x1.2c161447e038fp+9},
    {-0x1.332a88d1e0f0ep+5, 0x1.85ce7ee8b8dc6p-56},   {0x1.287156bc8b854p+3, 0x1.49ac21b4cbd7dp+13},
    {0x1.5261d5eaa5594p+3, 0x1.31a43399c1251p+15},    {-0x1.198c68bd513f6p+5, 0x1.2b80c5f6a2e64p-51},
    {0x1.79ca10c924223p-67, 0x1.0000000000000p+0},    {0x1.62c0000000000p+9, 0x1.81e9b4b52d0c9p+1023},
    {-0x1.5e00000000000p+9, 0x1.14f2b0fb9307fp-1010}, {0x0.0p+0, 0x1.0000000000000p+0}};

TEST(Elementary, IsTheNearestDouble) {
  for (const auto& [x, y, expected] : powers) EXPECT_EQ(power(x, y), expected) << x << " " << y;
  for (const auto& [x, natural, binary] : logarithms) {
    EXPECT_EQ(natural_log(x), natural) << x;
    EXPECT_EQ(binary_log(x), binary) << x;
  }
  for (const auto& [x, expected] : exponentials) EXPECT_EQ(exponential(x), expected) << x;
}

TEST(Elementary, IsNearTheCLibrary) {
  Random random(1);
  const auto near = [](double found, double expected) {
    EXPECT_NEAR(found, expected, std::fabs(expected) * 4 * std::numeric_limits<double>::epsilon());
  };
  for (int i = 0; i < 10'000; ++i) {
    const double x = std::exp(60 * random.uniform() - 30), y = 20 * random.uniform() - 10;
    near(power(x, y), std::pow(x, y));
    near(natural_log(x), std::log(x));
    near(binary_log(x), std::log2(x));
    near(exponential(y), std::exp(y));
  }
}

TEST(Elementary, HasTheSpecialValuesOfTheCLibrary) {
  const double infinite = HUGE_VAL, none = std::nan("");
  const auto same = [](double found, double expected) {
    EXPECT_TRUE(found == expected || (std::isnan(found) && std::isnan(expected))) << found << " " << expected;
  };
  const double values[] = {0, 5e-324, 0.5, 1, 2, 1e300, infinite, none};
  const double exponents[] = {-infinite, -1e300, -3,   -1e-300, 0,        1e-300,
                              1,         1e19,   1e21, 1e300,   infinite, none};
  for (const double x : values) {
    same(natural_log(x), std::log(x));
    same(binary_log(x), std::log2(x));
    for (const double y : exponents) same(power(x, y), std::pow(x, y));
  }
  same(natural_log(-1), none);
  for (const double x : {-infinite, -800.0, 0.0, 800.0, infinite, none}) same(exponential(x), std::exp(x));
}

}  // namespace elementary_test
}  // namespace ropewalk
