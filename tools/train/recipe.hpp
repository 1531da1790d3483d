// How the shipped models are made: every number that their weights depend on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace ropewalk::train {

// roformer fills in hidden words, decoder writes on, embedder finds texts by meaning.
enum class Model : std::uint8_t { roformer, decoder, embedder };

struct Recipe {
  Model model = Model::roformer;
  std::uint64_t seed = 1;
  std::size_t steps = 12000;
  std::size_t texts_per_step = 64;  // of the RoFormer; of the embedder, two for each pair
  std::size_t shards = 4;           // parts of a batch with gradients of their own, added in order
  double mask_probability = 0.2;    // of the RoFormer
  double temperature = 0.05;        // of the embedder
  double learning_rate = 2e-3;
  std::size_t warmup_steps = 300;
  double weight_decay = 0.01;
  std::size_t hidden_size = 128, layers = 4, heads = 4, intermediate_size = 512;
  std::size_t key_heads = 2;                      // of the decoder
  std::size_t rows_per_step = 8, sequence = 256;  // of the decoder: rows of so many tokens
  double initializer_range = 0.02;
  std::size_t held_out_texts = 4000;
  std::size_t generated_texts = 1000;  // of the decoder, at each temperature
  std::size_t candidates = 2000;       // of the embedder: texts to be told apart
  std::size_t threads = 0;             // 0: as many as the machine has; no influence on the weights
};

// Streams of the recipe's seed.
inline constexpr std::uint64_t training_stream = 1, held_out_stream = 2, drawn_stream = 3;

// The recipe of the model that the playground has.
Recipe shipped_recipe(Model model);

// The folder in which the playground looks for it.
const char* shipped_folder(Model model);

// Reads the options `--name value` into the recipe, and the folder if one is named. Returns the error, or "".
std::string read_arguments(int count, char** arguments, Recipe& recipe, std::string& folder);

}  // namespace ropewalk::train
