// MPNet (Song et al., arXiv 2004.09297), which all-mpnet-base-v2 is: learned positions as RoBERTa counts them, and T5's bias
// of 32 ranges of distance, one table for all layers.

#include "base/text.hpp"
#include "model/families/bert_like.hpp"

namespace ropewalk::model {
namespace {

constexpr Name base_names[] = {
    {"embedding.words", "embeddings.word_embeddings"},
    {"embedding.positions", "embeddings.position_embeddings"},
    {"embedding.norm", "embeddings.LayerNorm"},
    {"positions.relative_attention_bias", "encoder.relative_attention_bias"},
    {"attention.query", "encoder.layer.{}.attention.attn.q"},
    {"attention.key", "encoder.layer.{}.attention.attn.k"},
    {"attention.value", "encoder.layer.{}.attention.attn.v"},
    {"attention.output", "encoder.layer.{}.attention.attn.o"},
    {"attention.norm", "encoder.layer.{}.attention.LayerNorm"},
    {"feed_forward.up", "encoder.layer.{}.intermediate.dense"},
    {"feed_forward.down", "encoder.layer.{}.output.dense"},
    {"feed_forward.norm", "encoder.layer.{}.output.LayerNorm"},
    {"choice.dense", "pooler.dense"},
};

Result<Spec> read(const json::Value& config) {
  Spec spec;
  spec.vocabulary = 30527;
  spec.padding_id = 1;
  Keys keys(config, "mpnet");
  read_bert_like(keys, spec);
  spec.embedding.token_types = 0;
  std::size_t ranges = 32;
  keys.whole("relative_attention_num_buckets", 1, 1 << 16, ranges);
  if (ranges != 32) keys.keep(out_of_range("mpnet", "relative_attention_num_buckets", ranges, "32"));
  spec.positions = positions::T5{.learned = read_positions_behind_padding(keys, spec)};
  if (!keys.status().ok()) return keys.status();
  return spec;
}

}  // namespace

extern const Family mpnet = {.name = "mpnet",
                             .model_type = "mpnet",
                             .read = read,
                             .adapt_head = adapt_roberta_head,
                             .names = {"mpnet.", base_names, roberta_head_names}};

}  // namespace ropewalk::model
