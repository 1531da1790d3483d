// The vectors of conformance/: every rule, both pairings, positions up to 10^6, against values of 60 digits that
// conformance/python/generate.py rounded; and Angles::float32 against PyTorch's chain of roundings.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "each_architecture.hpp"
#include "rope/options_from_json.hpp"
#include "ropewalk/config.hpp"
#include "ropewalk/rope.hpp"

namespace ropewalk {
namespace conformance_test {

using nlohmann::json;
using Numbers = std::vector<double>;

json read_vectors(const std::string& name) {
  std::ifstream file(std::string(ROPEWALK_CONFORMANCE) + "/" + name);
  EXPECT_TRUE(file) << name;
  return json::parse(file);
}

/// The largest difference, as a share of what is allowed, of everything that was compared.
struct Comparison {
  double theta_tolerance, value_tolerance, worst = 0;
  std::size_t values = 0;

  explicit Comparison(const json& tolerance)
      : theta_tolerance(tolerance["theta"]), value_tolerance(tolerance["value"]) {}

  void add(double made, double expected, double allowed) {
    const double difference = std::fabs(made - expected);
    const double share = difference == 0 ? 0 : difference / allowed;
    worst = share <= worst ? worst : std::isnan(share) ? INFINITY : share;
    ++values;
  }
  void add_theta(const Rope& rope, const Numbers& theta, double magnitude) {
    add(rope.magnitude(), magnitude, theta_tolerance * magnitude);
    ASSERT_EQ(rope.frequencies().size(), theta.size());
    for (std::size_t j = 0; j < theta.size(); ++j) {
      add(rope.frequencies()[j], theta[j], theta_tolerance * std::fabs(theta[j]));
    }
  }
};

/// The row of the table and the rotated sample at one position, which has one number for each axis.
struct Row {
  const Numbers& position;
  /// Largest error of each pair's angle.
  const Numbers& errors;
  /// The first channel of each pair, then the second of each.
  const std::vector<std::size_t>& first;
  const std::vector<std::size_t>& second;
  const json& table;
  const Numbers& y;
};

void compare_row(const Rope& rope, const json& one, const Row& row, Comparison& comparison) {
  const std::vector<float> x = one["x"];
  const double magnitude = one["magnitude"];
  const Numbers expected_cos = row.table["cos"], expected_sin = row.table["sin"];
  std::vector<float> cos(expected_cos.size()), sin(cos.size()), y(x.size());
  rope.table(row.position, cos, sin);
  rope.rotate(x, y, {.sequence = 1, .heads = 1, .positions = row.position});
  Numbers allowed(x.size());
  for (std::size_t j = 0; j < cos.size(); ++j) {
    const std::size_t a = row.first[j], b = row.second[j];
    const double of_table = magnitude * (comparison.value_tolerance + row.errors[j]);
    comparison.add(cos[j], expected_cos[j], of_table);
    comparison.add(sin[j], expected_sin[j], of_table);
    allowed[a] = allowed[b] =
        magnitude * std::hypot(x[a], x[b]) * (2 * comparison.value_tolerance + row.errors[j]);
  }
  for (std::size_t i = 0; i < x.size(); ++i) comparison.add(y[i], row.y[i], allowed[i]);
}

/// The rows of the table and the rotated sample of one case and pairing.
void compare_rows(const Rope& rope, const json& one, const json& column, const Numbers& positions,
                  Comparison& comparison) {
  const Numbers theta = column["theta"];
  const bool half = rope.pairing() == Pairing::half;
  const std::size_t pairs = theta.size();
  std::vector<std::size_t> first(pairs), second(pairs);
  for (std::size_t j = 0; j < pairs; ++j) {
    first[j] = half ? j : 2 * j;
    second[j] = half ? j + pairs : 2 * j + 1;
  }
  for (std::size_t row = 0; row < positions.size(); ++row) {
    const Numbers position = {positions[row]}, y = column["rotated"][half ? "half" : "interleaved"][row];
    Numbers errors(pairs);
    for (std::size_t j = 0; j < pairs; ++j) {
      errors[j] = std::fabs(positions[row] * theta[j]) * comparison.theta_tolerance;
    }
    compare_row(rope, one, {position, errors, first, second, column["tables"][row], y}, comparison);
  }
}

RopeOptions options_of(const json& one, const std::string& pairing) {
  json options = {{"head_dim", one["head_dim"]},
                  {"rotary_dim", one["rotary_dim"]},
                  {"pairing", pairing},
                  {"frequencies", one["frequencies"]}};
  if (one.contains("axes")) options["axes"] = one["axes"];
  return raise(rope_options_from_json(options.dump()));
}

/// Calls `run(case, pairing, positions)` for every case of every rule.
template <class Run>
void each_case(Run&& run) {
  const json index = read_vectors("index.json");
  for (const std::string name : index["files"]) {
    const json file = read_vectors(name);
    for (const json& one : file["cases"]) {
      for (const std::string pairing : {"half", "interleaved"}) {
        SCOPED_TRACE(testing::Message() << name << ": " << one["name"] << ", " << pairing);
        run(one, pairing, file["positions"].get<Numbers>());
      }
    }
  }
}

class ConformanceOn : public EachArchitecture {};
ON_EACH_ARCHITECTURE(ConformanceOn);

TEST_P(ConformanceOn, HoldsTheVectorsOfEveryRule) {
  const json tolerances = read_vectors("index.json")["tolerances"];
  std::size_t values = 0;
  double worst = 0;
  each_case([&](const json& one, const std::string& pairing, const Numbers& positions) {
    Comparison comparison(tolerances["float32-output"]);
    const Rope rope(options_of(one, pairing));
    comparison.add_theta(rope, one["theta"], one["magnitude"]);
    compare_rows(rope, one, one, positions, comparison);
    EXPECT_LE(comparison.worst, 1);
    values += comparison.values;
    worst = std::max(worst, comparison.worst);
  });
  EXPECT_GT(values, 40000u);
  RecordProperty("worst_share_of_the_tolerance", std::to_string(worst));
}

TEST_P(ConformanceOn, HoldsTheFloat32ColumnWithFloat32Angles) {
  const json tolerances = read_vectors("index.json")["tolerances"];
  std::size_t values = 0;
  each_case([&](const json& one, const std::string& pairing, const Numbers& positions) {
    Comparison comparison(tolerances["float32"]);
    RopeOptions options = options_of(one, pairing);
    options.angles = Angles::float32;
    compare_rows(Rope(options), one, one["float32"], positions, comparison);
    EXPECT_LE(comparison.worst, 1);
    values += comparison.values;
  });
  EXPECT_GT(values, 38000u);
}

TEST_P(ConformanceOn, HoldsTheVectorsOfSeveralAxes) {
  const json index = read_vectors("index.json");
  const json file = read_vectors(index["axes"]);
  std::size_t values = 0;
  for (const json& one : file["cases"]) {
    SCOPED_TRACE(one["name"].get<std::string>());
    Comparison comparison(index["tolerances"]["float32-output"]);
    const Rope rope(options_of(one, one["pairing"]));
    const std::vector<Numbers> theta = one["theta"], positions = one["positions"];
    const std::vector<std::vector<std::size_t>> channels = one["channels"];
    ASSERT_EQ(rope.axes(), theta.size());
    comparison.add(rope.magnitude(), one["magnitude"], comparison.theta_tolerance * rope.magnitude());
    for (std::size_t row = 0; row < positions.size(); ++row) {
      Numbers errors(rope.width());
      for (std::size_t axis = 0; axis < theta.size(); ++axis) {
        for (std::size_t j = 0; j < errors.size(); ++j) {
          errors[j] += std::fabs(positions[row][axis] * theta[axis][j]) * comparison.theta_tolerance;
        }
      }
      const Numbers y = one["rotated"][row];
      compare_row(rope, one, {positions[row], errors, channels[0], channels[1], one["tables"][row], y},
                  comparison);
    }
    EXPECT_LE(comparison.worst, 1);
    values += comparison.values;
  }
  EXPECT_GT(values, 6000u);
}

TEST(Conformance, ReadsTheConfigurationsOfTheVectors) {
  const json tolerance = read_vectors("index.json")["tolerances"]["float32-output"];
  int read = 0;
  each_case([&](const json& one, const std::string& pairing, const Numbers&) {
    ConfigOptions options;
    if (!one["sequence_length"].is_null()) options.sequence_length = one["sequence_length"].get<double>();
    for (const char* form : {"huggingface", "huggingface_5", "gguf"}) {
      const json& config = one[form][pairing];
      if (!config.is_object()) continue;  // a text says why there is no such form
      SCOPED_TRACE(form);
      Comparison comparison(tolerance);
      const Rope rope(rope_options_from_config(config.dump(), options));
      EXPECT_EQ(rope.pairing() == Pairing::half, pairing == "half");
      comparison.add_theta(rope, one["theta"], one["magnitude"]);
      EXPECT_LE(comparison.worst, 1);
      ++read;
    }
  });
  EXPECT_GE(read, 100);
}

}  // namespace conformance_test
}  // namespace ropewalk
