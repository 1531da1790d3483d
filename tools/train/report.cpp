#include "report.hpp"

#include "print.hpp"

namespace ropewalk::train {
namespace {

std::string percent(double share) { return print("%.1f %%", 100 * share); }

}  // namespace

std::string report(const Recipe& recipe, const Run& run, const Outcome& outcome,
                   const Accuracies& accuracies) {
  std::string text =
      std::string(outcome.shipped ? "# The shipped RoFormer\n\n" : "# A RoFormer for masked words\n\n") +
      "Written by `npm run train`, which makes everything in this folder; do not edit.\n\n"
      "A RoFormer for masked words, trained on generated English: a few hundred words, and texts whose "
      "missing\n"
      "word can mostly be told only from who did what to whom.\n\n"
      "## How often it is right\n\n";
  text += print(
      "%zu texts of a random stream that training has not seen; 15 %% of their words hidden by `[MASK]`, "
      "%zu\n"
      "in all; the model as written, in %s.\n\n",
      accuracies.texts, accuracies.hidden, outcome.file_type.c_str());
  text += "| guess | right |\n|---|---|\n";
  text += "| this model | " + percent(accuracies.model) + " |\n";
  text += "| always the most frequent word, `" + std::string(accuracies.unigram_word) + "` | " +
          percent(accuracies.unigram) + " |\n";
  text += "| the best possible, by the exact odds of the grammar | " + percent(accuracies.best) + " |\n\n";
  text += "In " + percent(accuracies.agreement) +
          " of the places the model's guess is a best possible one.\n\n## Examples\n\n";
  for (const auto& [sentence, guesses] : outcome.fills) {
    text += "`" + sentence + "`: ";
    for (std::size_t i = 0; i < guesses.size(); ++i) {
      text += (i == 0 ? "" : ", ") + std::string(guesses[i].word) + " " + percent(guesses[i].probability);
    }
    text += "\n\n";
  }
  const double millions = static_cast<double>(run.tokens) / 1e6;
  text += "## How it was made\n\n";
  text += print(
      "%zu parameters: %zu layers, hidden size %zu, %zu heads, feed-forward %zu. %zu steps of %zu texts\n",
      run.parameters, recipe.layers, recipe.hidden_size, recipe.heads, recipe.intermediate_size, recipe.steps,
      recipe.texts_per_step);
  text += print(
      "(%llu texts, %s million tokens), AdamW at %g with %zu steps of warm-up and linear decay, weight\n",
      static_cast<unsigned long long>(recipe.steps) * recipe.texts_per_step,
      print(millions < 1 ? "%.2g" : "%.1f", millions).c_str(), recipe.learning_rate, recipe.warmup_steps);
  text += print(
      "decay %g, %g %% of the words masked as BERT does (80/10/10), seed %llu: %.0f s on %zu threads, %.0f\n"
      "tokens per second. The weights are the same for any number of threads.\n\n",
      recipe.weight_decay, 100 * recipe.mask_probability, static_cast<unsigned long long>(recipe.seed),
      run.seconds, run.threads, static_cast<double>(run.tokens) / run.seconds);
  text += "| file | bytes |\n|---|---|\n";
  for (const auto& [name, bytes] : outcome.files)
    text += "| " + name + " | " + std::to_string(bytes) + " |\n";
  return text;
}

}  // namespace ropewalk::train
