#include "train_decoder.hpp"

#include <cstdio>
#include <string>
#include <vector>

#include "decoder_ids.hpp"
#include "files.hpp"
#include "print.hpp"
#include "ropewalk/decoder.hpp"
#include "ropewalk/trainer.hpp"
#include "rows.hpp"
#include "tokenizer.hpp"
#include "training.hpp"
#include "written.hpp"

namespace ropewalk::train {
namespace {

// The temperatures at which it writes: its own probabilities, and what the playground begins with.
constexpr double temperatures[] = {1, 0.8};

std::string config_json(const Recipe& recipe, const trainer::English& english) {
  return print(R"({
  "architectures": ["LlamaForCausalLM"],
  "model_type": "llama",
  "attention_bias": false,
  "attention_dropout": 0.0,
  "bos_token_id": %d,
  "eos_token_id": %d,
  "hidden_act": "silu",
  "hidden_size": %zu,
  "initializer_range": %g,
  "intermediate_size": %zu,
  "max_position_embeddings": %zu,
  "mlp_bias": false,
  "num_attention_heads": %zu,
  "num_hidden_layers": %zu,
  "num_key_value_heads": %zu,
  "rms_norm_eps": 1e-05,
  "rope_theta": 10000.0,
  "tie_word_embeddings": true,
  "torch_dtype": "float16",
  "vocab_size": %zu
}
)",
               boundary_id, boundary_id, recipe.hidden_size, recipe.initializer_range,
               recipe.intermediate_size, recipe.sequence, recipe.heads, recipe.layers, recipe.key_heads,
               decoder_vocabulary(english));
}

// One line of the report.
std::string shares(const Written& written) {
  return print(
      "\"texts\": %zu, \"ended\": %.4f, \"accepted\": %.4f, \"distinct\": %.4f, \"absentFromTraining\": %.4f",
      written.texts, written.ended, written.accepted, written.distinct, written.fresh);
}

std::string report_json(const Recipe& recipe, const Run& run, const Rows& rows, const Decoder& model,
                        const trainer::English& english, const HeldOut& held_out, std::size_t bytes) {
  std::string text = "{\n  \"command\": \"npm run train -- --model decoder\",\n";
  text += print(
      "  \"model\": { \"parameters\": %zu, \"layers\": %zu, \"hiddenSize\": %zu, \"heads\": %zu, "
      "\"keyHeads\": %zu,\n"
      "    \"feedForward\": %zu, \"vocabulary\": %zu, \"weightsBytes\": %zu, \"dtype\": \"float16\" },\n",
      run.parameters, recipe.layers, recipe.hidden_size, recipe.heads, recipe.key_heads,
      recipe.intermediate_size, decoder_vocabulary(english), bytes);
  text += print(
      "  \"training\": { \"seed\": %llu, \"steps\": %zu, \"rowsPerStep\": %zu, \"sequence\": %zu, "
      "\"tokens\": %llu,\n"
      "    \"texts\": %llu, \"distinctTexts\": %zu, \"learningRate\": %g, \"warmupSteps\": %zu, "
      "\"weightDecay\": %g,\n"
      "    \"threads\": %zu, \"seconds\": %.0f, \"cpuSeconds\": %.0f },\n",
      static_cast<unsigned long long>(recipe.seed), recipe.steps, recipe.rows_per_step, recipe.sequence,
      static_cast<unsigned long long>(run.tokens), static_cast<unsigned long long>(rows.texts()),
      rows.seen().size(), recipe.learning_rate, recipe.warmup_steps, recipe.weight_decay, run.threads,
      run.seconds, run.cpu_seconds);
  text += print(
      "  \"heldOut\": { \"unit\": \"nats per token\", \"texts\": %zu, \"tokens\": %zu, \"loss\": %.4f,\n"
      "    \"entropyOfTheGrammar\": %.4f },\n",
      held_out.texts, held_out.tokens, held_out.loss, held_out.entropy);
  text += "  \"written\": [";
  for (const double temperature : temperatures) {
    const Written written = write(model, english, temperature, recipe.generated_texts, rows.seen());
    text += print("%s\n    { \"temperature\": %g, %s }", text.ends_with('[') ? "" : ",", temperature,
                  shares(written).c_str());
  }
  const Written drawn =
      draw(english, Random(recipe.seed).fork(drawn_stream), recipe.generated_texts, rows.seen());
  return text + "\n  ],\n  \"drawnFromTheGrammar\": { " + shares(drawn) + " }\n}\n";
}

}  // namespace

void train_decoder(const Recipe& recipe, const std::filesystem::path& folder) {
  const trainer::English english;
  const std::string config = config_json(recipe, english);
  TrainerOptions options = trainer_options(recipe, config);
  options.objective = Objective::causal_language_model;
  Trainer trainer(options);
  const Random random(recipe.seed);
  Rows rows(english, random.fork(training_stream), recipe.rows_per_step, recipe.sequence);
  const Run run = run_steps(recipe, trainer, rows, english.words().size());

  // The file that is written is also the one that is measured.
  const std::vector<std::byte> weights = trainer.save({.type = SafetensorsType::F16});
  const Decoder model(config, weights);
  std::printf("Measuring\n");
  const HeldOut measured = held_out(model, english, random.fork(held_out_stream), recipe.held_out_texts);
  const std::string report = report_json(recipe, run, rows, model, english, measured, weights.size());
  std::filesystem::create_directories(folder);
  write_file(folder / "config.json", config);
  write_file(folder / "model.safetensors", weights);
  write_file(folder / "tokenizer.json", decoder_tokenizer_json(english));
  // Readers ask for these two as well, and a browser complains of a file that is not there.
  write_file(folder / "generation_config.json", "{ \"bos_token_id\": 0, \"eos_token_id\": 0 }\n");
  write_file(folder / "tokenizer_config.json", "{ \"model_max_length\": 256 }\n");
  write_file(folder / "report.json", report);
  std::printf("\n%s\nWritten to %s\n", report.c_str(), folder.string().c_str());
}

}  // namespace ropewalk::train
