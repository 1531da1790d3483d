#pragma once

// Small models of every position encoding, for the tests of them.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "golden_training.hpp"
#include "model/families/family.hpp"
#include "model/model.hpp"
#include "model_pass.hpp"
#include "nn_support.hpp"
#include "test_data.hpp"

namespace position_encodings {

using namespace ropewalk;
using golden::Data;
using model::Model;
using model::Pass;
using model::Workspace;
using model_pass::encode;
using model_pass::learn;

/// The folders of tests/golden/training.
inline constexpr const char* golden_encodings[] = {"none",
                                                   "sinusoidal",
                                                   "learned",
                                                   "transformer-xl",
                                                   "t5",
                                                   "alibi",
                                                   "rope",
                                                   "rope-receptive-field",
                                                   "rope-linear-attention",
                                                   "pope",
                                                   "rope-plus-plus",
                                                   "clipped-rope",
                                                   "distance-bias"};

/// A model: its encoding, padding, dropout, rotary values, rules and layouts.
struct Variant {
  const char* encoding;
  const char* changes = "{}";  // keys of config.json
  bool padding = false, dropout = false;
  // The stabilising constants of Performer's features, which its gradient takes as given, leave a trace.
  double tolerance = 1e-3;
};

struct Small {
  explicit Small(const Variant& variant, std::size_t tokens = 7) : dropout{variant.dropout, 5} {
    nlohmann::json json = {{"vocab_size", 13},        {"hidden_size", 24},
                           {"num_hidden_layers", 2},  {"num_attention_heads", 3},
                           {"intermediate_size", 24}, {"max_position_embeddings", 16}};
    json["position_encoding"] = variant.encoding;
    json.update(nlohmann::json::parse(variant.changes));
    Spec spec = raise(spec_from_config(json.dump()));
    spec.heads = {model::head_of(spec, *model::find_head_kind("masked_lm"))};
    model.emplace(raise(Model::make(spec)));
    Random random(11);
    // Larger than models begin with, and away from the zeros of u, v and alpha; but norms about 1, and
    // receptive fields so wide that a step of rho is not a turn.
    model::parameters::initialise(model->table(), 1.0F, model->parameters(), [] { return 0.0; });
    for (const bool of_positions : {false, true}) {
      for (const model::parameters::Parameter& p : model->table().all()) {
        if (p.of_positions != of_positions) continue;
        const double deviation = p.initial == model::parameters::Initial::halves ? 0.08 : 0.3;
        for (std::size_t i = p.offset; i < p.offset + p.size; ++i) {
          model->parameters()[i] += static_cast<float>(deviation * random.normal());
        }
      }
    }
    raise(model->repack());
    Random words(12);  // its own, so that they do not depend on the number of parameters
    data = {2, tokens, {}, {}, {}, {}};
    for (std::size_t i = 0; i < 2 * tokens; ++i) {
      data.ids.push_back(static_cast<std::int32_t>(words.below(13)));
      data.labels.push_back(i % 3 == 1 ? static_cast<std::int32_t>(words.below(13)) : -100);
      if (variant.padding) data.mask.push_back(i >= tokens / 2 && i < tokens ? 0 : 1);
    }
  }
  double loss() {
    return learn(*model, "masked_lm", data.input(), data.labels, dropout, workspace, false).loss.loss;
  }
  std::vector<float> gradients() {
    return learn(*model, "masked_lm", data.input(), data.labels, dropout, workspace).gradients;
  }
  std::optional<Model> model;
  Data data;
  model::Dropout dropout;
  Workspace workspace;
};

inline constexpr Variant variants[] = {
    {"none", "{}", true, true},
    {"sinusoidal", R"({"embedding_size": 9})", true, true},
    {"learned", R"({"embedding_size": 10})", true, true},
    {"transformer-xl"},
    {"transformer-xl", R"({"attention_probs_dropout_prob": 0.2})", true, true},
    {"transformer-xl", R"({"is_decoder": true})"},
    {"t5", "{}", true, true},
    {"t5", R"({"is_decoder": true})"},
    {"alibi", "{}", true, true},
    {"alibi-asymmetric", "{}", true},
    {"rope", R"({"rotary_value": true, "rope_theta": 100})", true, true},
    {"rope",
     R"({"rope_scaling": {"rope_type": "yarn", "factor": 4, "original_max_position_embeddings": 16}})"},
    {"rope", R"({"rope_scaling": {"rope_type": "dynamic", "factor": 4}, "max_position_embeddings": 4})"},
    {"rope", R"({"partial_rotary_factor": 0.5, "rope_interleave": false})"},
    {"rope", R"({"rope_scaling": {"rope_type": "receptive-field", "alpha": [0, 0.3, 1], "rho": 0.5}})"},
    {"rope-receptive-field", "{}", true, true},
    {"rope-receptive-field", R"({"rotary_value": true})"},
    {"rope-receptive-field", R"({"rope_interleave": false, "partial_rotary_factor": 0.5})"},
    {"rope-receptive-field",
     R"({"rope_scaling": {"rope_type": "yarn", "factor": 4, "original_max_position_embeddings": 16}})"},
    {"rope-linear-attention"},
    {"rope-linear-attention", "{}", true, true},
    {"rope-linear-attention", R"({"rotary_value": true})", true},
    {"rope-linear-attention", R"({"is_decoder": true})", true},
    {"linear-attention", R"({"is_decoder": true, "learned_positions": true})"},
    {"rope-performer", R"({"is_decoder": true})", true, true},
    {"rope-performer", R"({"is_decoder": true, "performer_rotation": "projections"})", true},
    {"rope-performer", R"({"performer_rotation": "features"})", true},
    {"performer", R"({"is_decoder": true, "learned_positions": true})"},
    {"rope-performer", "{}", true, true, 1e-2},
    {"rope-performer", R"({"performer_features": 40, "performer_seed": 7, "rotary_value": true})", false,
     false, 1e-2},
    {"rope-linear-attention",
     R"({"rope_scaling": {"rope_type": "yarn", "factor": 4, "original_max_position_embeddings": 16}})"},
    {"pope", "{}", true, true},
    {"pope", R"({"is_decoder": true, "rope_theta": 50})", true},
    {"pope",
     R"({"rope_scaling": {"rope_type": "yarn", "factor": 4, "original_max_position_embeddings": 16}})"},
    {"rope-plus-plus", R"({"num_attention_heads": 4})", true, true},
    {"rope-plus-plus", R"({"num_attention_heads": 2, "is_decoder": true, "rope_interleave": false})", true},
    {"clipped-rope", R"({"rotary_clip": 3, "rotary_value": true})", true, true},
    {"clipped-rope", R"({"rotary_clip": 2, "is_decoder": true, "partial_rotary_factor": 0.5})"},
    {"distance-bias", R"({"relative_extent": 3, "relative_profiles": 2})", true, true},
    {"distance-bias", R"({"relative_extent": 3, "relative_profiles": 2, "is_decoder": true})"},
    {"distance-bias", R"({"relative_extent": 20})", true},
};

/// Hidden states of one sequence of the batch.
inline std::vector<float> hidden_of(Small& run, const EncoderInput& input, std::size_t sequence) {
  Pass pass{.compute = run.model->compute()};
  const std::size_t size = input.sequence * run.model->spec().hidden;
  const float* output = encode(*run.model, input, {}, {}, run.workspace, pass) + sequence * size;
  return {output, output + size};
}

/// The error of a configuration; empty: it is accepted.
inline std::string refusal(const std::string& changes, std::size_t tokens = 4) {
  nlohmann::json json = {{"vocab_size", 13},       {"hidden_size", 24},      {"num_attention_heads", 3},
                         {"num_hidden_layers", 1}, {"intermediate_size", 8}, {"max_position_embeddings", 16}};
  json.update(nlohmann::json::parse(changes));
  const Result<Spec> spec = spec_from_config(json.dump());
  if (!spec.ok()) return spec.status().message();
  Result<Model> model = Model::make(spec.value());
  if (!model.ok()) return model.status().message();
  raise(model.value().repack());
  return model.value().positions().prepare(nn_support::compute(), tokens).message();
}

}  // namespace position_encodings
