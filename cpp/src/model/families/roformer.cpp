// RoFormer (Su et al., arXiv 2104.09864) as Hugging Face has it: BERT with rotation, and the position
// encodings that it is compared with.

#include "base/text.hpp"
#include "formats/json/value.hpp"
#include "model/families/bert_like.hpp"
#include "model/families/roformer_keys.hpp"
#include "model/loading/tensors.hpp"

namespace ropewalk::model {

extern const Family roformer;

namespace {

bool reads(const json::Value& config) { return roformer_norm_type(config) == "layer_norm"; }

Result<Spec> read(const json::Value& config) {
  Spec spec;
  Keys keys(config, "roformer");
  read_roformer(keys, config, spec);
  if (!keys.status().ok()) return keys.status();
  return spec;
}

/// A Performer's directions, if the checkpoint holds them.
Status read_directions(Spec& spec, Tensors& tensors, const Names& names) {
  auto* const performer = std::get_if<positions::Performer>(&spec.positions);
  if (performer == nullptr) return {};
  const std::size_t width = spec.head_dim();
  std::vector<std::vector<float>> directions;
  for (std::size_t l = 0; l < spec.layers.size(); ++l) {
    Tensors::Found* const found = tensors.find(names.of("attention.directions", l));
    if (found == nullptr && l == 0) return {};
    if (found == nullptr) {
      return out_of_range(spec.family, names.of("attention.directions", l), "missing",
                          "directions of every layer or of none");
    }
    const std::uint64_t rows = found->tensor->shape.empty() ? 0 : found->tensor->shape[0];
    const std::size_t features = performer->features.value_or(static_cast<std::size_t>(rows));
    if (found->tensor->shape.size() != 2 || found->tensor->shape[1] != width || rows != features) {
      return out_of_range(spec.family, "tensor " + json::quoted(std::string_view(found->tensor->name)),
                          std::to_string(found->tensor->elements) + " numbers",
                          "(`performer_features`, " + std::to_string(width) + ")");
    }
    performer->features = features;
    found->used = true;
    found->awaited = found->tensor->data.empty();
    directions.emplace_back(features * width);
    if (found->awaited) continue;
    ROPEWALK_TRY(try_read_float32(*found->tensor, directions.back()));
  }
  performer->directions = std::move(directions);
  return {};
}

Status told_by_tensors(Spec& spec, Tensors& tensors, std::vector<std::string>& notes) {
  ROPEWALK_TRY(roformer_v2_by_tensors(spec, tensors, notes));
  return read_directions(spec, tensors, roformer.names);
}

}  // namespace

extern const Family roformer = {.name = "roformer",
                                .model_type = "roformer",
                                .reads = reads,
                                .read = read,
                                .told_by_tensors = told_by_tensors,
                                .names = {"roformer.", bert_base_names, roformer_head_names}};

}  // namespace ropewalk::model
