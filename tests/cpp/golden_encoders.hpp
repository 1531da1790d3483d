#pragma once

// The checkpoints of tests/golden/encoders and encoders-3, and how their results are compared.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "golden_folders.hpp"
#include "ropewalk/encoder.hpp"

namespace golden_encoders {

using namespace ropewalk;

inline std::vector<std::string> cases() {
  std::vector<std::string> names = golden::folders_in("encoders");
  std::ranges::copy(golden::folders_in("encoders-3"), std::back_inserter(names));
  std::ranges::sort(names);
  return names;
}

inline std::string folder(const std::string& name) {
  const bool first = std::filesystem::exists(std::string(ROPEWALK_GOLDEN) + "/encoders/" + name);
  return (first ? "encoders/" : "encoders-3/") + name;
}

inline Spec spec_of(const std::string& name) {
  return raise(spec_from_config(checkpoint::text(folder(name) + "/config.json")));
}

inline std::vector<std::byte> weights_of(const std::string& name) { return golden::weights_in(folder(name)); }

inline Encoder encoder(const std::string& name, Precision precision = Precision::float32) {
  return Encoder(checkpoint::text(folder(name) + "/config.json"), weights_of(name), precision);
}

struct Input {
  explicit Input(const nlohmann::json& json)
      : batch(json["shape"][0]),
        sequence(json["shape"][1]),
        ids(json["input_ids"]),
        mask(json["attention_mask"]) {
    if (json.contains("sequence_ids")) sequences = json["sequence_ids"].get<std::vector<std::int32_t>>();
    if (json.contains("token_type_ids")) types = json["token_type_ids"].get<std::vector<std::int32_t>>();
  }
  EncoderInput get() const { return {ids, batch, sequence, types, mask, sequences}; }
  std::size_t batch, sequence;
  std::vector<std::int32_t> ids, mask, types, sequences;
};

/// The largest difference over the largest entry. Rows of `width` that `counts` does not count hold padding.
template <class Counts>
double distance(std::span<const float> actual, const std::vector<double>& expected, std::size_t width,
                Counts&& counts) {
  EXPECT_EQ(actual.size(), expected.size());
  if (actual.size() != expected.size()) return INFINITY;
  double worst = 0, largest = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (!counts(i / width)) continue;
    largest = std::max(largest, std::fabs(expected[i]));
    const double difference = std::fabs(double{actual[i]} - expected[i]);
    if (!(difference <= worst)) worst = difference;  // NaN wins
  }
  return worst / largest;
}

}  // namespace golden_encoders
