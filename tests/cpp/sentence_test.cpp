// Sentence vectors against tests/golden/encoders, their bits, and what is refused.

#include "ropewalk/sentence.hpp"

#include <bit>
#include <cstdio>
#include <map>

#include "each_architecture.hpp"
#include "golden_encoders.hpp"

namespace sentence_test {

using namespace golden_encoders;

/// The files of a model, as a caller collects them.
class Files {
 public:
  explicit Files(const std::string& name) {
    const std::string modules = checkpoint::text(folder(name) + "/modules.json");
    add("modules.json", modules);
    const SentenceFileNames names = raise(sentence_file_names(modules));
    for (const std::vector<std::string>* list : {&names.needed, &names.optional}) {
      for (const std::string& file : *list) add(file, checkpoint::text(folder(name) + "/" + file));
    }
  }
  Files() = default;
  void add(const std::string& name, const std::string& text) { contents_[name] = text; }
  void remove(const std::string& name) { contents_.erase(name); }
  nlohmann::json json(const std::string& name) const { return nlohmann::json::parse(contents_.at(name)); }
  std::vector<ModelFile> get() const {
    std::vector<ModelFile> files;
    for (const auto& [name, text] : contents_)
      files.push_back({name, std::as_bytes(std::span(text.data(), text.size()))});
    return files;
  }

 private:
  std::map<std::string, std::string> contents_;
};

std::vector<std::string> sentence_cases() {
  std::vector<std::string> names = cases();
  std::erase_if(names, [](const std::string& name) {
    return !std::filesystem::exists(std::string(ROPEWALK_GOLDEN) + "/" + folder(name) + "/modules.json");
  });
  return names;
}

class Sentences : public EachArchitecture {};
ON_EACH_ARCHITECTURE(Sentences);

TEST_P(Sentences, EqualTheReference) {
  std::map<std::string, std::size_t> compared;
  for (const std::string& name : sentence_cases()) {
    SCOPED_TRACE(name);
    Encoder model = encoder(name);
    SentenceModules modules(Files(name).get(), model.spec().hidden);
    EXPECT_EQ(modules.notes().size(), 0u);
    double worst = 0;
    const nlohmann::json expected = golden::read(folder(name) + "/expected.json");
    for (const auto& json : expected["cases"]) {
      const Input input(json);
      const auto hidden = model.forward(input.get(), {.logits = false}).last_hidden_state;
      const SentenceInput sentence{hidden, input.batch, input.sequence, input.mask};
      const auto check = [&](const std::string& what, std::span<const float> actual) {
        if (!json.contains(what)) return;
        const double error = distance(actual, json[what], 1, [](std::size_t) { return true; });
        EXPECT_LE(error, 5e-6) << what << " of " << input.batch << " x " << input.sequence;
        worst = std::max(worst, error);
        ++compared[what];
      };
      const SentenceOutput whole = modules.run(sentence);
      check("pooled", whole.pooled);
      check("sentence_embedding", whole.embedding);
      for (const Pooling pooling : {Pooling::cls, Pooling::max, Pooling::mean, Pooling::mean_sqrt_len,
                                    Pooling::weightedmean, Pooling::last}) {
        check("pooled_" + std::string(name_of(pooling)), modules.run(sentence, {.pooling = pooling}).pooled);
      }
      if (input.sequence >= 3) {
        const SentenceOptions options{.pooling = Pooling::mean, .prompt_tokens = 3};
        check("pooled_mean_without_prompt", modules.run(sentence, options).pooled);
      }
      if (json.contains("truncated")) {
        check("truncated",
              modules.run(sentence, {.dimensions = json["truncated"].size() / input.batch}).embedding);
      }
    }
    std::printf("  %s %s: %.1e\n", GetParam().c_str(), name.c_str(), worst);
  }
  EXPECT_EQ(compared.size(), 10u);
  EXPECT_GE(compared["sentence_embedding"], 10u);
}

std::uint64_t hash(std::span<const float> values, std::uint64_t begin) {
  for (const float value : values) begin = (begin ^ std::bit_cast<std::uint32_t>(value)) * 0x100000001b3u;
  return begin;
}

/// Hidden states (2,37,32) that need no generator, and a mask with padding on either side.
struct MadeUp {
  MadeUp() {
    for (std::uint64_t i = 0; i < 2 * 37 * 32; ++i)
      hidden.push_back(static_cast<float>(i * 2654435761u % 20011) / 10007.0F - 1);
    for (std::size_t t = 0; t < 37; ++t) mask[t] = t < 30, mask[37 + t] = t > 4;
  }
  SentenceInput get() const { return {hidden, 2, 37, mask}; }
  std::vector<float> hidden;
  std::vector<std::int32_t> mask = std::vector<std::int32_t>(74);
};

TEST_P(Sentences, HaveTheSameBitsEverywhere) {
  SentenceModules modules({}, 32);
  const MadeUp input;
  std::uint64_t bits = 0xcbf29ce484222325u;
  for (const Pooling pooling : {Pooling::cls, Pooling::max, Pooling::mean, Pooling::mean_sqrt_len,
                                Pooling::weightedmean, Pooling::last}) {
    const SentenceOutput output = modules.run(input.get(), {.pooling = pooling, .prompt_tokens = 2});
    bits = hash(output.embedding, hash(output.pooled, bits));
  }
  EXPECT_EQ(bits, 0xf7028f1f68ca0a4cu) << std::hex << bits;
}

TEST(Sentence, NormalisesAfterTheCutWhereAsked) {
  SentenceModules modules({}, 32);
  ASSERT_EQ(modules.notes().size(), 1u);
  const MadeUp input;
  const auto length = [](std::span<const float> x) {
    double sum = 0;
    for (const float each : x.first(x.size() / 2)) sum += double{each} * each;
    return std::sqrt(sum);
  };
  EXPECT_NEAR(length(modules.run(input.get()).embedding), 1, 1e-6);
  EXPECT_LT(length(modules.run(input.get(), {.dimensions = 8}).embedding), 0.9);
  EXPECT_NEAR(length(modules.run(input.get(), {.normalize = true, .dimensions = 8}).embedding), 1, 1e-6);
  const SentenceOutput plain = modules.run(input.get(), {.normalize = false});
  EXPECT_TRUE(std::ranges::equal(plain.embedding, plain.pooled));
  const SentenceOutput usual = modules.run(input.get());
  const std::vector<float> first(usual.embedding.begin(), usual.embedding.end());
  EXPECT_TRUE(std::ranges::equal(modules.run(input.get(), {.normalize = true}).embedding, first));
}

TEST(Sentence, ThePromptIsCountedBehindPaddingOnTheLeft) {
  SentenceModules modules({}, 1);
  const std::vector<float> hidden = {9, 9, 1, 2, 3, 4}, alone = {1, 2, 3, 4};
  const std::vector<std::int32_t> mask = {0, 0, 1, 1, 1, 1};
  const SentenceOptions options{.prompt_tokens = 1};
  EXPECT_EQ(modules.run({hidden, 1, 6, mask}, options).pooled[0], 3);
  EXPECT_EQ(modules.run({alone, 1, 4}, options).pooled[0], 3);
  EXPECT_EQ(modules.run({alone, 1, 4}, {.prompt_tokens = 4}).pooled[0], 0);
  EXPECT_EQ(modules.run({alone, 1, 4}, {.prompt_tokens = 4}).embedding[0], 0);
}

TEST(Sentence, SeveralPoolingsStandOneAfterTheOther) {
  Files files("bert-minilm");
  auto pooling = files.json("1_Pooling/config.json");
  pooling["pooling_mode_lasttoken"] = pooling["pooling_mode_cls_token"] = true;
  files.add("1_Pooling/config.json", pooling.dump());
  SentenceModules modules(files.get(), 32);
  EXPECT_EQ(modules.dimensions(), 96u);
  const MadeUp input;
  const auto pooled = modules.run(input.get()).pooled;
  const std::vector<float> all(pooled.begin(), pooled.end());
  std::size_t at = 0;
  for (const Pooling each : {Pooling::cls, Pooling::mean, Pooling::last}) {
    const auto own = modules.run(input.get(), {.pooling = each}).pooled;
    for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(all[96 + at * 32 + i], own[32 + i]);
    ++at;
  }
}

TEST(Sentence, ReadsPromptsLengthsAndNewerKeys) {
  Files files("xlm-roberta-e5");
  auto pooling = nlohmann::json{{"word_embedding_dimension", 32}, {"pooling_mode", "lasttoken"}};
  pooling["include_prompt"] = false;
  files.add("1_Pooling/config.json", pooling.dump());
  auto prompts = files.json("config_sentence_transformers.json");
  prompts["default_prompt_name"] = "passage";
  files.add("config_sentence_transformers.json", prompts.dump());
  const SentenceModules modules(files.get(), 32);
  const SentenceSpec& spec = modules.spec();
  EXPECT_EQ(spec.pooling, std::vector<Pooling>{Pooling::last});
  EXPECT_FALSE(spec.include_prompt);
  EXPECT_EQ(spec.max_tokens, 512u);
  EXPECT_EQ(spec.default_prompt, "passage");
  ASSERT_EQ(spec.prompts.size(), 2u);
  EXPECT_EQ(spec.prompts[0], (std::pair<std::string, std::string>("passage", "passage: ")));
  EXPECT_EQ(spec.modules.size(), 1u);
}

TEST(Sentence, RefusesByNameWhatIsNotDone) {
  struct Change {
    std::string file, key;
    nlohmann::json value;
    std::string words;
  };
  const Change changes[] = {
      {"2_Dense/config.json", "activation_function", "torch.nn.modules.activation.Mish", "Mish"},
      {"2_Dense/config.json", "module_input_name", "token_embeddings", "module_input_name"},
      {"2_Dense/config.json", "in_features", 31, "in_features"},
      {"2_Dense/config.json", "out_features", 31, "linear.weight"},
      {"1_Pooling/config.json", "word_embedding_dimension", 64, "word_embedding_dimension"},
      {"1_Pooling/config.json", "pooling_mode", "attention", "attention"},
      {"1_Pooling/config.json", "pooling_mode", "mean", "pooling_mode_cls_token"},
      {"1_Pooling/config.json", "pooling_mode_cls_token", false, "pooling_mode_mean_tokens"},
      {"config_sentence_transformers.json", "default_prompt_name", "query", "default_prompt_name"},
      {"sentence_bert_config.json", "max_seq_length", "long", "max_seq_length"},
  };
  for (const Change& change : changes) {
    Files files("bert-labse");
    auto json = files.json(change.file);
    json[change.key] = change.value;
    files.add(change.file, json.dump());
    const auto made = SentenceModules::make(files.get(), 32);
    EXPECT_FALSE(made.ok()) << change.key;
    EXPECT_NE(made.status().message().find(change.words), std::string::npos) << made.status().message();
  }
  for (const char* type : {"sentence_transformers.models.LSTM", "sentence_transformers.models.Pooling"}) {
    Files files("bert-labse");
    auto json = files.json("modules.json");
    json[3]["type"] = type;
    files.add("modules.json", json.dump());
    const auto made = SentenceModules::make(files.get(), 32);
    EXPECT_NE(made.status().message().find("modules.json[3].type"), std::string::npos);
  }
  for (const char* name : {"1_Pooling/config.json", "2_Dense/config.json", "2_Dense/model.safetensors"}) {
    Files files("bert-labse");
    files.remove(name);
    const auto made = SentenceModules::make(files.get(), 32);
    EXPECT_NE(made.status().message().find(name), std::string::npos) << made.status().message();
  }
}

TEST(Sentence, RefusesInputThatDoesNotFit) {
  SentenceModules modules({}, 2);
  const std::vector<float> hidden(12, 1);
  const std::vector<std::int32_t> mask = {1, 1, 2, 1, 1, 1};
  SentenceOutput output;
  const auto message = [&](const SentenceInput& input, const SentenceOptions& options) {
    return modules.try_run(input, options, output).message();
  };
  EXPECT_NE(message({hidden, 2, 4}, {}).find("`hidden_states`"), std::string::npos);
  EXPECT_NE(message({hidden, 0, 3}, {}).find("`batch`"), std::string::npos);
  EXPECT_NE(message({hidden, 2, 3, mask}, {}).find("`attention_mask[2]`"), std::string::npos);
  EXPECT_NE(message({hidden, 2, 3}, {.prompt_tokens = 4}).find("`prompt_tokens`"), std::string::npos);
  EXPECT_NE(message({hidden, 2, 3}, {.dimensions = 3}).find("`dimensions`"), std::string::npos);
  EXPECT_EQ(output.pooled.size(), 0u);
}

}  // namespace sentence_test
