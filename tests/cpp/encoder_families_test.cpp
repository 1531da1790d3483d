// Single families beyond the reference's cases: types that are ignored, widths that tensors tell, texts of masks,
// and notes.

#include "each_architecture.hpp"
#include "golden_encoders.hpp"
#include "model/position_encoding/kinds.hpp"
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

/// distance_bucket by hand: 8 ranges up to distance 63 are 4 of one distance each, then ceil(ln(d/4) / ln(63/4) * 3).
TEST(EncoderFamilies, DistancesOfDebertaShareRowsBeyondHalfTheBuckets) {
  const positions::Disentangled options{.rows = 8, .buckets = 8, .furthest = 64};
  const auto bucket = [&](std::ptrdiff_t distance) {
    return model::position_encoding::distance_bucket(distance, options);
  };
  for (std::ptrdiff_t d = 0; d <= 4; ++d) EXPECT_EQ(bucket(d), d);
  const std::vector<std::pair<std::ptrdiff_t, std::ptrdiff_t>> far = {{5, 5},  {10, 5}, {11, 6}, {25, 6},
                                                                      {26, 7}, {63, 7}, {64, 8}, {159, 9}};
  for (const auto& [distance, row] : far) {
    EXPECT_EQ(bucket(distance), row) << distance;
    EXPECT_EQ(bucket(-distance), -row) << distance;
  }
}

/// As microsoft/deberta-v3-base is published: the head of training, in a file whose configuration knows nothing of it.
TEST(EncoderFamilies, TheTensorsTellWhichHeadOfDebertaPredictsWords) {
  nlohmann::json config = config_of("deberta-v3-masked-lm");
  config.erase("legacy");
  Encoder told(config.dump(), weights_of("deberta-v3-masked-lm")), said = encoder("deberta-v3-masked-lm");
  EXPECT_EQ(spec_of("deberta-v3-masked-lm").family, "deberta-v3");
  EXPECT_EQ(told.spec().family, "deberta-v3");
  EXPECT_EQ(encoder("deberta-v2-masked-lm").spec().family, "deberta-v2");
  EXPECT_TRUE(any_note(told.notes(), "lm_predictions.lm_head"));
  const std::vector<std::int32_t> ids = {2, 7, 9, 11, 3};
  const auto logits = told.forward({ids, 1, 5}).logits;
  EXPECT_EQ(logits.size(), 5u * 29);
  EXPECT_TRUE(std::ranges::equal(logits, said.forward({ids, 1, 5}).logits));
  config["architectures"] = {"DebertaV2Model"};
  EXPECT_EQ(Encoder(config.dump(), weights_of("deberta-v3-masked-lm")).forward({ids, 1, 5}).logits.size(),
            5u * 29);
}

TEST(EncoderFamilies, DebertaWithoutTypesIgnoresThem) {
  Encoder model = encoder("deberta-v3");
  const std::vector<std::int32_t> ids = {2, 7, 9, 11, 3}, types = {0, 0, 1, 1, 1};
  const auto plain = model.forward({ids, 1, 5}).last_hidden_state;
  const std::vector<float> expected(plain.begin(), plain.end());
  EXPECT_TRUE(std::ranges::equal(model.forward({ids, 1, 5, types}).last_hidden_state, expected));
}

TEST(EncoderFamilies, DebertaRefusesByNameWhatItDoesNotDo) {
  const std::vector<std::pair<nlohmann::json, std::string>> changes = {
      {{{"embedding_size", 16}}, "deberta-v2: `embedding_size` is 16; allowed: `hidden_size`, 24"},
      {{{"pooler_hidden_size", 16}}, "deberta-v2: `pooler_hidden_size` is 16; allowed: `hidden_size`, 24"},
      {{{"attention_head_size", 6}},
       "deberta-v2: `attention_head_size` is 6; allowed: `hidden_size` / `num_attention_heads`, 8"},
      {{{"pos_att_type", "p2p|c2p"}}, "deberta-v2: `pos_att_type` is \"p2p\"; allowed: c2p and p2c"},
      {{{"pos_att_type", {1}}}, "deberta-v2: `pos_att_type`"},
      {{{"norm_rel_ebd", "rms"}}, "deberta-v2: `norm_rel_ebd` is \"rms\"; allowed: layer_norm or none"},
      {{{"conv_act", "what"}}, "deberta-v2: `conv_act`"},
  };
  for (const auto& [change, message] : changes) {
    nlohmann::json config = config_of("deberta-v2-convolution");
    config.update(change);
    const Status status = spec_from_config(config.dump()).status();
    EXPECT_NE(status.message().find(message), std::string::npos) << status.message();
  }
  const auto refused = [](const nlohmann::json& change) {
    nlohmann::json config = config_of("deberta-v2-convolution");
    config.update(change);
    return Encoder::make(config.dump(), weights_of("deberta-v2-convolution")).status().message();
  };
  EXPECT_EQ(refused({{"conv_kernel_size", 4}}),
            "deberta-v2: `convolution.width` is 4; allowed: an odd number from 1 to 1023");
  EXPECT_EQ(refused({{"conv_groups", 5}}),
            "deberta-v2: `convolution.groups` is 5; allowed: a divisor of `hidden`, 24");
  EXPECT_EQ(
      refused({{"max_relative_positions", 5}}),
      "deberta-v2: `positions.furthest` is 5; allowed: more than `buckets` / 2 + 1, with at least 2 buckets");
  Spec spec = spec_of("bert-minilm");
  spec.layers[1].convolution = true;
  EXPECT_NE(Encoder::make(spec, weights_of("bert-minilm")).status().message().find("layers[].convolution"),
            std::string::npos);
}

TEST(EncoderFamilies, ModelsWithoutABackwardPassAreNotTrained) {
  const std::vector<std::byte> weights = weights_of("deberta-v2-masked-lm");
  EXPECT_EQ(Trainer::make({.spec = spec_of("deberta-v2-masked-lm"), .weights = weights}).status().message(),
            "trainer: `spec` is disentangled attention; allowed: encodings and layers with a backward pass");
  Spec spec = spec_of("deberta-v2-without");
  spec.layers[0].convolution = true;
  EXPECT_EQ(Trainer::make({.spec = spec}).status().message(),
            "trainer: `spec` is a convolution; allowed: encodings and layers with a backward pass");
}

/// Each chain as if it stood alone: rotation sees differences of positions alone.
TEST(EncoderFamilies, TokensOfOneChainDoNotSeeThoseOfAnother) {
  Encoder model = encoder("esmc-masked-lm");
  const std::vector<std::int32_t> first = {2, 7, 9}, second = {11, 3, 5, 20};
  std::vector<std::int32_t> ids = first, chains = {0, 0, 0, 5, 5, 5, 5};
  ids.insert(ids.end(), second.begin(), second.end());
  const EncoderOutput both = model.forward({ids, 1, 7, {}, {}, chains}, {.attentions = true});
  const std::vector<float> hidden(both.last_hidden_state.begin(), both.last_hidden_state.end());
  for (std::size_t i = 0; i < 49; ++i) {
    if (chains[i / 7] != chains[i % 7]) EXPECT_EQ(both.attentions[0][i], 0.0F);
  }
  std::vector<float> alone;
  for (const std::vector<std::int32_t>* text : {&first, &second}) {
    const auto own = model.forward({*text, 1, text->size()}).last_hidden_state;
    alone.insert(alone.end(), own.begin(), own.end());
  }
  for (std::size_t i = 0; i < alone.size(); ++i) EXPECT_NEAR(hidden[i], alone[i], 1e-5);

  EncoderOutput output;
  const std::vector<std::int32_t> few = {1, 2};
  EXPECT_EQ(model.try_forward({ids, 1, 7, {}, {}, few}, {}, output).message(),
            "forward: `sequence_ids` has 2 elements; allowed: 7, `batch` * `sequence`");
  Spec linear = spec_of("bert-minilm");
  linear.positions = positions::LinearAttention{};
  const std::vector<std::byte> weights = weights_of("bert-minilm");
  Encoder other = raise(Encoder::make(linear, weights));
  EXPECT_NE(other.try_forward({ids, 1, 7, {}, {}, chains}, {}, output).message().find("sequence_ids"),
            std::string::npos);
}

/// A model of its own kind under model_type "bert".
TEST(EncoderFamilies, JinaV2IsBertWithAlibi) {
  EXPECT_EQ(spec_of("jina-v2").family, "jina-bert-v2");
  EXPECT_EQ(spec_of("bert-minilm").family, "bert");
  nlohmann::json config = config_of("jina-v2");
  config["feed_forward_type"] = "original";
  EXPECT_EQ(spec_from_config(config.dump()).status().message(),
            "jina-bert-v2: `feed_forward_type` is \"original\"; allowed: \"geglu\" or \"reglu\"");
  // Its base class, whose files have no prefix, without the head for words.
  Encoder model = encoder("jina-v2");
  EXPECT_TRUE(model.notes().empty()) << model.notes().front();
}

TEST(EncoderFamilies, ModelsOfOtherKindsAreRefusedByName) {
  for (const char* type : {"albert", "deberta", "t5", "mt5"}) {
    const Status status = spec_from_config(nlohmann::json{{"model_type", type}}.dump()).status();
    EXPECT_NE(status.message().find("`model_type` is \"" + std::string(type) + "\"; allowed: "),
              std::string::npos)
        << status.message();
  }
}

/// ESM-C and Jina v2 train: the loss of a few steps falls.
TEST(EncoderFamilies, NewFamiliesOfTheTrainerLearn) {
  for (const char* name : {"esmc-masked-lm", "jina-v2"}) {
    const std::vector<std::byte> weights = weights_of(name);
    Trainer trainer({.spec = spec_of(name), .weights = weights});
    const std::vector<std::int32_t> ids = {2, 7, 9, 11, 3, 4, 8, 6};
    std::vector<double> losses;
    for (int step = 0; step < 8; ++step)
      losses.push_back(trainer.train({.input = {ids, 2, 4}, .labels = ids}).loss);
    EXPECT_LT(losses.back(), losses.front()) << name;
  }
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
