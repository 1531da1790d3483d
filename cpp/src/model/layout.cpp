#include "model/layout.hpp"

#include <string>

#include "model/traits.hpp"

namespace ropewalk::roformer {
namespace {

using parameters::Initial;

class Builder {
 public:
  Builder(parameters::Table& table, const Traits& traits) : table_(table), traits_(traits) {}

  std::uint64_t matrix(const std::string& name, std::size_t rows, std::size_t columns) {
    return table_.add(name, {rows, columns}, Initial::normal, true);
  }
  std::uint64_t bias(const std::string& name, std::size_t size) {
    return table_.add(name, {size}, Initial::zeros, false);
  }
  Linear linear(const std::string& name, std::size_t outputs, std::size_t inputs, bool biased = true) {
    const std::uint64_t weight = matrix(name + ".weight", outputs, inputs);
    return {weight, biased ? bias(name + ".bias", outputs) : absent, outputs, inputs};
  }
  /// A projection of a layer.
  Linear projection(const std::string& name, std::size_t outputs, std::size_t inputs) {
    return linear(name, outputs, inputs, traits_.projection_biases);
  }
  Norm norm(const std::string& name, std::size_t size) {
    if (!traits_.norm_parameters) return {};
    const std::uint64_t weight = table_.add(name + ".weight", {size}, Initial::ones, false);
    return {weight, bias(name + ".bias", size)};
  }

 private:
  parameters::Table& table_;
  const Traits& traits_;
};

Layer make_layer(Builder& build, const RoFormerConfig& config, const Traits& traits,
                 const std::string& prefix) {
  const std::size_t hidden = config.hidden_size;
  const std::string self = prefix + "attention.self.";
  Layer layer;
  layer.qkv.outputs = 3 * hidden;
  layer.qkv.inputs = hidden;
  layer.qkv.weight = build.matrix(self + "query.weight", hidden, hidden);
  build.matrix(self + "key.weight", hidden, hidden);
  build.matrix(self + "value.weight", hidden, hidden);
  if (traits.projection_biases) {
    layer.qkv.bias = build.bias(self + "query.bias", hidden);
    build.bias(self + "key.bias", hidden);
    build.bias(self + "value.bias", hidden);
  }
  layer.attention_output = build.projection(prefix + "attention.output.dense", hidden, hidden);
  layer.attention_norm = build.norm(prefix + "attention.output.LayerNorm", hidden);
  layer.intermediate = build.projection(prefix + "intermediate.dense", config.intermediate_size, hidden);
  layer.output = build.projection(prefix + "output.dense", hidden, config.intermediate_size);
  layer.output_norm = build.norm(prefix + "output.LayerNorm", hidden);
  return layer;
}

}  // namespace

Layout Layout::make(const RoFormerConfig& config, const Heads& heads,
                    position_encoding::PositionEncoding& positions) {
  const std::size_t embedding = config.embedding_size;
  const std::size_t hidden = config.hidden_size;
  const Traits traits = traits_of(config);
  Layout layout;
  Builder build(layout.table, traits);
  layout.words = build.matrix("roformer.embeddings.word_embeddings.weight", config.vocab_size, embedding);
  layout.types =
      build.matrix("roformer.embeddings.token_type_embeddings.weight", config.type_vocab_size, embedding);
  layout.embedding_norm = build.norm("roformer.embeddings.LayerNorm", embedding);
  layout.projects = embedding != hidden;
  if (layout.projects) layout.project = build.linear("roformer.embeddings_project", hidden, embedding);
  positions.add_parameters(layout.table);
  for (std::size_t l = 0; l < config.num_hidden_layers; ++l) {
    const std::string prefix = "roformer.encoder.layer." + std::to_string(l) + ".";
    layout.layers.push_back(make_layer(build, config, traits, prefix));
    positions.add_layer_parameters(layout.table, l, prefix + "attention.self.");
  }
  if (heads.masked_lm) {
    layout.transforms = traits.full_masked_lm_head;
    if (layout.transforms) {
      layout.transform = build.linear("cls.predictions.transform.dense", embedding, hidden);
      layout.transform_norm = build.norm("cls.predictions.transform.LayerNorm", embedding);
    }
    layout.decoder.outputs = config.vocab_size;
    layout.decoder.inputs = embedding;
    layout.decoder.weight = config.tie_word_embeddings ? layout.words
                                                       : build.matrix("cls.predictions.decoder.weight",
                                                                      config.vocab_size, embedding);
    if (traits.full_masked_lm_head)
      layout.decoder.bias = build.bias("cls.predictions.bias", config.vocab_size);
  }
  if (heads.classification) {
    layout.class_dense = build.linear("classifier.dense", hidden, hidden);
    layout.class_output = build.linear("classifier.out_proj", config.num_labels, hidden);
  }
  if (heads.token_classification) layout.token_output = build.linear("classifier", config.num_labels, hidden);
  if (heads.question_answering) layout.span_output = build.linear("qa_outputs", 2, hidden);
  if (heads.multiple_choice) layout.choice_output = build.linear("classifier", 1, hidden);
  return layout;
}

}  // namespace ropewalk::roformer
