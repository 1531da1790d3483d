// Single families beyond the reference's cases: types that are ignored, widths that tensors tell, texts of masks,
// and notes.

#include "each_architecture.hpp"
#include "golden_encoders.hpp"
#include "ropewalk/trainer.hpp"

namespace encoder_families_test {

using namespace golden_encoders;

bool any_note(const std::vector<std::string>& notes, const std::string& words) {
  return std::ranges::any_of(notes, [&](const std::string& note) { return note.find(words) != note.npos; });
}

nlohmann::json config_of(const std::string& name) { return golden::read(folder(name) + "/config.json"); }

TEST(EncoderFamilies, AGteModelWithOneTypeIgnoresTypes) {
  Encoder model = encoder("new-mgte");
  const std::vector<std::int32_t> ids = {2, 7, 9, 11, 3}, types = {0, 0, 1, 1, 7};
  const auto plain = model.forward({ids, 1, 5}).last_hidden_state;
  const std::vector<float> expected(plain.begin(), plain.end());
  EXPECT_TRUE(std::ranges::equal(model.forward({ids, 1, 5, types}).last_hidden_state, expected));
  EncoderOutput output;
  const Status status = encoder("xlm-roberta-e5").try_forward({ids, 1, 5, types}, {}, output);
  EXPECT_NE(status.message().find("token_type_ids[2]"), std::string::npos) << status.message();
}

TEST(EncoderFamilies, BothModelTypesOfGteAreOneFamily) {
  nlohmann::json config = config_of("new-mgte");
  config["model_type"] = "gte";
  Encoder one = encoder("new-mgte"), other(config.dump(), weights_of("new-mgte"));
  const std::vector<std::int32_t> ids = {2, 7, 9, 11, 3};
  EXPECT_TRUE(std::ranges::equal(one.forward({ids, 1, 5}).last_hidden_state,
                                 other.forward({ids, 1, 5}).last_hidden_state));
}

TEST(EncoderFamilies, CamembertIsRobertaByAnotherName) {
  nlohmann::json config = config_of("roberta-classifier");
  config["model_type"] = "camembert";
  Encoder one = encoder("roberta-classifier"), other(config.dump(), weights_of("roberta-classifier"));
  const std::vector<std::int32_t> ids = {0, 7, 9, 11, 2, 1};
  EXPECT_TRUE(
      std::ranges::equal(one.forward({ids, 1, 6}).class_logits, other.forward({ids, 1, 6}).class_logits));
}

/// As all-mpnet-base-v2 is published.
TEST(EncoderFamilies, AMaskedLmHeadThatTheFileDoesNotHoldIsLeftOut) {
  nlohmann::json config = config_of("mpnet");
  config["architectures"] = {"MPNetForMaskedLM"};
  Encoder plain = encoder("mpnet"), promised(config.dump(), weights_of("mpnet"));
  EXPECT_TRUE(any_note(promised.notes(), "words cannot be predicted"));
  EXPECT_FALSE(any_note(plain.notes(), "words cannot be predicted"));
  const std::vector<std::int32_t> ids = {0, 7, 9, 11, 2};
  EXPECT_TRUE(std::ranges::equal(plain.forward({ids, 1, 5}).last_hidden_state,
                                 promised.forward({ids, 1, 5}).last_hidden_state));
}

TEST(EncoderFamilies, MpnetRefusesOtherRangesOfDistance) {
  nlohmann::json config = config_of("mpnet");
  config["relative_attention_num_buckets"] = 64;
  const Status status = spec_from_config(config.dump()).status();
  EXPECT_EQ(status.message(), "mpnet: `relative_attention_num_buckets` is 64; allowed: 32");
  config["relative_attention_num_buckets"] = 32;
  config["pad_token_id"] = nullptr;
  EXPECT_EQ(spec_from_config(config.dump()).status().message(),
            "mpnet: `pad_token_id` is null; allowed: an id, behind which positions begin");
}

TEST(EncoderFamilies, TheTensorsTellTheWidthOfNeoBert) {
  nlohmann::json config = config_of("neobert");
  config["intermediate_size"] = 40;  // as files have it that were saved again
  const Encoder model(config.dump(), weights_of("neobert"));
  EXPECT_EQ(model.spec().feed_forward.width, 40u);
  EXPECT_TRUE(any_note(model.notes(), "intermediate_size"));
  EXPECT_FALSE(any_note(encoder("neobert").notes(), "intermediate_size"));
}

TEST(EncoderFamilies, EsmRefusesATextOfMasks) {
  Encoder model = encoder("esm2");
  const std::vector<std::int32_t> masks(4, 32), residues = {0, 32, 5, 2};
  EncoderOutput output;
  const Status status = model.try_forward({masks, 1, 4}, {}, output);
  EXPECT_NE(status.message().find("mask_token_id"), std::string::npos) << status.message();
  EXPECT_TRUE(model.try_forward({residues, 1, 4}, {}, output).ok());
}

TEST(EncoderFamilies, EsmTakesTheStoredFrequencies) {
  const std::vector<std::byte> weights = weights_of("esm2");
  const Encoder model(spec_of("esm2"), weights);
  EXPECT_TRUE(any_note(model.notes(), "frequencies that the checkpoint holds"));
  EXPECT_TRUE(any_note(model.notes(), "embeddings.position_ids"));
  const auto trainer = Trainer::make({.spec = spec_of("esm2"), .weights = weights});
  EXPECT_NE(trainer.status().message().find("frequencies of their own"), std::string::npos)
      << trainer.status().message();
}

TEST(EncoderFamilies, ContactsOfShortTextsAreEmpty) {
  Encoder model = encoder("esm2");
  for (std::size_t tokens = 1; tokens <= 3; ++tokens) {
    const std::vector<std::int32_t> ids(tokens, 5);
    const EncoderOutput output = model.forward({ids, 1, tokens}, {.contacts = true});
    EXPECT_EQ(output.contacts.size(), tokens == 3 ? 1u : 0u);
  }
  EXPECT_EQ(encoder("bert-minilm")
                .forward({std::vector<std::int32_t>{1, 2, 3}, 1, 3}, {.contacts = true})
                .contacts.size(),
            0u);
}

TEST(EncoderFamilies, NoteEachTensorAndKeyThatNothingReads) {
  const std::vector<std::string> notes = encoder("bert-minilm").notes();
  for (const char* name : {"pooler.dense.weight", "pooler.dense.bias", "embeddings.position_ids"})
    EXPECT_TRUE(any_note(notes, name)) << name;
  EXPECT_TRUE(any_note(encoder("nomic-v1_5").notes(), "`fused_bias_fc`"));
  EXPECT_FALSE(any_note(encoder("nomic-v1_5").notes(), "`rotary_emb_base`"));
  nlohmann::json config = config_of("jina-v3");
  config["unheard_of"] = 1;
  EXPECT_TRUE(any_note(raise(spec_from_config(config.dump())).notes, "`unheard_of`"));
}

TEST(EncoderFamilies, OddWindowsOfEmbeddingGemmaAreNoted) {
  nlohmann::json config = config_of("embeddinggemma");
  config["sliding_window"] = 9;
  const Spec spec = raise(spec_from_config(config.dump()));
  EXPECT_EQ(spec.layers[0].window, 4u);
  EXPECT_TRUE(any_note(spec.notes, "`sliding_window` is 9"));
}

/// If `rope_parameters` leave a base out, the old key or the family's own counts.
TEST(EncoderFamilies, BasesThatAreLeftOutAreTheFamilys) {
  const auto bases = [](const nlohmann::json& config) {
    const Spec spec = raise(spec_from_config(config.dump()));
    std::vector<double> bases;
    for (const RopeOptions& rope : std::get<positions::Rope>(spec.positions).ropes)
      bases.push_back(std::get<frequencies::Default>(rope.frequencies).base);
    return bases;
  };
  nlohmann::json config = config_of("embeddinggemma");
  config.erase("rope_theta");
  config["rope_parameters"] = {{"full_attention", {{"rope_type", "default"}}},
                               {"sliding_attention", {{"rope_type", "default"}}}};
  config["rope_local_base_freq"] = 20000;
  EXPECT_EQ(bases(config), (std::vector<double>{20000, 1e6}));
  config = config_of("modernbert");
  config.erase("global_rope_theta");
  config.erase("local_rope_theta");
  EXPECT_EQ(bases(config), (std::vector<double>{160000, 10000}));
}

}  // namespace encoder_families_test
