// NeoBERT (Le Breton et al., arXiv 2502.19587): pre-norm without biases, SwiGLU, and pairs of neighbours that rotate,
// as chandar-lab/NeoBERT has it.

#include <algorithm>

#include "base/text.hpp"
#include "model/families/family.hpp"
#include "model/families/keys.hpp"
#include "model/families/ropes.hpp"
#include "model/loading/tensors.hpp"

namespace ropewalk::model {
namespace {

constexpr std::string_view family = "neobert";

constexpr Name base_names[] = {
    {"embedding.words", "encoder"},
    {"attention.norm", "transformer_encoder.{}.attention_norm"},
    {"attention.qkv", "transformer_encoder.{}.qkv"},
    {"attention.output", "transformer_encoder.{}.wo"},
    {"feed_forward.norm", "transformer_encoder.{}.ffn_norm"},
    {"feed_forward.gate_up", "transformer_encoder.{}.ffn.w12"},
    {"feed_forward.down", "transformer_encoder.{}.ffn.w3"},
    {"final_norm", "layer_norm"},
};

constexpr Name head_names[] = {
    {"masked_lm.decoder", "decoder"},
    {"sequence_classification.dense", "dense"},
    {"sequence_classification.output", "classifier"},
};

Result<Spec> read(const json::Value& config) {
  Spec spec;
  spec.vocabulary = 30522;
  spec.norm = {.kind = NormKind::rms, .eps = 1e-6, .bias = false};
  spec.placement = NormPlacement::pre;
  spec.final_norm = true;
  spec.embedding = {.token_types = 0, .norm = false};
  spec.attention.packing = AttentionSpec::Packing::per_head;
  spec.attention.bias = spec.attention.output_bias = false;
  spec.feed_forward = {.activation = Activation::silu,
                       .gated = true,
                       .packing = FeedForwardSpec::Packing::gate_up,
                       .bias = false,
                       .output_bias = false};
  spec.tied = false;
  spec.hidden_dropout = spec.attention_dropout = 0;
  spec.feed_forward.width = 3072;
  spec.layers.assign(28, {});
  bool rotates = true, rms = true;
  std::string activation = "swiglu";

  Keys keys(config, family);
  keys.sizes(spec);
  keys.epsilon("norm_eps", spec.norm.eps);
  keys.padding_id(spec.padding_id);
  keys.check_heads(spec);
  keys.flag("rope", rotates);
  keys.flag("rms_norm", rms);
  keys.must_be_false("ngpt");
  keys.text("hidden_act", activation);
  if (!rotates) keys.keep(out_of_range(family, "rope", "false", "true"));
  if (!rms) keys.keep(out_of_range(family, "rms_norm", "false", "true"));
  if (activation != "swiglu" && activation != "SwiGLU") {
    keys.keep(out_of_range(family, "hidden_act", json::quoted(std::string_view(activation)), "\"swiglu\""));
  }
  if (!keys.status().ok()) return keys.status();
  // The original keeps two thirds of the width for a gated network, rounded up to a multiple of 8.
  spec.feed_forward.width = (std::max<std::size_t>(1, 2 * spec.feed_forward.width / 3) + 7) / 8 * 8;
  spec.possible_heads = {{.kind = "masked_lm"},
                         {.kind = "sequence_classification", .dense = true, .activation = Activation::tanh}};
  read_one_rope(keys, config, spec);
  if (!keys.status().ok()) return keys.status();
  return spec;
}

/// Files that were saved again may hold the width itself in `intermediate_size`.
Status told_by_tensors(Spec& spec, Tensors& tensors, std::vector<std::string>& notes) {
  const Tensors::Found* down = tensors.find("model.transformer_encoder.0.ffn.w3.weight");
  if (down == nullptr || down->tensor->shape.size() != 2) return {};
  const std::uint64_t width = down->tensor->shape[1];
  if (width == spec.feed_forward.width || width == 0 || width > 1 << 18) return {};
  spec.feed_forward.width = static_cast<std::size_t>(width);
  notes.push_back("the layers are " + std::to_string(width) +
                  " wide, as their tensors are, and not as `intermediate_size` makes them");
  return {};
}

}  // namespace

extern const Family neobert = {.name = family,
                               .model_type = family,
                               .read = read,
                               .told_by_tensors = told_by_tensors,
                               .names = {"model.", base_names, head_names}};

}  // namespace ropewalk::model
