#include "model/model.hpp"

#include <string>

#include "model/traits.hpp"

namespace ropewalk::roformer {

Result<Model> Model::make(const RoFormerConfig& config, const Heads& heads) {
  Result<nn::Activation> activation = nn::activation_from_name(config.hidden_act);
  if (!activation.ok()) return activation.status();
  Result<std::unique_ptr<position_encoding::PositionEncoding>> positions =
      position_encoding::make(config.position_encoding, {.embedding = config.embedding_size,
                                                         .layers = config.num_hidden_layers,
                                                         .heads = config.num_attention_heads,
                                                         .head_dim = config.head_dim(),
                                                         .max_positions = config.max_position_embeddings,
                                                         .rotary_value = config.rotary_value,
                                                         .is_decoder = config.is_decoder,
                                                         .config = config.json});
  if (!positions.ok()) return positions.status();
  // The decoder alone takes hidden states, and its weight is as wide as the word vectors.
  if (heads.masked_lm && !traits_of(config).full_masked_lm_head &&
      config.embedding_size != config.hidden_size) {
    return Status::range("roformer: `embedding_size` is " + std::to_string(config.embedding_size) +
                         "; allowed with this `norm_type`: `hidden_size`, " +
                         std::to_string(config.hidden_size));
  }
  Model model;
  model.config_ = config;
  model.heads_ = heads;
  model.activation_ = activation.value();
  model.positions_ = std::move(positions).value();
  model.layout_ = Layout::make(config, heads, *model.positions_);
  const std::uint64_t size = model.layout_.table.size();
  if (size > SIZE_MAX) {
    return Status::out_of_memory("roformer: " + std::to_string(size) + " parameters do not fit into memory");
  }
  if (Status status = model.parameters_.allocate(static_cast<std::size_t>(size), "roformer: parameters");
      !status.ok()) {
    return status;
  }
  return Result<Model>(std::move(model));
}

Status Model::repack() {
  Status status = positions_->update(parameters_.data());
  const auto pack = [&](nn::PackedWeight& packed, const Linear& linear) {
    if (!status.ok()) return;
    const float* const weight = at(linear.weight);
    status = precision_ == Precision::int8 ? packed.pack_int8(weight, linear.outputs, linear.inputs)
                                           : packed.pack(weight, linear.outputs, linear.inputs);
  };
  packed_.layers.resize(layout_.layers.size());
  if (layout_.projects) pack(packed_.project, layout_.project);
  for (std::size_t l = 0; l < layout_.layers.size(); ++l) {
    const Layer& layer = layout_.layers[l];
    pack(packed_.layers[l].qkv, layer.qkv);
    pack(packed_.layers[l].attention_output, layer.attention_output);
    pack(packed_.layers[l].intermediate, layer.intermediate);
    pack(packed_.layers[l].output, layer.output);
  }
  if (heads_.masked_lm) {
    if (layout_.transforms) pack(packed_.transform, layout_.transform);
    pack(packed_.decoder, layout_.decoder);
  }
  if (heads_.classification) {
    pack(packed_.class_dense, layout_.class_dense);
    pack(packed_.class_output, layout_.class_output);
  }
  if (heads_.token_classification) pack(packed_.token_output, layout_.token_output);
  if (heads_.question_answering) pack(packed_.span_output, layout_.span_output);
  if (heads_.multiple_choice) pack(packed_.choice_output, layout_.choice_output);
  return status;
}

Result<SafetensorsLayout> Model::safetensors(SafetensorsType type) const {
  std::vector<SafetensorsSource> sources;
  for (const parameters::Parameter& parameter : layout_.table.all()) {
    sources.push_back(
        {parameter.name, parameter.shape, {at(parameter.offset), static_cast<std::size_t>(parameter.size)}});
  }
  return SafetensorsLayout::make(sources, type);
}

}  // namespace ropewalk::roformer
