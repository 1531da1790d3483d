// With 8-bit weights a model gives the same bits on every architecture, natively and in WebAssembly. The hashes in
// tests/pins/int8.json are this code's own: they show that nothing depends on the machine, not that a result is right.
// tests/ts/int8-bits.test.ts and tests/package/int8-pages.test.ts hold Node, Chromium and Firefox to the same hashes.

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>

#include "each_architecture.hpp"
#include "golden_encoders.hpp"
#include "hash.hpp"
#include "ropewalk/sentence.hpp"

namespace int8_bits_test {

using namespace golden_encoders;

class Int8Bits : public EachArchitecture {};
ON_EACH_ARCHITECTURE(Int8Bits);

/// Hash of the last hidden states of ids 0, 7, 14, ... modulo the vocabulary.
std::string hidden_states_of(const std::string& name) {
  Encoder model = encoder(name, Precision::int8);
  std::vector<std::int32_t> ids;
  for (std::size_t i = 0; i < 24; ++i)
    ids.push_back(static_cast<std::int32_t>(7 * i % model.spec().vocabulary));
  return hash_of(
      model.forward({.input_ids = ids, .sequence = ids.size()}, {.logits = false}).last_hidden_state);
}

/// Hash of an embedding: pooling, a linear layer and unit length. The ids are "[CLS] the rope [SEP]" in vocabulary() of
/// tests/ts/model-folder.ts.
std::string embedding_of(const std::string& name) {
  Encoder model = encoder(name, Precision::int8);
  const std::string modules_json = checkpoint::text(folder(name) + "/modules.json");
  const SentenceFileNames names = raise(sentence_file_names(modules_json));
  std::map<std::string, std::string> contents = {{"modules.json", modules_json}};
  for (const std::vector<std::string>* list : {&names.needed, &names.optional}) {
    for (const std::string& file : *list) contents[file] = checkpoint::text(folder(name) + "/" + file);
  }
  std::vector<ModelFile> files;
  for (const auto& [file, text] : contents) files.push_back({file, std::as_bytes(std::span(text))});
  SentenceModules modules(files, model.spec().hidden, Precision::int8);
  const std::vector<std::int32_t> ids = {2, 6, 7, 3};
  const auto hidden = model.forward({.input_ids = ids, .sequence = 4}, {.logits = false}).last_hidden_state;
  return hash_of(modules.run({.hidden_states = hidden, .sequence = 4}).embedding);
}

/// Hash of the logits of the pairs of a causal reranker, one after the other.
std::string scores_of(const std::string& folder) {
  nlohmann::json config = golden::read(folder + "/config.json");
  config["sentence_transformers"] = golden::read(folder + "/1_LogitScore/config.json");
  Encoder model(config.dump(), golden::weights_in(folder), Precision::int8);
  const nlohmann::json expected = golden::read(folder + "/expected.json");
  std::vector<float> scores;
  for (const std::vector<std::int32_t> ids : expected["rankings"][0]["ids"])
    scores.push_back(model.forward({.input_ids = ids, .sequence = ids.size()}).class_logits[0]);
  return hash_of(scores);
}

TEST_P(Int8Bits, AreTheSameOnEveryArchitecture) {
  std::map<std::string, std::string> found = {{"the rope", embedding_of("bert-labse")},
                                              {"yes or no", scores_of("encoders-2/qwen3-reranker")}};
  for (const std::string& name : cases()) found[name] = hidden_states_of(name);
  const char* const pins = "../pins/int8.json";
  if (std::getenv("ROPEWALK_WRITE_PINS") != nullptr)
    std::ofstream(std::string(ROPEWALK_GOLDEN) + "/" + pins) << nlohmann::json(found).dump(1) << "\n";
  const std::map<std::string, std::string> expected = golden::read(pins);
  EXPECT_EQ(found, expected);
}

}  // namespace int8_bits_test
