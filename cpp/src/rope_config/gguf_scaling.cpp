// The frequencies that GGUF metadata describes, as llama.cpp and its converter define them.

#include <cmath>
#include <string>

#include "base/text.hpp"
#include "rope_config/gguf_reader.hpp"

namespace ropewalk::rope_config {

Frequencies GgufReader::read_frequencies(std::size_t rotary_dim) const {
  const double base = real("rope.freq_base", 0, true).value_or(10000);
  const auto sliding_base = real("rope.freq_base_swa", 0, true);
  // llama.cpp does not scale sliding layers that have their own base, nor those of some architectures.
  if (sliding_ && (sliding_base || architecture_->sliding != Sliding::by_keys)) {
    const bool gemma = architecture_->sliding == Sliding::plain_of_10000;
    return frequencies::Default{.base = sliding_base.value_or(gemma ? 10000 : base)};
  }

  const std::string type_key = key("rope.scaling.type");
  if (const auto alpha = real("rope.scaling.alpha", 1, false)) {
    // NTK-alpha is Hunyuan's alone: for other models llama.cpp reads the key and ignores it.
    if (!architecture_->name.starts_with("hunyuan")) {
      refuse("rope.scaling.alpha", "nothing with the architecture " + json::quoted(architecture_->name));
    }
    if (rotary_dim < 4) refuse("rope.scaling.alpha", "nothing with a rotary dimension of 2");
    return frequencies::Ntk{.base = base, .factor = *alpha};
  }
  const auto factor = read_factor();
  const auto given = keys_.text(type_key);
  std::string_view type = given ? *given : factor ? "linear" : "none";
  if (type != "none" && type != "linear" && type != "yarn" && type != "longrope") {
    keys_.refuse(type_key, "\"none\", \"linear\", \"yarn\" or \"longrope\"");
    return frequencies::Default{};
  }
  const bool has_long = keys_.has("rope_factors_short.weight") || keys_.has("rope_factors_long.weight");
  if (has_long && !given) type = "longrope";
  if (has_long && type != "longrope") {
    keys_.refuse(type_key, "\"longrope\" beside `rope_factors_short.weight` and `rope_factors_long.weight`");
  }
  refuse_unread(type);
  if (type == "longrope") return read_longrope(base, rotary_dim, factor);
  if (keys_.has("rope_freqs.weight")) return read_divisors(base, rotary_dim, type, factor.value_or(1));
  if (type == "yarn") return read_yarn(base, factor);
  if (type == "linear" && factor.value_or(1) != 1)
    return frequencies::Linear{.base = base, .factor = *factor};
  return frequencies::Default{.base = base};
}

std::optional<double> GgufReader::read_factor() const {
  const auto factor = real("rope.scaling.factor", 1, false);
  // The older key, from before there were several types.
  const auto before = real("rope.scale_linear", 1, false);
  if (factor && before && *factor != *before) {
    refuse("rope.scale_linear", "the same as `" + key("rope.scaling.factor") + "` = " + text_of(*factor));
  }
  return factor ? factor : before;
}

void GgufReader::refuse_unread(std::string_view type) const {
  const std::string words = "nothing with the scaling " + json::quoted(type);
  for (const std::string_view each : gguf_rope_keys) {
    const bool yarn_only = each.starts_with("rope.scaling.yarn_");
    const bool magnitude = each == "rope.scaling.attn_factor";
    if (!keys_.has(key(each))) continue;
    if (yarn_only && type != "yarn") refuse(each, words);
    if (magnitude && type != "yarn" && type != "longrope" && real(each, 0, true).value_or(1) != 1) {
      refuse(each,
             words + "; LongRoPE also needs `rope_factors_short.weight` and `rope_factors_long.weight`");
    }
    if ((each == "rope.scaling.factor" || each == "rope.scale_linear") && type == "none" &&
        real(each, 1, false).value_or(1) != 1) {
      refuse(each, words);
    }
  }
}

std::optional<double> GgufReader::original_positions() const {
  for (const std::string_view each : {"rope.scaling.original_context_length", "context_length"}) {
    if (const auto length = whole(each)) return static_cast<double>(*length);
  }
  return std::nullopt;
}

Frequencies GgufReader::read_yarn(double base, std::optional<double> factor) const {
  frequencies::Yarn rule{.base = base};
  if (!factor) keys_.missing(key("rope.scaling.factor"), "the scaling \"yarn\"");
  const auto original = original_positions();
  if (!original) keys_.missing(key("rope.scaling.original_context_length"), "the scaling \"yarn\"");
  rule.factor = factor.value_or(1);
  rule.original_max_positions = original.value_or(1);
  rule.beta_fast = real("rope.scaling.yarn_beta_fast", 0, true).value_or(rule.beta_fast);
  rule.beta_slow = real("rope.scaling.yarn_beta_slow", 0, true).value_or(rule.beta_slow);
  if (rule.beta_fast <= rule.beta_slow) {
    keys_.refuse(key("rope.scaling.yarn_beta_fast"), text_of(rule.beta_fast),
                 "a number above `" + key("rope.scaling.yarn_beta_slow") + "` = " + text_of(rule.beta_slow));
  }
  const auto mixed = real("rope.scaling.yarn_ext_factor", 0, false);
  if (mixed && *mixed != 1) refuse("rope.scaling.yarn_ext_factor", "1, the whole of YaRN's ramp");
  if (base <= 1) refuse("rope.freq_base", "a number above 1 with the scaling \"yarn\"");
  // ggml multiplies the given value by 0.1 ln(factor) + 1.
  const auto given = real("rope.scaling.attn_factor", 0, true),
             also = real("rope.scaling.yarn_attn_factor", 0, true);
  if (given || also) {
    rule.attention_factor = given.value_or(1) * also.value_or(1) * (1 + 0.1 * std::log(rule.factor));
  }
  // Stored as a tenth of mscale_all_dim; DeepSeek's mscale is the same number, others' is 1.
  if (const auto multiplier = real("rope.scaling.yarn_log_multiplier", 0, false)) {
    const bool deepseek = architecture_->name.starts_with("deepseek") || architecture_->name == "glm-dsa" ||
                          architecture_->name == "mistral4";
    rule.mscale_all_dim = *multiplier / 0.1;
    rule.mscale = deepseek ? *rule.mscale_all_dim : 1;
  }
  return rule;
}

void GgufReader::check_length(std::string_view tensor, std::size_t size, std::size_t pairs) const {
  if (!keys_.has(tensor) || size == pairs) return;
  keys_.refuse(tensor, "an array of " + text_of(size),
               "rope.dimension_count/2 = " + text_of(pairs) + " numbers");
}

Frequencies GgufReader::read_longrope(double base, std::size_t rotary_dim,
                                      std::optional<double> factor) const {
  frequencies::LongRope rule;
  rule.base = base;
  constexpr std::string_view reader = "the scaling \"longrope\" (a tensor of the GGUF file)";
  rule.short_factor = keys_.needed_reals("rope_factors_short.weight", reader);
  rule.long_factor = keys_.needed_reals("rope_factors_long.weight", reader);
  check_length("rope_factors_short.weight", rule.short_factor.size(), rotary_dim / 2);
  check_length("rope_factors_long.weight", rule.long_factor.size(), rotary_dim / 2);
  const auto original = original_positions();
  if (!original) keys_.missing(key("rope.scaling.original_context_length"), "the scaling \"longrope\"");
  rule.original_max_positions = original.value_or(1);
  if (!options_.sequence_length) {
    keep_first(status_,
               Status::type(std::string(function) +
                            ": `sequence_length` is missing; the scaling \"longrope\" needs it, since the "
                            "short factors are for up to " +
                            text_of(rule.original_max_positions) + " tokens and the long ones for more"));
  }
  rule.sequence_length = options_.sequence_length.value_or(1);
  // The converter has written sqrt(1 + ln(factor) / ln(original)) here; ggml does not compute it.
  rule.attention_factor = real("rope.scaling.attn_factor", 0, true).value_or(1);
  rule.factor = factor;
  return rule;
}

Frequencies GgufReader::read_divisors(double base, std::size_t rotary_dim, std::string_view type,
                                      double factor) const {
  frequencies::Custom rule{.frequencies = keys_.needed_reals("rope_freqs.weight", "the tensor"),
                           .magnitude = 1};
  check_length("rope_freqs.weight", rule.frequencies.size(), rotary_dim / 2);
  if (type == "yarn")
    keys_.refuse(key("rope.scaling.type"), "\"none\" or \"linear\" beside `rope_freqs.weight`");
  for (std::size_t j = 0; j < rule.frequencies.size(); ++j) {
    double& each = rule.frequencies[j];
    // A divisor of 1e30 means that the pair does not rotate.
    each = each >= 1e30 ? 0
                        : std::pow(base, -2.0 * static_cast<double>(j) / static_cast<double>(rotary_dim)) /
                              each / (type == "linear" ? factor : 1);
  }
  return rule;
}

}  // namespace ropewalk::rope_config
