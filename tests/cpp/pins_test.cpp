// Hashes of every output and every gradient of the model, so that a change of its structure that changes a
// bit is seen. Only the files of expected values in tests/pins were written by this code: they show that nothing
// changed, not that it is right, which tests/golden shows. After an intended change of values:
//
//   ROPEWALK_WRITE_PINS=1 ropewalk_tests --gtest_filter='*ModelPins*'

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "arch/select.hpp"
#include "base/random.hpp"
#include "each_architecture.hpp"
#include "hash.hpp"
#include "ropewalk/encoder.hpp"
#include "ropewalk/safetensors.hpp"
#include "ropewalk/trainer.hpp"

namespace pins_test {

using namespace ropewalk;
using Pins = std::map<std::string, std::string>;

const std::string path = std::string(ROPEWALK_GOLDEN) + "/../pins/model.json";

constexpr const char* encodings[] = {"none",
                                     "sinusoidal",
                                     "learned",
                                     "transformer-xl",
                                     "t5",
                                     "alibi",
                                     "alibi-asymmetric",
                                     "rope",
                                     "rope-receptive-field",
                                     "rope-linear-attention",
                                     "rope-performer",
                                     "linear-attention",
                                     "performer",
                                     "pope",
                                     "rope-plus-plus",
                                     "clipped-rope",
                                     "distance-bias"};

/// Keys of config.json beside the encoding; what the encodings do not decide is pinned with "rope" alone.
struct Variant {
  const char* name;
  const char* changes;
};
constexpr Variant versions[] = {
    {"v1", R"({"embedding_size": 20})"},
    {"v2", R"({"norm_type": "rms_norm", "use_bias": false, "hidden_act": "relu"})"}};
constexpr Variant rope_variants[] = {
    {"values", R"({"rotary_value": true, "hidden_act": "gelu_new"})"},
    {"decoder", R"({"is_decoder": true, "hidden_act": "silu"})"},
    {"untied", R"({"tie_word_embeddings": false, "embedding_size": 20, "layer_norm_eps": 1e-5})"},
    {"yarn",
     R"({"rope_scaling": {"rope_type": "yarn", "factor": 4, "original_max_position_embeddings": 16}})"},
    {"dynamic", R"({"rope_scaling": {"rope_type": "dynamic", "factor": 4}, "max_position_embeddings": 8})"},
    {"half", R"({"partial_rotary_factor": 0.5, "rope_interleave": false})"}};

nlohmann::json config_of(const std::string& encoding, const char* changes) {
  nlohmann::json config = {{"vocab_size", 37},
                           {"hidden_size", 24},
                           {"num_hidden_layers", 2},
                           {"num_attention_heads", 3},
                           {"intermediate_size", 44},
                           {"max_position_embeddings", 24},
                           {"num_labels", 3},
                           {"initializer_range", 0.2},
                           {"hidden_dropout_prob", 0.1},
                           {"attention_probs_dropout_prob", 0.2},
                           {"position_encoding", encoding}};
  if (encoding == "rope-plus-plus") config["num_attention_heads"] = 4;  // an even number
  config.update(nlohmann::json::parse(changes));
  return config;
}

/// Three sequences of 17 tokens, two of them padded.
struct Batch {
  std::vector<std::int32_t> ids, types, mask, labels, classes = {2, 0, 1};
  std::vector<float> targets = {0.5F, -1.25F, 2.0F};
  explicit Batch(std::size_t tokens = 17) : sequence(tokens) {
    Random random(5);
    for (std::size_t i = 0; i < 3 * tokens; ++i) {
      ids.push_back(static_cast<std::int32_t>(random.below(37)));
      types.push_back(static_cast<std::int32_t>(random.below(2)));
      mask.push_back(i % tokens < tokens - 4 * (i / tokens) ? 1 : 0);
      labels.push_back(random.chance(0.4) ? static_cast<std::int32_t>(random.below(37)) : -100);
    }
  }
  EncoderInput input() const {
    return {
        .input_ids = ids, .batch = 3, .sequence = sequence, .token_type_ids = types, .attention_mask = mask};
  }
  TrainerBatch of(Objective objective) const {
    TrainerBatch batch{.input = input()};
    if (objective == Objective::regression) {
      batch.targets = targets;
    } else {
      batch.labels = objective == Objective::classification ? classes : labels;
    }
    return batch;
  }
  std::size_t sequence;
};

struct Training {
  const char* name;
  Objective objective;
};
constexpr Training trainings[] = {{"masked-lm", Objective::masked_language_model},
                                  {"classification", Objective::classification},
                                  {"regression", Objective::regression}};

/// Gradients without dropout, then three steps with it, from the seed; and what was saved of them.
std::vector<std::byte> pin_training(Pins& pins, const std::string& name, const std::string& config,
                                    const Training& training) {
  Trainer trainer({.spec = raise(spec_from_config(config)),
                   .seed = 3,
                   .objective = training.objective,
                   .optimizer = {.learning_rate = 0.01},
                   .shards = 2});
  const Batch batch;
  const TrainerBatch given = batch.of(training.objective);
  Hash gradients;
  const Gradients found = trainer.gradients(given);
  gradients.add(found.loss);
  for (const NamedGradient& each : found.parameters) {
    gradients.add(each.name.data(), each.name.size());
    gradients.add(each.values);
  }
  pins[name + "/" + training.name + "/gradients"] = gradients.text();
  Hash steps;
  for (int i = 0; i < 3; ++i) {
    const TrainingStep step = trainer.train(given);
    steps.add(step.loss);
    steps.add(step.gradient_norm);
  }
  steps.add(trainer.evaluate(given).loss);
  const std::vector<std::byte> saved = trainer.save({.optimizer = true});
  steps.add(saved.data(), saved.size());
  pins[name + "/" + training.name + "/steps"] = steps.text();
  return trainer.save();
}

/// The trained weights, and a head that no objective trains.
std::vector<std::byte> with_head(std::span<const std::byte> file, const std::string& head,
                                 std::uint64_t outputs) {
  const Safetensors opened = open_safetensors(file);
  std::vector<std::vector<float>> values;
  std::vector<SafetensorsSource> sources;
  values.reserve(opened.tensors().size() + 2);
  for (const SafetensorsTensor& tensor : opened.tensors()) {
    values.emplace_back(tensor.elements);
    read_float32(tensor, values.back());
    sources.push_back({tensor.name, tensor.shape, values.back()});
  }
  Random random(9);
  const std::uint64_t shape[] = {outputs, 24};
  const std::string weight = head + ".weight", bias = head + ".bias";
  values.emplace_back(outputs * 24);
  for (float& value : values.back()) value = static_cast<float>(0.2 * random.normal());
  sources.push_back({weight, shape, values.back()});
  values.emplace_back(outputs, 0.25F);
  sources.push_back({bias, std::span(shape).first(1), values.back()});
  const SafetensorsLayout layout = raise(SafetensorsLayout::make(sources));
  std::vector<std::byte> bytes(layout.size());
  raise(layout.try_write(bytes));
  return bytes;
}

void pin_outputs(Pins& pins, const std::string& name, const std::string& config,
                 std::span<const std::byte> weights) {
  for (const auto& [precision_name, precision] :
       {std::pair("float32", Precision::float32), std::pair("int8", Precision::int8)}) {
    Encoder model(config, weights, precision);
    const Batch batch, shorter(5);
    Hash hash;
    for (const Batch* each : {&batch, &shorter, &batch}) {
      const EncoderOutput output = model.forward(each->input(), {.logits = true,
                                                                 .hidden_states = true,
                                                                 .attentions = each != &shorter,
                                                                 .scores = true,
                                                                 .rotated_qk = true});
      for (const auto& values :
           {output.last_hidden_state, output.logits, output.class_logits, output.token_logits,
            output.start_logits, output.end_logits, output.choice_logits}) {
        hash.add(static_cast<double>(values.size()));
        hash.add(values);
      }
      for (const auto& layers : {output.hidden_states, output.attentions, output.scores,
                                 output.rotated_queries, output.rotated_keys}) {
        hash.add(static_cast<double>(layers.size()));
        for (const auto& values : layers) hash.add(values);
      }
    }
    pins[name + "/" + precision_name] = hash.text();
  }
}

Pins pins_of_this_code() {
  Pins pins;
  const auto pin = [&](const std::string& encoding, const Variant& variant, bool heads) {
    const std::string name = encoding + "/" + variant.name;
    nlohmann::json config = config_of(encoding, variant.changes);
    std::vector<std::byte> masked_lm;
    for (const Training& training : trainings) {
      nlohmann::json own = config;
      if (training.objective == Objective::regression) own["num_labels"] = 1;
      const std::vector<std::byte> weights = pin_training(pins, name, own.dump(), training);
      pin_outputs(pins, name + "/" + training.name, own.dump(), weights);
      if (training.objective == Objective::masked_language_model) masked_lm = weights;
    }
    if (!heads) return;
    config["architectures"] = {"RoFormerForTokenClassification"};
    pin_outputs(pins, name + "/tokens", config.dump(), with_head(masked_lm, "classifier", 3));
    config["architectures"] = {"RoFormerForMultipleChoice"};
    pin_outputs(pins, name + "/choice", config.dump(), with_head(masked_lm, "classifier", 1));
    config["architectures"] = {"RoFormerForQuestionAnswering"};
    pin_outputs(pins, name + "/span", config.dump(), with_head(masked_lm, "qa_outputs", 2));
  };
  for (const char* encoding : encodings) {
    for (const Variant& version : versions) pin(encoding, version, std::string(encoding) == "rope");
  }
  for (const Variant& variant : rope_variants) pin("rope", variant, false);
  return pins;
}

class ModelPins : public EachArchitecture {};

TEST_P(ModelPins, NoBitOfTheModelHasChanged) {
  const Pins found = pins_of_this_code();
  // The bits depend on whether a * b + c rounds once or twice, and on nothing else of the architecture.
  const bool once = arch::active()->fused;
  const char* const section = once ? "rounded once" : "rounded twice";
  nlohmann::json file;
  if (std::ifstream in(path); in) file = nlohmann::json::parse(in);
  if (std::getenv("ROPEWALK_WRITE_PINS") != nullptr) {
    file[section] = found;
    std::ofstream(path) << file.dump(1) << "\n";
    return;
  }
  const Pins expected = file.at(section);
  EXPECT_EQ(found.size(), expected.size());
  for (const auto& [name, hash] : expected) {
    ASSERT_TRUE(found.contains(name)) << name;
    EXPECT_EQ(found.at(name), hash) << name;
  }
}

ON_EACH_ARCHITECTURE(ModelPins);

}  // namespace pins_test
