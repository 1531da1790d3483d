// Makes the shipped models: vocabulary, tokenizer.json, config.json, weights, and the report on them.
//
//   npm run train
//   npm run train -- --model decoder
//   npm run train -- --model embedder
//   npm run train -- some/folder --steps 500 --learning-rate 1e-3

#include <cstdio>
#include <filesystem>

#include "batches.hpp"
#include "files.hpp"
#include "held_out.hpp"
#include "recipe.hpp"
#include "report.hpp"
#include "roformer_config.hpp"
#include "ropewalk/trainer.hpp"
#include "tasks/english/token_ids.hpp"
#include "tokenizer.hpp"
#include "train_decoder.hpp"
#include "train_embedder.hpp"
#include "training.hpp"

namespace ropewalk::train {
namespace {

constexpr std::size_t largest_file = 2'000'000;

const char* const sentences[] = {
    "the captain gave the [MASK] to the sailor",
    "the captain gave the rope to the sailor . now the [MASK] has the rope .",
    "the sailor gave the rope to the captain . now the [MASK] has the rope .",
    "the sailors who saw the captain [MASK] tired .",
    "the captain asked the sailor to wash the cup . who washed it ? the [MASK] .",
    "the captain promised the sailor to wash the cup . who washed it ? the [MASK] .",
};

void train_roformer(const Recipe& recipe, const std::filesystem::path& folder) {
  const trainer::English english;
  const std::string config = roformer_config(recipe, {.vocabulary = trainer::english::vocab_size(english)});
  const std::string tokenizer = tokenizer_json(english.words());
  Trainer trainer(trainer_options(recipe, config));
  const Random random(recipe.seed);
  Batches batches(english, random.fork(training_stream), recipe.texts_per_step, recipe.mask_probability);
  const Run run = run_steps(recipe, trainer, batches, english.words().size());

  // Half precision where it is needed to stay small. What is measured is what is written.
  SaveOptions save;
  if (raise(trainer.try_save(save)).size() > largest_file) save.type = SafetensorsType::F16;
  const std::vector<std::byte> weights = trainer.save(save);
  if (weights.size() > largest_file)
    std::printf("The weights take %zu bytes: too many to ship.\n", weights.size());
  Outcome outcome;
  outcome.shipped = folder == shipped_folder(Model::roformer);
  outcome.file_type = name_of(save.type);
  Encoder model(config, weights);
  std::printf("Measuring on %zu held-out texts\n", recipe.held_out_texts);
  const Accuracies accuracies = measure(model, english, random.fork(held_out_stream), recipe.held_out_texts,
                                        batches.counts(), run.threads);
  for (const char* sentence : sentences)
    outcome.fills.emplace_back(sentence, fill(model, english, sentence, 5));

  const std::string_view weight_text(reinterpret_cast<const char*>(weights.data()), weights.size());
  std::filesystem::create_directories(folder);
  for (const auto& [name, bytes] : {std::pair<const char*, std::string_view>("config.json", config),
                                    {"model.safetensors", weight_text},
                                    {"tokenizer.json", tokenizer}}) {
    write_file(folder / name, bytes);
    outcome.files.emplace_back(name, bytes.size());
  }
  const std::string text = report(recipe, run, outcome, accuracies);
  write_file(folder / "README.md", text);
  std::printf("\n%s\nWritten to %s\n", text.c_str(), folder.string().c_str());
}

}  // namespace
}  // namespace ropewalk::train

int main(int count, char** arguments) {
  ropewalk::train::Recipe recipe;
  std::string folder;
  if (const std::string problem = ropewalk::train::read_arguments(count, arguments, recipe, folder);
      !problem.empty()) {
    const bool asked = problem.starts_with("Usage");
    std::fputs(problem.c_str(), asked ? stdout : stderr);
    return asked ? 0 : 2;
  }
  try {
    if (recipe.model == ropewalk::train::Model::decoder) {
      ropewalk::train::train_decoder(recipe, folder);
    } else if (recipe.model == ropewalk::train::Model::embedder) {
      ropewalk::train::train_embedder(recipe, folder);
    } else {
      ropewalk::train::train_roformer(recipe, folder);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
