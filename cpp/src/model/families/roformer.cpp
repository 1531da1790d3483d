// RoFormer (Su et al., arXiv 2104.09864) as Hugging Face has it: BERT with rotation, and the position
// encodings that it is compared with.

#include "model/families/bert_like.hpp"
#include "model/families/roformer_keys.hpp"

namespace ropewalk::model {
namespace {

bool reads(const json::Value& config) { return roformer_norm_type(config) == "layer_norm"; }

Result<Spec> read(const json::Value& config) {
  Spec spec;
  Keys keys(config, "roformer");
  read_roformer(keys, config, spec);
  if (!keys.status().ok()) return keys.status();
  return spec;
}

}  // namespace

extern const Family roformer = {.name = "roformer",
                                .model_type = "roformer",
                                .reads = reads,
                                .read = read,
                                .told_by_tensors = roformer_v2_by_tensors,
                                .names = {"roformer.", bert_base_names, roformer_head_names}};

}  // namespace ropewalk::model
