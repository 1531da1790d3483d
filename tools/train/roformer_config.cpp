#include "roformer_config.hpp"

#include "print.hpp"
#include "tasks/english/token_ids.hpp"

namespace ropewalk::train {

std::string roformer_config(const Recipe& recipe, const RoformerConfig& config) {
  return print(R"({
  "architectures": ["%s"],
  "model_type": "roformer",
  "attention_probs_dropout_prob": 0.0,
  "embedding_size": %zu,
  "hidden_act": "gelu",
  "hidden_dropout_prob": 0.0,
  "hidden_size": %zu,
  "initializer_range": %g,
  "intermediate_size": %zu,
  "layer_norm_eps": 1e-12,
  "max_position_embeddings": %zu,
  "num_attention_heads": %zu,
  "num_hidden_layers": %zu,
  "pad_token_id": %d,
  "position_encoding": "%s",
  "rotary_value": false,
%s  "type_vocab_size": 2,
  "vocab_size": %zu
}
)",
               config.architecture, recipe.hidden_size, recipe.hidden_size, recipe.initializer_range,
               recipe.intermediate_size, config.max_position_embeddings, recipe.heads, recipe.layers,
               trainer::english::pad_id, config.position_encoding,
               config.tied ? "  \"tie_word_embeddings\": true,\n" : "", config.vocabulary);
}

}  // namespace ropewalk::train
