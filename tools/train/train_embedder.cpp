#include "train_embedder.hpp"

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "batches.hpp"
#include "files.hpp"
#include "paraphrases/paraphrases.hpp"
#include "print.hpp"
#include "retrieval.hpp"
#include "roformer_config.hpp"
#include "ropewalk/trainer.hpp"
#include "tasks/english/token_ids.hpp"
#include "tokenizer.hpp"
#include "training.hpp"

namespace ropewalk::train {
namespace {

std::string config_json(const Recipe& recipe, std::size_t vocabulary, const char* encoding) {
  return roformer_config(recipe, {.architecture = "RoFormerModel",
                                  .position_encoding = encoding,
                                  .vocabulary = vocabulary,
                                  .max_position_embeddings = 128,
                                  .tied = false});
}

constexpr const char* modules_json = R"([
  { "idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer" },
  { "idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling" },
  { "idx": 2, "name": "2", "path": "2_Normalize", "type": "sentence_transformers.models.Normalize" }
]
)";

std::string pooling_json(std::size_t width) {
  return print("{ \"word_embedding_dimension\": %zu, \"pooling_mode_mean_tokens\": true }\n", width);
}

// Pairs that tell one event in two phrasings, by length; every second event is the neighbour of the one before it.
class Pairs {
 public:
  Pairs(const Paraphrases& paraphrases, Random random, std::size_t texts)
      : paraphrases_(paraphrases), random_(random), pairs_(texts / 2) {}

  TrainerBatch next() {
    Event event;
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      event = i % 2 == 0 ? paraphrases_.draw(random_) : paraphrases_.neighbour(random_, event);
      paraphrases_.write_two(random_, event, false, pairs_[i].first, pairs_[i].second);
    }
    std::ranges::stable_sort(
        pairs_, {}, [](const Pair& pair) { return std::max(pair.first.size(), pair.second.size()); });
    texts_.clear();
    for (const auto& [anchor, positive] : pairs_) {
      tokens_ += anchor.size() + positive.size() + 4;
      texts_.push_back(anchor);
      texts_.push_back(positive);
    }
    batch_.set(texts_);
    return {.input = batch_.input()};
  }
  std::uint64_t tokens() const { return tokens_; }  // [CLS] and [SEP] included, padding not

 private:
  using Pair = std::pair<std::vector<int>, std::vector<int>>;
  const Paraphrases& paraphrases_;
  Random random_;
  std::vector<Pair> pairs_;
  std::vector<std::vector<int>> texts_;
  Texts batch_;
  std::uint64_t tokens_ = 0;
};

std::string line(const char* name, const Recall& recall, const char* end) {
  return print("      \"%s\": { \"recallAt1\": %.4f, \"recallAt10\": %.4f, \"aboveNeighbour\": %.4f }%s\n",
               name, recall.at_1, recall.at_10, recall.above_neighbour, end);
}

std::size_t vocabulary_of(const Paraphrases& paraphrases) {
  return static_cast<std::size_t>(trainer::english::first_word_id) + paraphrases.words().size();
}

std::string report_json(const Recipe& recipe, const Run& run, const Paraphrases& paraphrases,
                        std::span<const std::byte> weights) {
  const std::size_t vocabulary = vocabulary_of(paraphrases);
  Encoder model = raise(Encoder::make(config_json(recipe, vocabulary, "rope"), weights)),
          unrotated = raise(Encoder::make(config_json(recipe, vocabulary, "none"), weights));
  const Safetensors file = raise(Safetensors::open(weights));
  const SafetensorsTensor* words = file.find("roformer.embeddings.word_embeddings.weight");
  std::vector<float> table(static_cast<std::size_t>(words->elements));
  raise(try_read_float32(*words, table));

  std::string text = "{\n  \"command\": \"npm run train -- --model embedder\",\n";
  text += print(
      "  \"model\": { \"parameters\": %zu, \"layers\": %zu, \"hiddenSize\": %zu, \"heads\": %zu, "
      "\"feedForward\": "
      "%zu,\n    \"vocabulary\": %zu, \"weightsBytes\": %zu, \"dtype\": \"float16\" },\n",
      run.parameters, recipe.layers, recipe.hidden_size, recipe.heads, recipe.intermediate_size, vocabulary,
      weights.size());
  text += print(
      "  \"training\": { \"seed\": %llu, \"steps\": %zu, \"pairsPerStep\": %zu, \"temperature\": %g, "
      "\"tokens\": "
      "%llu,\n    \"frames\": %zu, \"phrasings\": %zu, \"learningRate\": %g, \"warmupSteps\": %zu, "
      "\"weightDecay\": "
      "%g,\n    \"threads\": %zu, \"seconds\": %.0f, \"cpuSeconds\": %.0f },\n",
      static_cast<unsigned long long>(recipe.seed), recipe.steps, recipe.texts_per_step / 2,
      recipe.temperature, static_cast<unsigned long long>(run.tokens), paraphrases.frames(),
      paraphrases.count(false), recipe.learning_rate, recipe.warmup_steps, recipe.weight_decay, run.threads,
      run.seconds, run.cpu_seconds);
  const Random random = Random(recipe.seed).fork(held_out_stream);
  for (const bool held_out : {true, false}) {
    const Collection collection =
        collect(paraphrases, random.fork(held_out ? 0 : 1), recipe.candidates, held_out);
    text += print(
        "  \"%s\": {\n    \"phrasings\": %zu, \"queries\": %zu, \"candidates\": %zu,\n    \"methods\": {\n",
        held_out ? "heldOutPhrasings" : "learnedPhrasings", paraphrases.count(held_out),
        collection.queries.size(), collection.candidates.size());
    text += line("model", by_model(model, collection), ",");
    text += line("withoutRotation", by_model(unrotated, collection), ",");
    text += line("bm25", by_bm25(collection), ",");
    text += line("meanOfItsWordVectors",
                 by_words(table, recipe.hidden_size, trainer::english::first_word_id, collection), "");
    text += held_out ? "    }\n  },\n" : "    }\n  }\n}\n";
  }
  return text;
}

}  // namespace

void train_embedder(const Recipe& recipe, const std::filesystem::path& folder) {
  const Paraphrases paraphrases;
  const std::string config = config_json(recipe, vocabulary_of(paraphrases), "rope");
  TrainerOptions options = trainer_options(recipe, config);
  options.objective = Objective::contrastive;
  options.contrastive = {.temperature = recipe.temperature};
  Trainer trainer(options);
  Pairs pairs(paraphrases, Random(recipe.seed).fork(training_stream), recipe.texts_per_step);
  const Run run = run_steps(recipe, trainer, pairs, paraphrases.words().size());

  // The file that is written is also the one that is measured.
  const std::vector<std::byte> weights = trainer.save({.type = SafetensorsType::F16});
  std::printf("Measuring\n");
  const std::string report = report_json(recipe, run, paraphrases, weights);
  std::filesystem::create_directories(folder / "1_Pooling");
  write_file(folder / "config.json", config);
  write_file(folder / "model.safetensors", weights);
  write_file(folder / "tokenizer.json", tokenizer_json(paraphrases.words()));
  write_file(folder / "modules.json", modules_json);
  // Readers ask for these three as well, and a browser complains of a file that is not there.
  write_file(folder / "config_sentence_transformers.json", "{ \"similarity_fn_name\": \"cosine\" }\n");
  write_file(folder / "sentence_bert_config.json", "{ \"max_seq_length\": 128 }\n");
  write_file(folder / "tokenizer_config.json", "{ \"model_max_length\": 128 }\n");
  write_file(folder / "1_Pooling" / "config.json", pooling_json(recipe.hidden_size));
  write_file(folder / "report.json", report);
  std::printf("\n%s\nWritten to %s\n", report.c_str(), folder.string().c_str());
}

}  // namespace ropewalk::train
