// RoFormer-v2, which Hugging Face's classes do not load: norms are root mean squares without parameters,
// layers have no biases, and the masked-language-model head is the decoder alone. `norm_type` and `use_bias`
// say so; where a configuration does not, the tensors do.

#include <algorithm>

#include "model/families/bert_like.hpp"
#include "model/families/roformer_keys.hpp"
#include "model/loading/tensors.hpp"

namespace ropewalk::model {
namespace {

bool reads(const json::Value& config) { return roformer_norm_type(config) != "layer_norm"; }

void use_bare_norms(Spec& spec) {
  spec.norm.kind = NormKind::rms;
  spec.norm.gain = spec.norm.bias = false;
}

Result<Spec> read(const json::Value& config) {
  Spec spec;
  Keys keys(config, "roformer");
  read_roformer(keys, config, spec);
  if (!keys.status().ok()) return keys.status();
  use_bare_norms(spec);
  return spec;
}

void adapt_head(const Spec&, HeadSpec& head) {
  if (head.kind == "masked_lm") head.dense = head.norm = head.bias = false;
}

std::string note(const Spec& spec) {
  return std::string(
             "this is a RoFormer-v2: norms are root mean squares without parameters, the "
             "masked-language-model head is "
             "the decoder alone, and layers have ") +
         (spec.attention.bias ? "" : "no ") + "biases";
}

}  // namespace

Status roformer_v2_by_tensors(Spec& spec, Tensors& tensors, std::vector<std::string>&) {
  const bool version_1 = std::ranges::any_of(tensors.all(), [](const Tensors::Found& found) {
    const std::string& name = found.name;
    return name.find(".LayerNorm.") != name.npos ||
           (name.ends_with(".bias") && name.find("encoder.layer.") != name.npos);
  });
  if (version_1) return {};
  spec.family = "roformer-v2";
  use_bare_norms(spec);
  spec.attention.bias = spec.attention.output_bias = false;
  spec.feed_forward.bias = spec.feed_forward.output_bias = false;
  for (HeadSpec& head : spec.heads) adapt_head(spec, head);
  return {};
}

extern const Family roformer_v2 = {.name = "roformer-v2",
                                   .model_type = "roformer",
                                   .reads = reads,
                                   .read = read,
                                   .adapt_head = adapt_head,
                                   .told_by_tensors = roformer_v2_by_tensors,
                                   .note = note,
                                   .names = {"roformer.", bert_base_names, roformer_head_names}};

}  // namespace ropewalk::model
