#include "ropewalk/encoder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>

#include "checkpoint.hpp"
#include "each_architecture.hpp"
#include "golden.hpp"
#include "model/model.hpp"
#include "ropewalk/safetensors.hpp"

namespace roformer_test {

using namespace ropewalk;

struct Tensor {
  std::vector<std::uint64_t> shape;
  std::vector<float> data;
};

/// A checkpoint to be changed and saved again.
using Tensors = std::map<std::string, Tensor>;

Tensors tensors_of(const std::string& folder) {
  const auto bytes = checkpoint::bytes(folder + "/model.safetensors");
  Tensors tensors;
  const Safetensors opened = open_safetensors(bytes);
  for (const SafetensorsTensor& tensor : opened.tensors()) {
    std::vector<float> data(tensor.elements);
    read_float32(tensor, data);
    tensors[tensor.name] = {tensor.shape, data};
  }
  return tensors;
}

std::vector<std::byte> bytes_of(const Tensors& tensors, SafetensorsType type = SafetensorsType::F32) {
  std::vector<SafetensorsSource> sources;
  for (const auto& [name, tensor] : tensors) sources.push_back({name, tensor.shape, tensor.data});
  const SafetensorsLayout layout = raise(SafetensorsLayout::make(sources, type));
  std::vector<std::byte> bytes(layout.size());
  raise(layout.try_write(bytes));
  return bytes;
}

std::string config_text(const std::string& folder) { return checkpoint::text(folder + "/config.json"); }

Encoder golden_model(const std::string& folder) {
  return Encoder(config_text(folder), checkpoint::bytes(folder + "/model.safetensors"));
}

std::vector<float> copy(std::span<const float> values) { return {values.begin(), values.end()}; }

/// The largest difference in rows of `width` whose mask is 1.
double worst(std::span<const float> actual, const std::vector<double>& expected, std::size_t width,
             const std::function<bool(std::size_t)>& counts) {
  EXPECT_EQ(actual.size(), expected.size());
  double most = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (counts(i / width)) most = std::max(most, std::fabs(actual[i] - expected[i]));
  }
  return most;
}

class RoFormerModel : public EachArchitecture {};

TEST_P(RoFormerModel, EqualsTheReference) {
  for (const std::string name : {"base", "rotary-value"}) {
    const std::string folder = "roformer/" + name;
    Encoder model = golden_model(folder);
    EXPECT_TRUE(model.notes().empty());
    double hidden = 0, logits = 0, attention = 0;
    const nlohmann::json expected = golden::read(folder + "/expected.json");
    ASSERT_EQ(expected["cases"].size(), 2u);
    for (const auto& c : expected["cases"]) {
      const std::size_t batch = c["shape"][0], tokens = c["shape"][1], heads = model.spec().attention.heads;
      const std::vector<std::int32_t> ids = c["input_ids"], types = c["token_type_ids"],
                                      mask = c["attention_mask"];
      const auto output =
          model.forward({ids, batch, tokens, types, mask},
                        {.logits = true, .hidden_states = true, .attentions = true, .rotated_qk = true});
      const auto token = [&](std::size_t row) { return mask[row] == 1; };
      const std::size_t width = model.spec().hidden;
      hidden = std::max(hidden, worst(output.last_hidden_state, c["last_hidden_state"], width, token));
      hidden = std::max(hidden, worst(output.hidden_states[0], c["first_hidden_state"], width, token));
      logits = std::max(logits, worst(output.logits, c["logits"], model.spec().vocabulary, token));
      attention = std::max(attention,
                           worst(output.attentions[0], c["attention_layer0"], tokens, [&](std::size_t row) {
                             return mask[row / (heads * tokens) * tokens + row % tokens] == 1;
                           }));
      ASSERT_EQ(output.hidden_states.size(), model.spec().layers.size() + 1);
      ASSERT_EQ(output.attentions.size(), model.spec().layers.size());
      EXPECT_EQ(output.hidden_states.back().data(), output.last_hidden_state.data());
      ASSERT_EQ(output.rotated_queries.size(), model.spec().layers.size());
      EXPECT_EQ(output.rotated_keys[0].size(), batch * tokens * width);
    }
    EXPECT_GT(hidden, 0);  // the reference is in float64: equality would mean that nothing was compared
    EXPECT_LE(hidden, 2e-5);
    EXPECT_LE(logits, 5e-5);
    EXPECT_LE(attention, 1e-6);
    std::printf("  %s %s: hidden %.1e, logits %.1e, attention %.1e\n", GetParam().c_str(), name.c_str(),
                hidden, logits, attention);
  }
}

TEST_P(RoFormerModel, WhatIsWantedDoesNotChangeTheRest) {
  Encoder model = golden_model("roformer/base");
  const std::vector<std::int32_t> ids = {5, 17, 3, 96, 0, 44, 44, 8};
  const EncoderInput input{ids, 2, 4};
  const auto plain = model.forward(input);
  const std::vector<float> hidden = copy(plain.last_hidden_state), logits = copy(plain.logits);
  EXPECT_TRUE(plain.hidden_states.empty() && plain.attentions.empty() && plain.rotated_queries.empty());
  const auto full =
      model.forward(input, {.logits = true, .hidden_states = true, .attentions = true, .rotated_qk = true});
  EXPECT_EQ(copy(full.last_hidden_state), hidden);
  EXPECT_EQ(copy(full.logits), logits);
  const auto none = model.forward(input, {.logits = false});
  EXPECT_EQ(copy(none.last_hidden_state), hidden);
  EXPECT_TRUE(none.logits.empty());
}

TEST_P(RoFormerModel, SequencesOfABatchDoNotMeet) {
  Encoder model = golden_model("roformer/rotary-value");
  const std::vector<std::int32_t> ids = {5, 17, 3, 96, 0, 44, 44, 8};
  const std::vector<float> both = copy(model.forward({ids, 2, 4}).logits);
  const std::vector<float> second = copy(model.forward({std::span(ids).subspan(4), 1, 4}).logits);
  for (std::size_t i = 0; i < second.size(); ++i) ASSERT_NEAR(both[second.size() + i], second[i], 1e-5);
}

TEST_P(RoFormerModel, AMaskHidesPaddingOnly) {
  Encoder model = golden_model("roformer/base");
  const std::vector<std::int32_t> ids = {5, 17, 3}, padded = {5, 17, 3, 0, 0}, mask = {1, 1, 1, 0, 0};
  const std::vector<float> alone = copy(model.forward({ids, 1, 3}).last_hidden_state);
  const std::vector<float> beside = copy(model.forward({padded, 1, 5, {}, mask}).last_hidden_state);
  for (std::size_t i = 0; i < alone.size(); ++i) ASSERT_NEAR(alone[i], beside[i], 1e-5);
  const std::vector<std::int32_t> ones(5, 1);
  EXPECT_EQ(copy(model.forward({padded, 1, 5, {}, ones}).logits), copy(model.forward({padded, 1, 5}).logits));
}

TEST_P(RoFormerModel, AFullyMaskedSequenceAttendsUniformly) {
  Encoder model = golden_model("roformer/base");
  const std::vector<std::int32_t> ids = {5, 17, 3, 1, 2, 3}, mask = {0, 0, 0, 1, 1, 0};
  const auto output = model.forward({ids, 2, 3, {}, mask}, {.attentions = true});
  for (std::size_t i = 0; i < 4 * 9; ++i) EXPECT_FLOAT_EQ(output.attentions[1][i], 1.0f / 3);
  for (const float value : output.last_hidden_state) ASSERT_TRUE(std::isfinite(value));
}

TEST_P(RoFormerModel, LongerThanMaxPositionEmbeddings) {
  Encoder model = golden_model("roformer/base");
  const std::vector<std::int32_t> ids(300, 7);
  const auto output = model.forward({ids, 1, 300});
  for (const float value : output.logits) ASSERT_TRUE(std::isfinite(value));
}

TEST_P(RoFormerModel, OnlyDistancesCountInAScore) {
  Encoder model = golden_model("roformer/base");
  // The same token everywhere: the score of query m and key n in layer 0 is a function of n - m.
  const std::vector<std::int32_t> ids(9, 21);
  const auto output = model.forward({ids, 1, 9}, {.rotated_qk = true});
  const auto q = output.rotated_queries[0], k = output.rotated_keys[0];
  const std::size_t hidden = 48, head_dim = 12;
  const auto score = [&](std::size_t m, std::size_t n) {
    double sum = 0;
    for (std::size_t i = 0; i < head_dim; ++i) sum += double{q[m * hidden + i]} * k[n * hidden + i];
    return sum;
  };
  for (std::size_t m = 0; m + 1 < 9; ++m) EXPECT_NEAR(score(m, m + 1), score(0, 1), 1e-4);
  EXPECT_GT(std::fabs(score(0, 1) - score(1, 0)), 1e-3);
}

TEST_P(RoFormerModel, ADecoderSeesNoLaterToken) {
  nlohmann::json config = nlohmann::json::parse(config_text("roformer/base"));
  config["is_decoder"] = true;
  Encoder model(config.dump(), checkpoint::bytes("roformer/base/model.safetensors"));
  const std::vector<std::int32_t> a = {5, 17, 3, 8}, b = {5, 17, 3, 60};
  const std::vector<float> first = copy(model.forward({a, 1, 4}).logits);
  const std::vector<float> second = copy(model.forward({b, 1, 4}).logits);
  for (std::size_t i = 0; i < 3 * 97; ++i) ASSERT_EQ(first[i], second[i]);
}

ON_EACH_ARCHITECTURE(RoFormerModel);

void expect_refused(Encoder& model, const EncoderInput& input, const std::string& message) {
  EncoderOutput output;
  output.batch = 99;
  const Status status = model.try_forward(input, {}, output);
  EXPECT_EQ(status.code(), Status::Code::range);
  EXPECT_EQ(status.message(), message);
  EXPECT_EQ(output.batch, 99u);
}

TEST(EncoderInput, IsCheckedBeforeAnythingHappens) {
  Encoder model = golden_model("roformer/base");
  const std::vector<std::int32_t> ids = {5, 17, 3, 8}, bad = {5, 97, 3, 8}, negative = {5, 1, -1, 8},
                                  two = {0, 0, 2, 0};
  const std::vector<float> before = copy(model.forward({ids, 1, 4}).logits);
  expect_refused(model, {bad, 1, 4},
                 "forward: `input_ids[1]` is 97; allowed: 0 to 96, the ids below `vocab_size`");
  expect_refused(model, {negative, 1, 4},
                 "forward: `input_ids[2]` is -1; allowed: 0 to 96, the ids below `vocab_size`");
  expect_refused(model, {ids, 1, 4, two},
                 "forward: `token_type_ids[2]` is 2; allowed: 0 to 1, the types below `type_vocab_size`");
  expect_refused(model, {ids, 1, 4, {}, two},
                 "forward: `attention_mask[2]` is 2; allowed: 0 to 1, padding and token");
  expect_refused(model, {ids, 1, 5}, "forward: `input_ids` has 4 elements; allowed: 5, `batch` * `sequence`");
  expect_refused(model, {ids, 2, 2, std::span(two).first(3)},
                 "forward: `token_type_ids` has 3 elements; allowed: 4, `batch` * `sequence`");
  expect_refused(model, {ids, 4, 0}, "forward: `sequence` is 0; allowed: 1 to 2147483647");
  expect_refused(model, {{}, 0, 4}, "forward: `batch` is 0; allowed: 1 to 2147483647");
  EXPECT_EQ(copy(model.forward({ids, 1, 4}).logits), before);
}

TEST(RoFormerCheckpoint, KeysWithoutThePrefixAreTheBaseModel) {
  Encoder whole = golden_model("roformer/base");
  Tensors base;
  for (auto& [name, tensor] : tensors_of("roformer/base")) {
    if (name.rfind("roformer.", 0) == 0) base[name.substr(9)] = tensor;
  }
  nlohmann::json config = nlohmann::json::parse(config_text("roformer/base"));
  config["architectures"] = {"RoFormerModel"};
  Encoder model(config.dump(), bytes_of(base));
  const std::vector<std::int32_t> ids = {5, 17, 3, 8};
  EXPECT_EQ(copy(model.forward({ids, 1, 4}).last_hidden_state),
            copy(whole.forward({ids, 1, 4}).last_hidden_state));
  EXPECT_TRUE(model.forward({ids, 1, 4}).logits.empty());
  EXPECT_TRUE(model.notes().empty());
  EXPECT_LT(model.parameter_count(), whole.parameter_count());
}

TEST(RoFormerCheckpoint, MissingAndUnexpectedTensorsAreNamed) {
  Tensors tensors = tensors_of("roformer/base");
  tensors["cls.predictions.transform.dens.weight"] = tensors["cls.predictions.transform.dense.weight"];
  tensors.erase("cls.predictions.transform.dense.weight");
  const Result<Encoder> model = Encoder::make(config_text("roformer/base"), bytes_of(tensors));
  ASSERT_FALSE(model.ok());
  EXPECT_EQ(model.status().code(), Status::Code::type);
  EXPECT_EQ(model.status().message(),
            "roformer: the checkpoint lacks \"cls.predictions.transform.dense.weight\"; allowed: every "
            "parameter of "
            "the configuration. It has instead \"cls.predictions.transform.dens.weight\"");
}

TEST(RoFormerCheckpoint, WrongShapesAreNamed) {
  Tensors tensors = tensors_of("roformer/base");
  tensors["roformer.embeddings.LayerNorm.bias"] = {{4, 8}, std::vector<float>(32)};
  const Result<Encoder> model = Encoder::make(config_text("roformer/base"), bytes_of(tensors));
  EXPECT_EQ(model.status().message(),
            "roformer: tensor \"roformer.embeddings.LayerNorm.bias\" has the shape [4, 8]; allowed by the "
            "configuration: [32]");
}

TEST(RoFormerCheckpoint, TheSameParameterTwiceIsRefused) {
  Tensors tensors = tensors_of("roformer/base");
  tensors["embeddings.LayerNorm.bias"] = tensors["roformer.embeddings.LayerNorm.bias"];
  EXPECT_NE(Encoder::make(config_text("roformer/base"), bytes_of(tensors))
                .status()
                .message()
                .find("the same parameter"),
            std::string::npos);
}

TEST(RoFormerCheckpoint, TiedTensorsMayBeThereUnderEitherName) {
  Encoder reference = golden_model("roformer/base");
  const std::vector<std::int32_t> ids = {5, 17, 3, 8};
  const std::vector<float> logits = copy(reference.forward({ids, 1, 4}).logits);
  const std::string words = "roformer.embeddings.word_embeddings.weight";

  Tensors tensors = tensors_of("roformer/base");
  tensors["cls.predictions.decoder.weight"] = tensors[words];
  tensors["cls.predictions.decoder.bias"] = tensors["cls.predictions.bias"];
  Encoder both(config_text("roformer/base"), bytes_of(tensors));
  EXPECT_TRUE(both.notes().empty());
  EXPECT_EQ(both.parameter_count(), reference.parameter_count());

  tensors.erase(words);
  tensors.erase("cls.predictions.bias");
  Encoder other(config_text("roformer/base"), bytes_of(tensors));
  EXPECT_EQ(copy(other.forward({ids, 1, 4}).logits), logits);

  tensors = tensors_of("roformer/base");
  tensors["cls.predictions.decoder.weight"] = tensors[words];
  tensors["cls.predictions.decoder.weight"].data[0] += 1;
  Encoder differs(config_text("roformer/base"), bytes_of(tensors));
  ASSERT_EQ(differs.notes().size(), 1u);
  EXPECT_NE(differs.notes()[0].find("cls.predictions.decoder.weight"), std::string::npos);
  EXPECT_EQ(copy(differs.forward({ids, 1, 4}).logits), logits);

  nlohmann::json config = nlohmann::json::parse(config_text("roformer/base"));
  config["tie_word_embeddings"] = false;
  Encoder untied(config.dump(), bytes_of(tensors));
  EXPECT_TRUE(untied.notes().empty());
  EXPECT_EQ(untied.parameter_count(), reference.parameter_count() + 97 * 32);
  EXPECT_NE(copy(untied.forward({ids, 1, 4}).logits), logits);
}

TEST(RoFormerCheckpoint, AStoredTableOfPositionsIsComparedNotUsed) {
  Tensors tensors = tensors_of("roformer/base");
  const std::size_t rows = 64, head_dim = 12;
  Tensor table{{rows, head_dim}, std::vector<float>(rows * head_dim)};
  for (std::size_t p = 0; p < rows; ++p) {
    for (std::size_t j = 0; j < head_dim / 2; ++j) {
      const double angle =
          static_cast<double>(p) * std::pow(10000.0, -2.0 * static_cast<double>(j) / head_dim);
      table.data[p * head_dim + j] = static_cast<float>(std::sin(angle));
      table.data[p * head_dim + head_dim / 2 + j] = static_cast<float>(std::cos(angle));
    }
  }
  const std::string name = "roformer.encoder.embed_positions.weight";
  tensors[name] = table;
  EXPECT_TRUE(Encoder(config_text("roformer/base"), bytes_of(tensors)).notes().empty());
  for (const float value : {std::nanf(""), 0.5f}) {
    tensors[name].data[77] = value;
    Encoder model(config_text("roformer/base"), bytes_of(tensors));
    ASSERT_EQ(model.notes().size(), 1u);
    EXPECT_NE(model.notes()[0].find(name), std::string::npos);
  }
  tensors[name] = {{2, 12}, std::vector<float>(24)};
  EXPECT_EQ(Encoder(config_text("roformer/base"), bytes_of(tensors)).notes().size(), 1u);
}

TEST(RoFormerCheckpoint, WhatIsNotUsedIsNoted) {
  Tensors tensors = tensors_of("roformer/base");
  tensors["roformer.pooler.dense.weight"] = {{2}, {1, 2}};
  Encoder model(config_text("roformer/base"), bytes_of(tensors));
  ASSERT_EQ(model.notes().size(), 1u);
  EXPECT_EQ(
      model.notes()[0],
      "tensor \"roformer.pooler.dense.weight\" belongs to nothing that this model computes and is ignored");
}

TEST(RoFormerCheckpoint, OldNamesOfLayerNormAreFound) {
  Tensors tensors;
  const Tensors today = tensors_of("roformer/base");
  for (const auto& [name_today, tensor] : today) {
    std::string name = name_today;
    if (const auto at = name.find("LayerNorm.weight"); at != std::string::npos)
      name.replace(at, 16, "LayerNorm.gamma");
    if (const auto at = name.find("LayerNorm.bias"); at != std::string::npos)
      name.replace(at, 14, "LayerNorm.beta");
    tensors[name] = tensor;
  }
  EXPECT_TRUE(Encoder::make(config_text("roformer/base"), bytes_of(tensors)).ok());
}

TEST(RoFormerCheckpoint, Float16Loads) {
  Encoder exact = golden_model("roformer/base");
  Encoder half(config_text("roformer/base"), bytes_of(tensors_of("roformer/base"), SafetensorsType::F16));
  const std::vector<std::int32_t> ids = {5, 17, 3, 8};
  const std::vector<float> a = copy(exact.forward({ids, 1, 4}).logits),
                           b = copy(half.forward({ids, 1, 4}).logits);
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 2e-2);
}

TEST(RoFormerCheckpoint, SavesWhatItLoaded) {
  const auto bytes = checkpoint::bytes("roformer/base/model.safetensors");
  const Spec spec = raise(spec_from_config(config_text("roformer/base")));
  const auto model = raise(model::Model::load(spec, open_safetensors(bytes)));
  const SafetensorsLayout layout = raise(model.safetensors());
  std::vector<std::byte> saved(layout.size());
  raise(layout.try_write(saved));
  const Safetensors before = open_safetensors(bytes), after = open_safetensors(saved);
  ASSERT_EQ(before.tensors().size(), after.tensors().size());
  for (std::size_t i = 0; i < before.tensors().size(); ++i) {
    EXPECT_EQ(before.tensors()[i].name, after.tensors()[i].name);
    EXPECT_EQ(before.tensors()[i].shape, after.tensors()[i].shape);
    EXPECT_TRUE(std::ranges::equal(before.tensors()[i].data, after.tensors()[i].data));
  }
}

TEST(RoFormerCheckpoint, ClassificationIsDenseActivationOutput) {
  Tensors tensors = tensors_of("roformer/base");
  for (const char* name : {"dense.weight", "dense.bias", "LayerNorm.weight", "LayerNorm.bias"}) {
    tensors.erase(std::string("cls.predictions.transform.") + name);
  }
  tensors.erase("cls.predictions.bias");
  Tensor dense{{48, 48}, std::vector<float>(48 * 48)}, bias{{48}, std::vector<float>(48, 0.25f)};
  for (std::size_t i = 0; i < 48; ++i) dense.data[i * 49] = 2;  // 2 x + 0.25
  Tensor out{{3, 48}, std::vector<float>(3 * 48)};
  for (std::size_t i = 0; i < 48; ++i) out.data[48 + i] = 1;  // the sum, as class 1
  tensors["classifier.dense.weight"] = dense;
  tensors["classifier.dense.bias"] = bias;
  tensors["classifier.out_proj.weight"] = out;
  tensors["classifier.out_proj.bias"] = {{3}, {7, 8, 9}};
  nlohmann::json config = nlohmann::json::parse(config_text("roformer/base"));
  config["architectures"] = {"RoFormerForSequenceClassification"};
  config["id2label"] = {{"0", "a"}, {"1", "b"}, {"2", "c"}};
  Encoder model(config.dump(), bytes_of(tensors));
  const std::vector<std::int32_t> ids = {5, 17, 3, 8, 1, 2, 3, 4};
  const auto output = model.forward({ids, 2, 4});
  EXPECT_TRUE(output.logits.empty());
  ASSERT_EQ(output.class_logits.size(), 6u);
  for (std::size_t b = 0; b < 2; ++b) {
    double sum = 8;
    for (std::size_t i = 0; i < 48; ++i) {
      const double x = 2 * double{output.last_hidden_state[b * 4 * 48 + i]} + 0.25;
      sum += x / 2 * (1 + std::erf(x / std::sqrt(2.0)));
    }
    EXPECT_EQ(output.class_logits[b * 3], 7);
    EXPECT_NEAR(output.class_logits[b * 3 + 1], sum, 1e-4);
  }
}

TEST(RoFormerConfig, HasHuggingFaceDefaults) {
  const Spec spec = raise(spec_from_config("{}"));
  EXPECT_EQ(spec.family, "roformer");
  EXPECT_EQ(spec.vocabulary, 50000u);
  EXPECT_EQ(spec.embedding_width(), 768u);
  EXPECT_EQ(spec.head_dim(), 64u);
  EXPECT_EQ(spec.layers.size(), 12u);
  EXPECT_EQ(spec.norm.eps, 1e-12);
  EXPECT_EQ(spec.hidden_dropout, 0.1);
  const auto& rope = std::get<positions::Rope>(spec.positions);
  EXPECT_FALSE(rope.values);
  ASSERT_EQ(rope.ropes.size(), 1u);
  EXPECT_EQ(rope.ropes[0].pairing, Pairing::interleaved);
  EXPECT_TRUE(spec.tied);
  EXPECT_EQ(spec.padding_id, 0u);
  EXPECT_TRUE(spec.heads.empty());
  const Spec other = raise(spec_from_config(
      R"({"hidden_size": 384, "num_attention_heads": 6, "embedding_size": null, "pad_token_id": null, "x": [1]})"));
  EXPECT_EQ(other.embedding_width(), 384u);
  EXPECT_FALSE(other.padding_id.has_value());
}

TEST(RoFormerConfig, NamesWhatIsWrong) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"vocab_size": 0})", "roformer: `vocab_size` is 0; allowed: a whole number from 1 to 16777216"},
      {R"({"vocab_size": 12.5})",
       "roformer: `vocab_size` is 12.5; allowed: a whole number from 1 to 16777216"},
      {R"({"hidden_size": "768"})",
       "roformer: `hidden_size` is \"768\"; allowed: a whole number from 1 to 65536"},
      {R"({"hidden_size": 770})",
       "roformer: `hidden_size` is 770; allowed: a multiple of `num_attention_heads`, 12"},
      {R"({"layer_norm_eps": -1e-12})",
       "roformer: `layer_norm_eps` is -1e-12; allowed: a number from 0 to 1"},
      {R"({"hidden_dropout_prob": 1})",
       "roformer: `hidden_dropout_prob` is 1; allowed: a number from 0 to 0.99"},
      {R"({"rotary_value": 1})", "roformer: `rotary_value` is 1; allowed: true or false"},
      {R"({"add_cross_attention": true})", "roformer: `add_cross_attention` is true; allowed: false"},
      {R"({"hidden_act": "tanh"})",
       "roformer: `hidden_act` is \"tanh\"; allowed: gelu, gelu_python, gelu_new, gelu_pytorch_tanh, "
       "gelu_fast, relu, "
       "silu, swish, linear, relu2"},
      {R"([])", "spec_from_config: `config` is an array of 0; allowed: an object, as in config.json"},
  };
  for (const auto& [json, message] : cases) {
    const Result<Spec> spec = spec_from_config(json);
    ASSERT_FALSE(spec.ok()) << json;
    EXPECT_EQ(spec.status().message(), message);
  }
  EXPECT_EQ(spec_from_config(R"({"model_type": "spiral"})")
                .status()
                .message()
                .find("spec_from_config: `model_type` is \"spiral\"; allowed: \"roformer\", \"bert\""),
            0u);
  EXPECT_FALSE(spec_from_config(R"({"vocab_size": 5, "vocab_size": 6})").ok());
  EXPECT_FALSE(spec_from_config("").ok());
}

TEST(RoFormerConfig, AnUnknownEncodingOrAnOddHeadIsRefused) {
  const auto bytes = checkpoint::bytes("roformer/base/model.safetensors");
  nlohmann::json config = nlohmann::json::parse(config_text("roformer/base"));
  config["position_encoding"] = "spiral";
  EXPECT_NE(Encoder::make(config.dump(), bytes)
                .status()
                .message()
                .find("`position_encoding` is \"spiral\"; allowed: none"),
            std::string::npos);
  config["position_encoding"] = "rope";
  config["num_attention_heads"] = 16;
  EXPECT_NE(Encoder::make(config.dump(), bytes).status().message().find("is 3; allowed"), std::string::npos);
}

}  // namespace roformer_test
