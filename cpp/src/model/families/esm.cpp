// ESM-2 (Lin et al., Science 379, 2023): a language model of proteins. Embeddings make up for the tokens that were
// masked in training, and a regression over all attention maps tells which residues touch.

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "model/families/family.hpp"
#include "model/families/keys.hpp"
#include "model/families/ropes.hpp"
#include "model/loading/tensors.hpp"

namespace ropewalk::model {
namespace {

constexpr std::string_view family = "esm";

constexpr Name base_names[] = {
    {"embedding.words", "embeddings.word_embeddings"},
    {"embedding.norm", "embeddings.layer_norm"},
    {"attention.norm", "encoder.layer.{}.attention.LayerNorm"},
    {"attention.query", "encoder.layer.{}.attention.self.query"},
    {"attention.key", "encoder.layer.{}.attention.self.key"},
    {"attention.value", "encoder.layer.{}.attention.self.value"},
    {"attention.output", "encoder.layer.{}.attention.output.dense"},
    {"feed_forward.norm", "encoder.layer.{}.LayerNorm"},
    {"feed_forward.up", "encoder.layer.{}.intermediate.dense"},
    {"feed_forward.down", "encoder.layer.{}.output.dense"},
    {"final_norm", "encoder.emb_layer_norm_after"},
    // Parts of the base model that are none of the blocks'.
    {"rotary", "rotary_embeddings"},
    {"pooler", "pooler.dense"},
    {"contacts", "contact_head"},
};

constexpr Name head_names[] = {
    {"masked_lm.dense", "lm_head.dense"},
    {"masked_lm.norm", "lm_head.layer_norm"},
    {"masked_lm.decoder", "lm_head.decoder"},
    {"masked_lm.decoder.bias", "lm_head.bias"},
    {"sequence_classification.dense", "classifier.dense"},
    {"sequence_classification.output", "classifier.out_proj"},
    {"token_classification.output", "classifier"},
    {"contact.output", "esm.contact_head.regression"},
};

/// The id of a token; `given` where the configuration does not say.
std::optional<std::int32_t> read_id(Keys& keys, std::string_view name, std::optional<std::int32_t> given) {
  if (keys.members().find(name) == nullptr) return given;
  std::int64_t id = 0;
  keys.keep(keys.members().whole(name, 0, INT32_MAX, id));
  return static_cast<std::int32_t>(id);
}

Result<Spec> read(const json::Value& config) {
  Spec spec;
  spec.vocabulary = 33;
  spec.placement = NormPlacement::pre;
  spec.final_norm = true;
  spec.embedding = {.token_types = 0, .norm = false, .zero_padding = true};
  spec.padding_id = 1;
  bool token_dropout = false;
  Keys keys(config, family);
  keys.sizes(spec);
  keys.epsilon("layer_norm_eps", spec.norm.eps);
  keys.share("hidden_dropout_prob", spec.hidden_dropout);
  keys.share("attention_probs_dropout_prob", spec.attention_dropout);
  keys.flag("tie_word_embeddings", spec.tied);
  keys.flag("emb_layer_norm_before", spec.embedding.norm);
  keys.flag("token_dropout", token_dropout);
  keys.must_be_false("is_folding_model");
  keys.must_be_false("is_decoder");
  keys.padding_id(spec.padding_id);
  keys.check_heads(spec);
  keys.must_be("position_embedding_type", "rotary", "absolute");
  spec.end_id = read_id(keys, "eos_token_id", 2);
  if (token_dropout) {
    spec.embedding.mask_id = read_id(keys, "mask_token_id", {});
    if (!spec.embedding.mask_id)
      keys.keep(out_of_range(family, "mask_token_id", "null", "an id, since `token_dropout` is true"));
  }
  if (!keys.status().ok()) return keys.status();
  spec.possible_heads = {{.kind = "masked_lm", .dense = true, .norm = true, .tied = spec.tied},
                         {.kind = "sequence_classification", .dense = true, .activation = Activation::tanh}};
  read_one_rope(keys, config, spec);
  if (!keys.status().ok()) return keys.status();
  return spec;
}

constexpr std::string_view frequencies_name = "rotary_embeddings.inv_freq";

/// The layer in whose name a number stands behind "layer."; nothing: the tensor is for all layers.
std::optional<std::size_t> layer_of(std::string_view name) {
  constexpr std::string_view before = "encoder.layer.";
  const std::size_t at = name.find(before);
  if (at == name.npos) return {};
  std::size_t layer = 0;
  for (const char c : name.substr(at + before.size())) {
    if (c < '0' || c > '9' || layer > 1 << 10) break;
    layer = 10 * layer + static_cast<std::size_t>(c - '0');
  }
  return layer;
}

/// Adds a rope of these frequencies, unless there is one, and returns which it is.
std::size_t rope_with(std::vector<RopeOptions>& ropes, const RopeOptions& like, std::vector<double> theta) {
  for (std::size_t i = 0; i < ropes.size(); ++i) {
    const auto* own = std::get_if<frequencies::Custom>(&ropes[i].frequencies);
    if (own != nullptr && own->frequencies == theta) return i;
  }
  ropes.push_back(like);
  ropes.back().frequencies = frequencies::Custom{.frequencies = std::move(theta)};
  return ropes.size() - 1;
}

/// The published models were trained in float16, and so were their frequencies: what is stored counts.
Status read_frequencies(Spec& spec, Tensors& tensors, std::vector<std::string>& notes) {
  positions::Rope& rope = std::get<positions::Rope>(spec.positions);
  const RopeOptions computed = rope.ropes.front();
  const std::size_t pairs = spec.head_dim() / 2;
  double largest = 0;
  bool here = false;
  for (Tensors::Found& found : tensors.all()) {
    if (!found.name.ends_with(frequencies_name)) continue;
    if (found.tensor->elements != pairs) {
      return out_of_range(family, "tensor " + json::quoted(std::string_view(found.tensor->name)),
                          std::to_string(found.tensor->elements) + " frequencies",
                          std::to_string(pairs) + ", one for each pair of a head");
    }
    found.used = true;
    rope.stored = true;
    if (found.tensor->data.empty()) {
      found.awaited = true;
      continue;
    }
    std::vector<float> values(pairs);
    ROPEWALK_TRY(try_read_float32(*found.tensor, values));
    for (std::size_t j = 0; j < pairs; ++j) {
      const double usual = std::pow(10000.0, -static_cast<double>(j) / static_cast<double>(pairs));
      largest = std::max(largest, std::fabs(double{values[j]} / usual - 1));
    }
    const std::size_t index = rope_with(rope.ropes, computed, {values.begin(), values.end()});
    const std::optional<std::size_t> layer = layer_of(found.name);
    for (std::size_t l = 0; l < spec.layers.size(); ++l) {
      if (!layer || *layer == l) spec.layers[l].rope = index;
    }
    here = true;
  }
  if (here) {
    notes.push_back(
        "rotation takes the frequencies that the checkpoint holds, which differ from 10000^(-2j/" +
        std::to_string(2 * pairs) + ") by up to " + text_of(std::ceil(largest * 1e6) / 1e6) +
        " of their size");
  }
  return {};
}

Status told_by_tensors(Spec& spec, Tensors& tensors, std::vector<std::string>& notes) {
  if (tensors.find("esm.contact_head.regression.weight") != nullptr)
    spec.heads.push_back({.kind = "contact"});
  return read_frequencies(spec, tensors, notes);
}

}  // namespace

extern const Family esm = {.name = family,
                           .model_type = family,
                           .read = read,
                           .told_by_tensors = told_by_tensors,
                           .names = {"esm.", base_names, head_names},
                           .trainable = false};

}  // namespace ropewalk::model
