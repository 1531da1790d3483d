// Sampling against tests/golden/decoders/sampling.json, and what a seed promises.

#include "ropewalk/sampling.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "golden.hpp"

namespace sampling_test {

using namespace ropewalk;

SamplingOptions options_of(const nlohmann::json& defaults, const nlohmann::json& settings) {
  nlohmann::json all = defaults;
  all.update(settings);
  SamplingOptions options;
  const std::vector<std::pair<const char*, double*>> numbers = {
      {"temperature", &options.temperature},
      {"top_p", &options.top_p},
      {"min_p", &options.min_p},
      {"repetition_penalty", &options.repetition_penalty}};
  for (const auto& [name, value] : numbers) {
    if (all.contains(name)) *value = all[name];
  }
  if (all.contains("top_k")) options.top_k = all["top_k"];
  if (all.contains("repetition_window")) options.repetition_window = all["repetition_window"];
  return options;
}

TEST(Sampling, KeepsWhatTheReferenceKeeps) {
  const nlohmann::json file = golden::read("decoders/sampling.json");
  double worst = 0;
  for (const auto& each : file["cases"]) {
    SCOPED_TRACE(each["logits"].get<std::string>() + " " + each["settings"].dump());
    const SamplingOptions options = options_of(file["defaults"], each["settings"]);
    const Sampler sampler = raise(Sampler::make(options));
    const std::vector<float> logits = file["logits"][each["logits"]];
    std::vector<std::int32_t> history = file["history"];
    // 0 stands for the whole history there.
    if (options.repetition_window != 0 && history.size() > options.repetition_window)
      history.erase(history.begin(), history.end() - static_cast<std::ptrdiff_t>(options.repetition_window));
    std::vector<Candidate> found;
    raise(sampler.try_candidates(logits, history, found));
    const std::vector<std::int32_t> kept = each["kept"];
    ASSERT_EQ(found.size(), kept.size());
    // Without a cut the candidates may come in any order.
    std::ranges::stable_sort(found, [](const Candidate& a, const Candidate& b) {
      return a.probability != b.probability ? a.probability > b.probability : a.id < b.id;
    });
    for (std::size_t i = 0; i < kept.size(); ++i) {
      EXPECT_EQ(found[i].id, kept[i]);
      worst = std::max(worst, std::fabs(found[i].probability - each["probabilities"][i].get<double>()));
    }
  }
  EXPECT_LE(worst, 1e-8);
}

TEST(Sampling, FollowsTheProbabilitiesAndTheSeed) {
  const std::vector<float> logits = {std::log(1.0F), std::log(2.0F), std::log(5.0F)};
  const auto draw = [&](std::uint64_t seed) {
    Sampler sampler = raise(Sampler::make({.temperature = 1, .seed = seed}));
    std::vector<std::int32_t> ids;
    for (std::size_t i = 0; i < 4000; ++i) {
      Sample sample;
      raise(sampler.try_sample(logits, {}, sample));
      ids.push_back(sample.id);
      EXPECT_NEAR(sample.log_probability,
                  std::log((sample.id == 0   ? 1
                            : sample.id == 1 ? 2
                                             : 5) /
                           8.0),
                  1e-7);
    }
    return ids;
  };
  const std::vector<std::int32_t> first = draw(1), again = draw(1), other = draw(2);
  EXPECT_EQ(first, again);
  EXPECT_NE(first, other);
  for (const auto& [id, share] : {std::pair(0, 0.125), std::pair(1, 0.25), std::pair(2, 0.625)})
    EXPECT_NEAR(static_cast<double>(std::ranges::count(first, id)) / 4000, share, 0.04);
  // Pinned: the same on every machine.
  EXPECT_EQ(std::vector<std::int32_t>(first.begin(), first.begin() + 12),
            (std::vector<std::int32_t>{2, 1, 1, 0, 2, 2, 2, 0, 2, 1, 0, 1}));
}

TEST(Sampling, TopKDependsOnNoOtherLogit) {
  std::vector<float> logits(300);
  for (std::size_t i = 0; i < logits.size(); ++i) logits[i] = std::sin(static_cast<float>(i) * 1.7F) * 3;
  const Sampler sampler = raise(Sampler::make({.temperature = 0.9, .top_k = 7, .top_p = 0.8, .min_p = 0.01}));
  std::vector<Candidate> whole, alone;
  raise(sampler.try_candidates(logits, {}, whole));
  std::vector<float> sorted = logits;
  std::ranges::sort(sorted, std::greater());
  for (float& each : logits)
    if (each < sorted[6]) each = -std::numeric_limits<float>::infinity();
  raise(sampler.try_candidates(logits, {}, alone));
  ASSERT_GT(whole.size(), 1u);
  ASSERT_EQ(alone.size(), whole.size());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    EXPECT_EQ(alone[i].id, whole[i].id);
    EXPECT_EQ(alone[i].probability, whole[i].probability);
  }
}

TEST(Sampling, RefusesOptionsOutOfRange) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto& [options, name] : std::vector<std::pair<SamplingOptions, const char*>>{
           {{.temperature = -1}, "temperature"},
           {{.temperature = nan}, "temperature"},
           {{.top_p = 0}, "top_p"},
           {{.top_p = 1.5}, "top_p"},
           {{.min_p = 2}, "min_p"},
           {{.repetition_penalty = 0}, "repetition_penalty"}}) {
    EXPECT_NE(Sampler::make(options).status().message().find(name), std::string::npos) << name;
  }
  std::vector<Candidate> candidates;
  const Sampler sampler = raise(Sampler::make({.temperature = 1}));
  EXPECT_FALSE(sampler.try_candidates(std::vector<float>{1, std::nanf("")}, {}, candidates).ok());
  EXPECT_FALSE(sampler.try_candidates({}, {}, candidates).ok());
}

}  // namespace sampling_test
