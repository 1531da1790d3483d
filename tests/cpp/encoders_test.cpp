// Encoders of every family against tests/golden/encoders, which an independent reference computed in float64
// from the same files.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <set>

#include "checkpoint.hpp"
#include "each_architecture.hpp"
#include "golden.hpp"
#include "ropewalk/encoder.hpp"

namespace {

using namespace ropewalk;

/// Relative to the largest entry of a result, as the folder's README has them.
const std::map<std::string, double> limits = {
    {"first_hidden_state", 2e-6}, {"last_hidden_state", 1e-5}, {"attention", 1e-5}, {"logits", 1e-5}};

std::vector<std::string> cases() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(ROPEWALK_GOLDEN) + "/encoders")) {
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

std::string folder(const std::string& name) { return "encoders/" + name; }

Encoder encoder(const std::string& name, const nlohmann::json& changes = nlohmann::json::object()) {
  nlohmann::json config = golden::read(folder(name) + "/config.json");
  config.update(changes);
  return Encoder(config.dump(), checkpoint::bytes(folder(name) + "/model.safetensors"));
}

struct Input {
  explicit Input(const nlohmann::json& json)
      : batch(json["shape"][0]),
        sequence(json["shape"][1]),
        ids(json["input_ids"]),
        mask(json["attention_mask"]) {
    if (json.contains("token_type_ids")) types = json["token_type_ids"].get<std::vector<std::int32_t>>();
  }
  EncoderInput get() const { return {ids, batch, sequence, types, mask}; }
  std::size_t batch, sequence;
  std::vector<std::int32_t> ids, mask, types;
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

class GoldenEncoders : public EachArchitecture {};
ON_EACH_ARCHITECTURE(GoldenEncoders);

TEST_P(GoldenEncoders, EqualTheReference) {
  std::set<std::string> compared;
  for (const std::string& name : cases()) {
    SCOPED_TRACE(name);
    Encoder model = encoder(name);
    std::map<std::string, double> worst;
    for (const auto& json : golden::read(folder(name) + "/expected.json")["cases"]) {
      const Input input(json);
      const EncoderOutput output =
          model.forward(input.get(), {.logits = true, .hidden_states = true, .attentions = true});
      const std::size_t tokens = input.sequence, heads = model.spec().attention.heads;
      const auto is_token = [&](std::size_t row) { return input.mask[row] != 0; };
      const auto check = [&](const char* what, std::span<const float> actual, std::size_t width,
                             auto&& counts) {
        if (!json.contains(what)) return;
        const double error = distance(actual, json[what], width, counts);
        EXPECT_LE(error, limits.at(what)) << what << " of " << input.batch << " x " << tokens;
        worst[what] = std::max(worst[what], error);
        compared.insert(what);
      };
      check("first_hidden_state", output.hidden_states[0], model.spec().hidden, is_token);
      check("last_hidden_state", output.last_hidden_state, model.spec().hidden, is_token);
      if (json.contains("attention")) {
        check("attention", output.attentions.at(json["attention_layer"]), tokens,
              [&](std::size_t row) { return is_token(row / (heads * tokens) * tokens + row % tokens); });
      }
      if (!output.class_logits.empty()) {
        check("logits", output.class_logits, model.spec().labels, [](std::size_t) { return true; });
      } else if (!output.token_logits.empty()) {
        check("logits", output.token_logits, model.spec().labels, is_token);
      } else {
        check("logits", output.logits, model.spec().vocabulary, is_token);
      }
    }
    std::printf("  %s %s:", GetParam().c_str(), name.c_str());
    for (const auto& [what, error] : worst) std::printf(" %s %.1e", what.c_str(), error);
    std::printf("\n");
  }
  EXPECT_EQ(compared.size(), limits.size());
}

TEST(Encoders, RefuseByNameWhatIsNotDone) {
  const nlohmann::json file = golden::read("encoders/refusals.json");
  const std::vector<std::string> known = cases();
  std::size_t checked = 0;
  for (const auto& refusal : file["refusals"]) {
    const std::string name = refusal["case"];
    if (std::ranges::find(known, name) == known.end()) continue;
    nlohmann::json config = golden::read(folder(name) + "/config.json");
    config.update(refusal["change"]);
    const Result<Spec> spec = spec_from_config(config.dump());
    ASSERT_FALSE(spec.ok()) << name << " " << refusal["change"];
    EXPECT_NE(spec.status().message().find(refusal["names"]), std::string::npos) << spec.status().message();
    ++checked;
  }
  EXPECT_GE(checked, 2u);
}

TEST(Encoders, LearnedPositionsLimitTheLength) {
  for (const auto& limit : golden::read("encoders/refusals.json")["limits"]) {
    Encoder model = encoder(limit["case"]);
    EncoderOutput output;
    for (const char* which : {"works", "fails"}) {
      const std::vector<std::int32_t> ids(limit[which].get<std::size_t>(), 5);
      const Status status = model.try_forward({ids, 1, ids.size()}, {}, output);
      EXPECT_EQ(status.ok(), std::string(which) == "works") << status.message();
      if (!status.ok()) {
        EXPECT_NE(status.message().find("`sequence` is 41"), std::string::npos) << status.message();
      }
    }
  }
}

TEST(Encoders, APaddedBatchEqualsItsTexts) {
  for (const std::string& name : cases()) {
    SCOPED_TRACE(name);
    Encoder model = encoder(name);
    const auto padding = static_cast<std::int32_t>(model.spec().padding_id.value_or(0));
    const std::vector<std::int32_t> text = {2, 7, 9, 11, 3};
    std::vector<std::int32_t> ids = {2, 8, 8, 6, 5, 4, 9, 3}, mask(16, 1);
    ids.insert(ids.end(), text.begin(), text.end());
    for (std::size_t i = 13; i < 16; ++i) ids.push_back(padding), mask[i] = 0;
    const auto alone = model.forward({text, 1, 5}).last_hidden_state;
    const std::vector<float> expected(alone.begin(), alone.end());
    const auto both = model.forward({ids, 2, 8, {}, mask}).last_hidden_state;
    const std::size_t width = model.spec().hidden;
    for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_NEAR(both[8 * width + i], expected[i], 2e-5);
  }
}

}  // namespace
