#include "model/check_spec.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/text.hpp"
#include "formats/json/value.hpp"
#include "model/families/family.hpp"

namespace ropewalk::model {
namespace {

struct Size {
  std::string_view name;
  std::size_t value, low, high;
};

Status check_sizes(const Spec& spec) {
  // The bounds keep every product of sizes below 2^62.
  const Size sizes[] = {
      {"vocabulary", spec.vocabulary, 1, 1 << 24},
      {"hidden", spec.hidden, 1, 1 << 16},
      {"embedding.width", spec.embedding_width(), 1, 1 << 16},
      {"embedding.token_types", spec.embedding.token_types, 0, 1 << 16},
      {"attention.heads", spec.attention.heads, 1, 1 << 16},
      {"attention.head_dim", spec.attention.head_dim, 0, 1 << 16},
      {"feed_forward.width", spec.feed_forward.width, 1, 1 << 18},
      {"feed_forward.experts", spec.feed_forward.experts, 0, 1 << 10},
      {"layers", spec.layers.size(), 1, 1 << 10},
      {"labels", spec.labels, 1, 1 << 24},
      {"layer_inputs.width", spec.layer_inputs.width, 0, 1 << 12},
      {"layer_inputs.vocabulary", spec.layer_inputs.vocabulary, 0, 1 << 24},
      {"short_convolution.width", spec.short_convolution.width, 1, 1 << 10},
      // The state of a layer stays below 2^31 numbers.
      {"gated_delta_net.key_heads", spec.gated_delta_net.key_heads, 1, 1 << 10},
      {"gated_delta_net.value_heads", spec.gated_delta_net.value_heads, 1, 1 << 10},
      {"gated_delta_net.key_dim", spec.gated_delta_net.key_dim, 1, 1 << 10},
      {"gated_delta_net.value_dim", spec.gated_delta_net.value_dim, 1, 1 << 10},
      {"gated_delta_net.width", spec.gated_delta_net.width, 1, 1 << 6},
  };
  for (const Size& size : sizes) {
    if (size.value >= size.low && size.value <= size.high) continue;
    return out_of_range(
        spec.family, size.name, size.value,
        "a whole number from " + std::to_string(size.low) + " to " + std::to_string(size.high));
  }
  return {};
}

/// Refuses numbers that cannot be a factor or a cap.
Status check_numbers(const Spec& spec) {
  struct Number {
    std::string_view name;
    double value;
    bool allowed;
    std::string_view words;
  };
  const double scale = spec.attention.scale.value_or(1);
  const auto is_cap = [](double cap) { return std::isfinite(static_cast<float>(cap)) && cap >= 0; };
  constexpr std::string_view a_cap = "a finite number above 0, or 0 for no cap";
  const Number numbers[] = {
      {"embedding.scale", spec.embedding.scale, std::isfinite(static_cast<float>(spec.embedding.scale)),
       "a finite number"},
      {"layer_inputs.scale", spec.layer_inputs.scale,
       std::isfinite(static_cast<float>(spec.layer_inputs.scale)), "a finite number"},
      {"attention.scale", scale, std::isfinite(static_cast<float>(scale)), "a finite number"},
      {"branch_scale", spec.branch_scale, std::isfinite(static_cast<float>(spec.branch_scale)),
       "a finite number"},
      {"attention.soft_cap", spec.attention.soft_cap, is_cap(spec.attention.soft_cap), a_cap},
  };
  for (const Number& number : numbers) {
    if (!number.allowed) return out_of_range(spec.family, number.name, number.value, number.words);
  }
  for (const HeadSpec& head : spec.heads) {
    if (!std::isfinite(static_cast<float>(head.scale)))
      return out_of_range(spec.family, "heads[].scale", head.scale, "a finite number");
    if (!is_cap(head.soft_cap)) return out_of_range(spec.family, "heads[].soft_cap", head.soft_cap, a_cap);
  }
  const std::optional<NormSpec>& late = spec.attention.qk_norm;
  if (spec.attention.qk_norm_after_rotation &&
      (!late || late->kind != NormKind::rms || late->bias || spec.attention.qk_norm_of_all_heads)) {
    return out_of_range(
        spec.family, "attention.qk_norm_after_rotation", "true",
        "false unless `attention.qk_norm` is of the kind rms, without a bias, and of each head");
  }
  return {};
}

/// Refuses parts of the spec that do not go together.
Status check_together(const Spec& spec) {
  const auto refuse = [&](std::string_view field, std::size_t value, std::string_view allowed) {
    return out_of_range(spec.family, field, value, allowed);
  };
  const std::size_t heads = spec.attention.heads;
  if (spec.key_heads() > heads || heads % spec.key_heads() != 0) {
    return refuse("attention.key_heads", spec.key_heads(),
                  "a divisor of `attention.heads`, " + std::to_string(heads));
  }
  if (spec.attention.packing == AttentionSpec::Packing::per_head && spec.key_heads() != heads) {
    return refuse("attention.key_heads", spec.key_heads(),
                  "`attention.heads` where `attention.packing` is per_head, " + std::to_string(heads));
  }
  if (spec.transposed &&
      (spec.attention.packing == AttentionSpec::Packing::separate || spec.feed_forward.gated))
    return out_of_range(spec.family, "transposed", "true",
                        "false unless one matrix makes queries, keys and values, "
                        "and the feed-forward network has no gate");
  // The other encodings are defined for one key head for each query head, and for all keys.
  const bool any_attention = std::holds_alternative<positions::Rope>(spec.positions) ||
                             std::holds_alternative<positions::None>(spec.positions) ||
                             std::holds_alternative<positions::Sinusoidal>(spec.positions) ||
                             std::holds_alternative<positions::Learned>(spec.positions);
  if (!any_attention && spec.key_heads() != heads)
    return refuse("attention.key_heads", spec.key_heads(), "`attention.heads` with these `positions`");
  if (!any_attention && spec.attention.soft_cap != 0)
    return out_of_range(spec.family, "attention.soft_cap", spec.attention.soft_cap,
                        "0 with these `positions`");
  if (spec.attention.output_gate &&
      (!any_attention || spec.attention.packing != AttentionSpec::Packing::separate || spec.transposed))
    return out_of_range(spec.family, "attention.output_gate", "true",
                        "false unless `attention.packing` is separate, with these `positions`");
  const GatedDeltaNetSpec& delta = spec.gated_delta_net;
  if (delta.value_heads % delta.key_heads != 0)
    return refuse("gated_delta_net.key_heads", delta.key_heads,
                  "a divisor of `gated_delta_net.value_heads`, " + std::to_string(delta.value_heads));
  const ConvolutionSpec& convolution = spec.convolution;
  const bool convolves = std::ranges::any_of(spec.layers, &LayerSpec::convolution);
  if (convolves && (convolution.width % 2 == 0 || convolution.width > 1 << 10))
    return refuse("convolution.width", convolution.width, "an odd number from 1 to 1023");
  if (convolves && (convolution.groups == 0 || spec.hidden % convolution.groups != 0)) {
    return refuse("convolution.groups", convolution.groups,
                  "a divisor of `hidden`, " + std::to_string(spec.hidden));
  }
  const bool may_convolve =
      find_family(spec.family)->convolution != nullptr && spec.placement == NormPlacement::post;
  if (convolves && !may_convolve)
    return refuse("layers[].convolution", 1, "false unless DeBERTa v2 has it, with `placement` post");
  const bool rotates = std::holds_alternative<positions::Rope>(spec.positions);
  for (std::size_t l = 0; l < spec.layers.size(); ++l) {
    const LayerSpec& layer = spec.layers[l];
    const std::size_t keys = spec.key_heads(l);
    const bool differs =
        layer.head_dim != 0 || layer.key_heads != 0 || layer.values_are_keys || layer.keys_of.has_value();
    if (differs &&
        (!rotates || spec.attention.packing != AttentionSpec::Packing::separate ||
         spec.attention.qk_norm_of_all_heads || spec.attention.qk_norm_after_rotation || spec.transposed)) {
      return refuse(
          "layers[].head_dim", layer.head_dim,
          "0 unless heads rotate and queries, keys and values have matrices and norms of their own; "
          "`key_heads`, `values_are_keys` and `keys_of` alike");
    }
    if (layer.head_dim > 1 << 16) return refuse("layers[].head_dim", layer.head_dim, "up to 65536");
    if (layer.width > 1 << 18) return refuse("layers[].width", layer.width, "up to 262144");
    if (keys > heads || heads % keys != 0) {
      return refuse("layers[].key_heads", keys, "a divisor of `attention.heads`, " + std::to_string(heads));
    }
    if (!layer.keys_of) continue;
    const std::size_t other = *layer.keys_of;
    if (other >= l || spec.layers[other].keys_of || spec.layers[other].short_convolution ||
        layer.short_convolution || spec.layers[other].rope != layer.rope ||
        spec.head_dim(other) != spec.head_dim(l) || spec.key_heads(other) != keys) {
      return refuse("layers[].keys_of", other,
                    "a layer before this one, with keys of its own, the same heads and the same rope");
    }
  }
  if (spec.layer_inputs.width != 0 &&
      (spec.placement != NormPlacement::sandwich || spec.layer_inputs.vocabulary < spec.vocabulary ||
       std::ranges::any_of(spec.layers, &LayerSpec::convolution))) {
    return refuse("layer_inputs.width", spec.layer_inputs.width,
                  "0 unless `placement` is sandwich, `layer_inputs.vocabulary` at least `vocabulary` and no "
                  "layer has a convolution");
  }
  for (const LayerSpec& layer : spec.layers) {
    const FeedForwardSpec& own = spec.feed_forward;
    if (layer.experts && (own.active_experts < 1 || own.active_experts > own.experts)) {
      return refuse("feed_forward.active_experts", own.active_experts,
                    "1 to `feed_forward.experts`, " + std::to_string(own.experts));
    }
    if (layer.experts && own.gated) return refuse("feed_forward.gated", 1, "false where layers have experts");
    if (layer.short_convolution && !spec.attention.causal)
      return refuse("layers[].short_convolution", 1, "false unless the model is causal");
    if (layer.gated_delta_net && !spec.attention.causal)
      return refuse("layers[].gated_delta_net", 1, "false unless the model is causal");
    if (!layer.window) continue;
    if (!any_attention) return refuse("layers[].window", *layer.window, "nothing with these `positions`");
    if (spec.attention.causal && *layer.window == 0)
      return refuse("layers[].window", 0, "at least 1 in a causal model");
  }
  return {};
}

}  // namespace

Status check_runs_without_cache(const Spec& spec) {
  const bool needs_cache = std::ranges::any_of(
      spec.layers, [](const LayerSpec& layer) { return layer.values_are_keys || layer.keys_of; });
  if (!needs_cache && !spec.attention.value_norm && !spec.layer_factors && spec.layer_inputs.width == 0)
    return {};
  return unsupported("model", "family", json::quoted(std::string_view(spec.family)),
                     "a family that encoders and trainers run: this one decodes alone");
}

Status check_spec(const Spec& spec) {
  if (find_family(spec.family) == nullptr) {
    std::string names;
    for (const Family& family : all_families())
      names += (names.empty() ? "" : ", ") + std::string(family.name);
    return out_of_range("model", "family", json::quoted(std::string_view(spec.family)), names);
  }
  ROPEWALK_TRY(check_sizes(spec));
  ROPEWALK_TRY(check_numbers(spec));
  if (spec.attention.head_dim == 0 && spec.hidden % spec.attention.heads != 0) {
    return out_of_range(spec.family, "hidden", spec.hidden,
                        "a multiple of `attention.heads`, " + std::to_string(spec.attention.heads));
  }
  for (const HeadSpec& head : spec.heads) {
    if (find_head_kind(head.kind) != nullptr) continue;
    std::string names;
    for (const HeadKind& kind : head_kinds()) names += (names.empty() ? "" : ", ") + std::string(kind.name);
    return out_of_range(spec.family, "heads[].kind", json::quoted(std::string_view(head.kind)), names);
  }
  return check_together(spec);
}

}  // namespace ropewalk::model
