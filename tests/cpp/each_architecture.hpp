#pragma once

// Runs a test once per architecture that this processor has.

#include <gtest/gtest.h>

#include <string>

#include "ropewalk/architecture.hpp"

class EachArchitecture : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    before_ = ropewalk::architecture();
    ropewalk::use_architecture(GetParam());
    ASSERT_EQ(ropewalk::architecture(), GetParam()) << "another architecture is running";
  }
  void TearDown() override { ropewalk::use_architecture(before_); }

 private:
  std::string before_;
};

inline auto all_architectures() {
  std::vector<std::string> names;
  for (std::string_view name : ropewalk::architectures()) names.emplace_back(name);
  return testing::ValuesIn(names);
}

inline std::string architecture_name(const testing::TestParamInfo<std::string>& info) { return info.param; }

#define ON_EACH_ARCHITECTURE(Suite) \
  INSTANTIATE_TEST_SUITE_P(Architectures, Suite, all_architectures(), architecture_name)
