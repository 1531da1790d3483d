// DeBERTa v2 and v3 (He et al., arXiv 2006.03654 and 2111.09543): BERT whose attention also has queries and keys of
// distances, from a table that all layers share; the largest v2 models have a convolution beside the first layer. Guards,
// models of natural language inference and rerankers read the first token through a dense layer.

#include <algorithm>
#include <cctype>
#include <cmath>

#include "base/text.hpp"
#include "model/blocks/convolution.hpp"
#include "model/families/bert_like.hpp"
#include "model/loading/tensors.hpp"

namespace ropewalk::model {
namespace {

constexpr Name base_names[] = {
    {"embedding.words", "embeddings.word_embeddings"},
    {"embedding.types", "embeddings.token_type_embeddings"},
    {"embedding.positions", "embeddings.position_embeddings"},
    {"embedding.norm", "embeddings.LayerNorm"},
    {"positions.distances", "encoder.rel_embeddings"},
    {"positions.norm", "encoder.LayerNorm"},
    {"convolution", "encoder.conv.conv"},
    {"convolution.norm", "encoder.conv.LayerNorm"},
    {"attention.query", "encoder.layer.{}.attention.self.query_proj"},
    {"attention.key", "encoder.layer.{}.attention.self.key_proj"},
    {"attention.value", "encoder.layer.{}.attention.self.value_proj"},
    {"attention.position_query", "encoder.layer.{}.attention.self.pos_query_proj"},
    {"attention.position_key", "encoder.layer.{}.attention.self.pos_key_proj"},
    {"attention.output", "encoder.layer.{}.attention.output.dense"},
    {"attention.norm", "encoder.layer.{}.attention.output.LayerNorm"},
    {"feed_forward.up", "encoder.layer.{}.intermediate.dense"},
    {"feed_forward.down", "encoder.layer.{}.output.dense"},
    {"feed_forward.norm", "encoder.layer.{}.output.LayerNorm"},
};

constexpr Name head_names[] = {
    {"masked_lm.dense", "cls.predictions.transform.dense"},
    {"masked_lm.norm", "cls.predictions.transform.LayerNorm"},
    {"masked_lm.decoder", "cls.predictions.decoder"},
    {"masked_lm.decoder.bias", "cls.predictions.bias"},
    {"sequence_classification.dense", "pooler.dense"},
    {"sequence_classification.output", "classifier"},
    {"token_classification.output", "classifier"},
    {"span.output", "qa_outputs"},
    {"choice.dense", "pooler.dense"},
    {"choice.output", "classifier"},
};

/// The head that the models were trained with, where `legacy` is false.
constexpr std::string_view trained_head = "lm_predictions.lm_head";
constexpr Name trained_head_names[] = {
    {"masked_lm.dense", "lm_predictions.lm_head.dense"},
    {"masked_lm.norm", "lm_predictions.lm_head.LayerNorm"},
    {"masked_lm.decoder", "lm_predictions.lm_head.decoder"},
    {"masked_lm.decoder.bias", "lm_predictions.lm_head.bias"},
    {"sequence_classification.dense", "pooler.dense"},
    {"sequence_classification.output", "classifier"},
    {"token_classification.output", "classifier"},
    {"span.output", "qa_outputs"},
    {"choice.dense", "pooler.dense"},
    {"choice.output", "classifier"},
};

/// Words of a text, between bars, in lower case and without blanks.
std::vector<std::string> between_bars(std::string_view text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (c == '|') {
      words.emplace_back();
    } else if (c != ' ') {
      words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  std::erase(words, "");
  return words;
}

/// A list of texts, or one with bars.
std::vector<std::string> read_words(Keys& keys, const json::Value& config, std::string_view name) {
  const json::Value* const value = config.find(name);
  if (value == nullptr || value->kind != json::Kind::array) {
    std::string text;
    keys.text(name, text);
    return between_bars(text);
  }
  std::vector<std::string> words;
  for (const json::Value& each : value->items) {
    if (each.kind != json::Kind::text) {
      keys.keep(keys.members().refuse(name, each, "an array of texts", false));
      break;
    }
    for (std::string& word : between_bars(each.text)) words.push_back(std::move(word));
  }
  keys.members().find(name);
  return words;
}

/// A number that may be -1, which as 0 means none.
std::size_t read_count(Keys& keys, std::string_view name) {
  std::int64_t count = -1;
  keys.keep(keys.members().whole(name, -1, 1 << 20, count));
  return static_cast<std::size_t>(std::max<std::int64_t>(0, count));
}

/// Terms of the scores: `c2p`, `p2c`, or both.
struct Terms {
  bool content_to_position = false, position_to_content = false;
};

Terms read_terms(Keys& keys, const json::Value& config) {
  Terms terms;
  for (const std::string& word : read_words(keys, config, "pos_att_type")) {
    terms.content_to_position = terms.content_to_position || word == "c2p";
    terms.position_to_content = terms.position_to_content || word == "p2c";
    if (word != "c2p" && word != "p2c")
      keys.keep(
          unsupported(keys.family(), "pos_att_type", json::quoted(std::string_view(word)), "c2p and p2c"));
  }
  return terms;
}

void read_positions(Keys& keys, const json::Value& config, Spec& spec) {
  bool relative = false, learned = true, shared = false;
  std::size_t rows = 512;
  keys.flag("relative_attention", relative);
  keys.flag("position_biased_input", learned);
  keys.flag("share_att_key", shared);
  keys.whole("max_position_embeddings", 1, 1 << 20, rows);
  const std::size_t buckets = read_count(keys, "position_buckets"),
                    most = read_count(keys, "max_relative_positions");
  const Terms terms = read_terms(keys, config);
  bool norm = false;
  for (const std::string& word : read_words(keys, config, "norm_rel_ebd")) {
    norm = norm || word == "layer_norm";
    if (word != "layer_norm" && word != "none")
      keys.keep(unsupported(keys.family(), "norm_rel_ebd", json::quoted(std::string_view(word)),
                            "layer_norm or none"));
  }
  // The factor counts terms that `relative_attention` may leave out.
  const int parts = 1 + int{terms.content_to_position} + int{terms.position_to_content};
  if (keys.status().ok())
    spec.attention.scale = 1 / std::sqrt(static_cast<double>(parts) * static_cast<double>(spec.head_dim()));
  const positions::Learned table{.rows = rows};
  if (!relative) {
    spec.positions = learned ? PositionSpec(table) : PositionSpec(positions::None{});
    return;
  }
  const std::size_t furthest = most == 0 ? rows : most;
  positions::Disentangled own{.rows = buckets == 0 ? furthest : buckets,
                              .buckets = buckets,
                              .furthest = furthest,
                              .content_to_position = terms.content_to_position,
                              .position_to_content = terms.position_to_content,
                              .shared = shared,
                              .norm = norm};
  if (learned) own.learned = table;
  spec.positions = own;
}

/// An activation that may be tanh, as those of the feed-forward networks may not.
void read_activation(Keys& keys, const json::Value& config, std::string_view name, Activation& out) {
  const json::Value* const given = config.find(name);
  const bool is_tanh =
      given == nullptr ? out == Activation::tanh : given->kind == json::Kind::text && given->text == "tanh";
  if (is_tanh) {
    out = Activation::tanh;
  } else {
    keys.activation(name, out);
  }
}

void read_convolution(Keys& keys, const json::Value& config, Spec& spec) {
  std::size_t width = 0;
  keys.whole("conv_kernel_size", 0, 1023, width);
  keys.whole("conv_groups", 1, 1 << 16, spec.convolution.groups);
  read_activation(keys, config, "conv_act", spec.convolution.activation);
  if (width == 0) return;
  spec.convolution.width = width;
  spec.layers.front().convolution = true;
}

Result<Spec> read(const json::Value& config) {
  Spec spec;
  spec.vocabulary = 128100;
  spec.hidden = 1536;
  spec.layers.assign(24, {});
  spec.attention.heads = 24;
  spec.feed_forward.width = 6144;
  spec.norm.eps = 1e-7;
  spec.embedding = {.token_types = 0, .zero_padding = true};
  Keys keys(config, "deberta-v2");
  read_bert_like(keys, spec, 0);
  // A file may say it is not legacy and hold what is; the tensors decide.
  keys.members().find("legacy");
  for (const auto same : {"embedding_size", "pooler_hidden_size"}) {
    std::size_t width = spec.hidden;
    keys.whole(same, 1, 1 << 16, width);
    if (width != spec.hidden)
      keys.keep(out_of_range("deberta-v2", same, width, "`hidden_size`, " + std::to_string(spec.hidden)));
  }
  if (!keys.status().ok()) return keys.status();
  std::size_t head_dim = spec.head_dim();
  keys.whole("attention_head_size", 1, 1 << 16, head_dim);
  if (head_dim != spec.head_dim()) {
    keys.keep(out_of_range("deberta-v2", "attention_head_size", head_dim,
                           "`hidden_size` / `num_attention_heads`, " + std::to_string(spec.head_dim())));
  }
  // Without a table of types, types that a tokenizer gives mean nothing.
  spec.embedding.any_type = spec.embedding.token_types == 0;
  read_positions(keys, config, spec);
  read_convolution(keys, config, spec);
  Activation pooler = Activation::gelu;
  read_activation(keys, config, "pooler_hidden_act", pooler);
  for (const auto quiet : {"pooler_dropout", "cls_dropout"}) keys.members().find(quiet);
  if (!keys.status().ok()) return keys.status();
  spec.possible_heads = {
      {.kind = "sequence_classification", .dense = true, .activation = pooler},
      {.kind = "choice", .dense = true, .activation = pooler},
  };
  return spec;
}

/// Files from before `legacy` hold the head of training, whatever the configuration makes Transformers expect.
Status told_by_tensors(Spec& spec, Tensors& tensors, std::vector<std::string>& notes) {
  if (tensors.find(std::string(trained_head) + ".dense.weight") == nullptr) return {};
  spec.family = "deberta-v3";
  notes.push_back("words are predicted by `" + std::string(trained_head) +
                  "`, which the file holds, as the model was trained");
  return {};
}

bool has_trained_head(const json::Value& config) {
  const json::Value* const legacy = config.find("legacy");
  return legacy != nullptr && legacy->kind == json::Kind::boolean && !legacy->boolean;
}

/// The head of training reads the table of words whatever `tie_word_embeddings` says.
void adapt_trained_head(const Spec&, HeadSpec& head) {
  if (head.kind == "masked_lm") head.tied = true;
}

}  // namespace

extern const Family deberta_v2 = {.name = "deberta-v2",
                                  .model_type = "deberta-v2",
                                  .read = read,
                                  .told_by_tensors = told_by_tensors,
                                  .names = {"deberta.", base_names, head_names},
                                  .convolution = make_convolution,
                                  .trainable = false};

extern const Family deberta_v3 = {.name = "deberta-v3",
                                  .model_type = "deberta-v2",
                                  .reads = has_trained_head,
                                  .read = read,
                                  .adapt_head = adapt_trained_head,
                                  .names = {"deberta.", base_names, trained_head_names},
                                  .convolution = make_convolution,
                                  .trainable = false};

}  // namespace ropewalk::model
