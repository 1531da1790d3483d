// Models from files that arrive in pieces.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "base/half.hpp"
#include "feed_files.hpp"
#include "made_up_model.hpp"
#include "model/loading/loader.hpp"
#include "reference/int8_rows.hpp"
#include "ropewalk/loading.hpp"

namespace loading_test {

using namespace ropewalk;
using Bytes = std::vector<std::byte>;

struct Loaded {
  Status status = {};
  std::vector<float> hidden = {}, logits = {};
  std::vector<std::string> notes = {};
  ModelSize size = {};
};

/// Feeds the files to a loader, so many bytes at a time.
Loaded load(const std::string& config, const std::vector<Bytes>& files, std::size_t piece,
            Precision precision, bool known_size = true) {
  Result<EncoderLoader> made = EncoderLoader::make(config, files.size(), precision);
  if (!made.ok()) return {made.status()};
  EncoderLoader& loader = made.value();
  const Result<ModelSize> size = feed_files(loader, files, piece, known_size);
  if (!size.ok()) return {size.status()};
  Loaded loaded;
  loaded.size = size.value();
  Result<Encoder> finished = loader.try_finish();
  if (!finished.ok()) return {finished.status()};
  const made_up::Batch batch;
  const EncoderOutput output = finished.value().forward(batch.input());
  loaded.hidden.assign(output.last_hidden_state.begin(), output.last_hidden_state.end());
  loaded.logits.assign(output.logits.begin(), output.logits.end());
  loaded.notes = finished.value().notes();
  return loaded;
}

/// A file of tensors whose bytes are at hand, in this order.
struct Stored {
  std::string name;
  SafetensorsType type;
  std::vector<std::uint64_t> shape;
  Bytes data = {};
};
Bytes file_of(const std::vector<Stored>& tensors) {
  nlohmann::json header;
  Bytes data = {};
  for (const Stored& each : tensors) {
    const std::size_t begin = data.size();
    data.insert(data.end(), each.data.begin(), each.data.end());
    header[each.name] = {
        {"dtype", name_of(each.type)}, {"shape", each.shape}, {"data_offsets", {begin, data.size()}}};
  }
  const std::string text = header.dump();
  const std::uint64_t length = text.size();
  Bytes file(8 + text.size());
  std::memcpy(file.data(), &length, 8);
  std::memcpy(file.data() + 8, text.data(), text.size());
  file.insert(file.end(), data.begin(), data.end());
  return file;
}

/// The same file with its tensors in another type and order: the longest name first.
Bytes file_of_type(const made_up::Tensors& tensors, SafetensorsType type) {
  std::vector<Stored> all;
  for (auto each = tensors.rbegin(); each != tensors.rend(); ++each) {
    Stored& stored = all.emplace_back(each->first, type, each->second.shape);
    for (const float value : each->second.data) {
      const std::uint16_t half = type == SafetensorsType::F16 ? to_float16(value) : to_bfloat16(value);
      const auto* from = type == SafetensorsType::F32 ? reinterpret_cast<const std::byte*>(&value)
                                                      : reinterpret_cast<const std::byte*>(&half);
      stored.data.insert(stored.data.end(), from, from + bits_of(type) / 8);
    }
  }
  return file_of(all);
}

/// A layout of checkpoints in 8 bits that docs/encoders.md describes: that of `quantize`, or the one before it.
enum class Rows { rotated, plain };

/// With the scales before or behind their weights.
std::vector<Stored> quantised(const made_up::Tensors& tensors, const std::vector<std::string>& by_rows,
                              bool scales_first, Rows rows = Rows::rotated) {
  std::vector<Stored> all;
  for (const auto& [name, tensor] : tensors) {
    const auto bytes_of = [](const std::vector<float>& values) {
      const auto bytes = std::as_bytes(std::span(values));
      return Bytes(bytes.begin(), bytes.end());
    };
    if (std::ranges::find(by_rows, name) == by_rows.end()) {
      all.push_back({name, SafetensorsType::F32, tensor.shape, bytes_of(tensor.data)});
      continue;
    }
    const std::size_t columns = static_cast<std::size_t>(tensor.shape[1]);
    Stored weight{name, SafetensorsType::I8, tensor.shape};
    std::vector<float> scales;
    for (std::size_t row = 0; row < tensor.shape[0]; ++row) {
      const std::span<const float> values = std::span(tensor.data).subspan(row * columns, columns);
      if (rows == Rows::rotated) {
        const reference::Rotated found = reference::rotated(values, 127);
        scales.push_back(found.steps.front() / static_cast<float>(found.size));
        for (const int each : found.integers) weight.data.push_back(static_cast<std::byte>(each));
        weight.shape[1] = found.integers.size();
        continue;
      }
      float largest = 0;
      for (const float value : values) largest = std::max(largest, std::fabs(value));
      scales.push_back(largest / 63.0F);
      const float factor = largest > 0 ? 1.0F / scales.back() : 0.0F;
      for (const float value : values)
        weight.data.push_back(static_cast<std::byte>(static_cast<int>(std::nearbyint(value * factor))));
    }
    const char* const ending = rows == Rows::rotated ? "_hadamard_scale" : "_scale";
    const Stored beside{name + ending, SafetensorsType::F32, {tensor.shape[0]}, bytes_of(scales)};
    if (scales_first) all.push_back(beside);
    all.push_back(weight);
    if (!scales_first) all.push_back(beside);
  }
  return all;
}

std::vector<std::string> quantised_by_rows(const nlohmann::json& config, const Bytes& file) {
  EncoderLoader loader = raise(EncoderLoader::make(config.dump(), 1));
  raise(loader.try_read_header(0, file));
  raise(loader.try_match());
  return loader.quantised_by_rows();
}

/// As widened from a type.
made_up::Tensors rounded(made_up::Tensors tensors, SafetensorsType type) {
  for (auto& [name, tensor] : tensors) {
    for (float& value : tensor.data) {
      if (type == SafetensorsType::F16) value = from_float16(to_float16(value));
      if (type == SafetensorsType::BF16) value = from_bfloat16(to_bfloat16(value));
    }
  }
  return tensors;
}

const nlohmann::json tied = made_up::config();
const nlohmann::json untied = made_up::config(R"({"tie_word_embeddings": false, "embedding_size": 20})");

TEST(Loading, PiecesOfAnySizeGiveTheBitsOfTheWholeFile) {
  for (const nlohmann::json& config : {tied, untied}) {
    const made_up::Tensors tensors = made_up::tensors(config, {"masked_lm"});
    for (const Precision precision : {Precision::float32, Precision::int8}) {
      for (const SafetensorsType type : {SafetensorsType::F32, SafetensorsType::F16, SafetensorsType::BF16}) {
        Encoder whole(config.dump(), made_up::file(rounded(tensors, type)), precision);
        const made_up::Batch batch;
        const EncoderOutput expected = whole.forward(batch.input());
        const Bytes file = file_of_type(tensors, type);
        for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, std::size_t{1000}, file.size()}) {
          const Loaded found = load(config.dump(), {file}, piece, precision, piece != 7);
          ASSERT_TRUE(found.status.ok()) << found.status.message();
          EXPECT_TRUE(std::ranges::equal(found.hidden, expected.last_hidden_state)) << piece;
          EXPECT_TRUE(std::ranges::equal(found.logits, expected.logits)) << piece;
          EXPECT_EQ(found.notes, whole.notes());
        }
      }
    }
  }
}

TEST(Loading, ShardsAreOneCheckpoint) {
  const made_up::Tensors tensors = made_up::tensors(untied, {"masked_lm"});
  made_up::Tensors shards[3];
  std::size_t i = 0;
  for (const auto& [name, tensor] : tensors) shards[i++ % 3][name] = tensor;
  const Loaded whole = load(untied.dump(), {made_up::file(tensors)}, 333, Precision::int8);
  const Loaded cut =
      load(untied.dump(), {made_up::file(shards[0]), made_up::file(shards[1]), made_up::file(shards[2])}, 333,
           Precision::int8);
  ASSERT_TRUE(cut.status.ok()) << cut.status.message();
  EXPECT_EQ(cut.logits, whole.logits);
  EXPECT_EQ(cut.size.parameters, whole.size.parameters);
  const Loaded twice =
      load(untied.dump(), {made_up::file(tensors), made_up::file(shards[0])}, 333, Precision::int8);
  EXPECT_EQ(twice.status.code(), Status::Code::range);
  EXPECT_NE(twice.status.message().find("are the same parameter"), std::string::npos)
      << twice.status.message();
}

TEST(Loading, FilesMustHaveTheSizeThatTheirHeadersSay) {
  const made_up::Tensors tensors = made_up::tensors(tied, {"masked_lm"});
  const Bytes file = made_up::file(tensors);
  for (const std::size_t size : {std::size_t{0}, std::size_t{5}, std::size_t{200}, file.size() - 1}) {
    for (const bool known : {true, false}) {
      const Bytes cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
      const Loaded loaded = load(tied.dump(), {cut}, 64, Precision::float32, known);
      EXPECT_EQ(loaded.status.code(), Status::Code::malformed) << size << loaded.status.message();
    }
  }
  Bytes longer = file;
  longer.resize(file.size() + 3);
  for (const bool known : {true, false}) {
    EXPECT_EQ(load(tied.dump(), {longer}, 64, Precision::float32, known).status.code(),
              Status::Code::malformed);
  }
}

TEST(Loading, NothingIsKeptTwice) {
  // A decoder that is tied to the words is the only copy of them.
  for (const Precision precision : {Precision::float32, Precision::int8}) {
    const made_up::Tensors tensors = made_up::tensors(tied, {"masked_lm"});
    const Bytes file = made_up::file(tensors);
    auto model = raise(model::Loader::load(made_up::spec(tied, {"masked_lm"}),
                                           open_safetensors(file).tensors(), {.precision = precision}));
    EXPECT_EQ(model.parameters().size(), model.table().plain_size());
    std::uint64_t vectors = 0, matrices = 0;
    for (const auto& parameter : model.table().all())
      (parameter.packed ? matrices : vectors) += parameter.size;
    EXPECT_EQ(model.table().plain_size(), vectors);
    EXPECT_EQ(model.table().size(), vectors + matrices);
    const ModelSize size = load(tied.dump(), {file}, 4096, precision).size;
    EXPECT_EQ(size.download, file.size());
    EXPECT_EQ(size.parameters, vectors + matrices);
    EXPECT_GE(size.loaded, 4 * vectors + matrices * (precision == Precision::int8 ? 1 : 4));
    EXPECT_GT(size.peak, size.loaded);
  }
}

TEST(Loading, MemoryThatIsNotThereIsSaidBeforehand) {
  const Bytes file = made_up::file(made_up::tensors(tied, {"masked_lm"}));
  EncoderLoader loader = raise(EncoderLoader::make(tied.dump(), 1));
  raise(loader.try_read_header(0, file));
  const ModelSize size = raise(loader.try_match());
  const Status status = loader.try_reserve(1000);
  EXPECT_EQ(status.code(), Status::Code::out_of_memory);
  EXPECT_EQ(status.message(), "roformer: loading needs " + std::to_string(size.peak) +
                                  " bytes of memory; allowed: 1000, which can be had");
}

TEST(Loading, ACheckpointInEightBitsGivesTheBitsOfOneThatIsQuantisedOnTheWay) {
  for (const nlohmann::json& config : {tied, untied}) {
    const made_up::Tensors tensors = made_up::tensors(config, {"masked_lm"});
    const Bytes file = made_up::file(tensors);
    const Loaded expected = load(config.dump(), {file}, 4096, Precision::int8);
    const std::vector<std::string> names = quantised_by_rows(config, file);
    EXPECT_GT(names.size(), 10U);
    for (const bool scales_first : {false, true}) {
      const Bytes small = file_of(quantised(tensors, names, scales_first));
      EXPECT_LT(small.size(), file.size() * 2 / 3);
      EXPECT_EQ(quantised_by_rows(config, small), names);
      for (const Precision precision : {Precision::float32, Precision::int8}) {
        const Loaded found = load(config.dump(), {small}, 7, precision);
        ASSERT_TRUE(found.status.ok()) << found.status.message();
        EXPECT_TRUE(found.notes.empty());
        EXPECT_EQ(found.hidden, expected.hidden);
        EXPECT_EQ(found.logits, expected.logits);
        EXPECT_EQ(found.size.loaded, expected.size.loaded);
      }
    }
  }
}

TEST(Loading, ACheckpointInTheEightBitsOfEarlierVersionsStillLoads) {
  for (const nlohmann::json& config : {tied, untied}) {
    const made_up::Tensors tensors = made_up::tensors(config, {"masked_lm"});
    const Bytes file = made_up::file(tensors);
    const Loaded exact = load(config.dump(), {file}, 4096, Precision::float32);
    for (const bool scales_first : {false, true}) {
      const Bytes small =
          file_of(quantised(tensors, quantised_by_rows(config, file), scales_first, Rows::plain));
      const Loaded found = load(config.dump(), {small}, 7, Precision::float32);
      ASSERT_TRUE(found.status.ok()) << found.status.message();
      EXPECT_TRUE(found.notes.empty());
      double error = 0, size = 0;
      for (std::size_t i = 0; i < exact.hidden.size(); ++i) {
        error += std::pow(double{found.hidden[i]} - exact.hidden[i], 2);
        size += std::pow(double{exact.hidden[i]}, 2);
      }
      EXPECT_GT(error, 0);
      EXPECT_LT(std::sqrt(error / size), 0.05);
    }
  }
}

TEST(Loading, EightBitsWithoutTheirScalesAreRefused) {
  const made_up::Tensors tensors = made_up::tensors(tied, {"masked_lm"});
  const std::vector<std::string> names = quantised_by_rows(tied, made_up::file(tensors));
  const std::string scales = names[0] + "_hadamard_scale";
  std::vector<Stored> stored = quantised(tensors, names, false);
  const auto refused = [&](const std::string& expected) {
    const Loaded loaded = load(tied.dump(), {file_of(stored)}, 4096, Precision::int8);
    EXPECT_NE(loaded.status.message().find(expected), std::string::npos) << loaded.status.message();
  };
  const auto found = std::ranges::find(stored, scales, &Stored::name);
  ASSERT_NE(found, stored.end());
  const Stored whole = *found;
  found->shape[0] -= 1;
  found->data.resize(found->data.size() - 4);
  refused("the scales of tensor \"" + names[0] + "\"");
  *found = whole;
  found->type = SafetensorsType::I32;
  refused("is I32 [");
  stored.erase(found);
  refused("the scales of tensor \"" + names[0] + "\"` is missing");
  // Parameters that are not multiplied row by row, and models that learn, take no 8 bits.
  stored = quantised(tensors, names, false);
  for (Stored& each : stored) {
    if (each.name.ends_with("LayerNorm.weight")) {
      each.type = SafetensorsType::I8;
      each.data.resize(each.data.size() / 4);
    }
  }
  refused("has the type I8; allowed: F32, F16 or BF16");
  const Bytes small = file_of(quantised(tensors, names, false, Rows::plain));
  const Result<model::Model> learns =
      model::Model::load(made_up::spec(tied, {"masked_lm"}), raise(Safetensors::open(small)));
  EXPECT_EQ(learns.status().code(), Status::Code::unsupported);
}

TEST(Loading, ATiedTensorThatIsSavedTwiceIsSkippedIfItIsTheSame) {
  made_up::Tensors tensors = made_up::tensors(tied, {"masked_lm"});
  const std::string words = "roformer.embeddings.word_embeddings.weight",
                    copy = "cls.predictions.decoder.weight";
  ASSERT_TRUE(tensors.contains(words));
  tensors[copy] = tensors[words];
  const Loaded same = load(tied.dump(), {made_up::file(tensors)}, 100, Precision::int8);
  EXPECT_TRUE(same.notes.empty());
  tensors[copy].data.back() += 0.5F;
  const Loaded other = load(tied.dump(), {made_up::file(tensors)}, 100, Precision::int8);
  ASSERT_EQ(other.notes.size(), 1U);
  EXPECT_NE(other.notes[0].find("differs from \"" + words + "\""), std::string::npos) << other.notes[0];
  EXPECT_EQ(other.logits, same.logits);
}

}  // namespace loading_test
