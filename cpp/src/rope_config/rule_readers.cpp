#include "rope_config/rule_readers.hpp"

#include <span>
#include <string>
#include <vector>

#include "base/text.hpp"

namespace ropewalk::rope_config {
namespace {

/// The dictionary takes precedence over the key outside it. They must not differ, because implementations
/// disagree about which of them counts.
std::optional<double> original_positions(const Keys& rule, const RuleContext& context) {
  constexpr std::string_view key = "original_max_position_embeddings";
  const auto inside = rule.whole(key);
  auto beside = context.config.whole(key);
  if (context.layered && beside && !inside) {
    context.config.refuse(key, "nothing: the class reads it in the rule of each type of layers");
    return std::nullopt;
  }
  // That of the class counts before that of the dictionary.
  if (const auto own = context.facts.number("original"); own && !beside)
    beside = static_cast<std::size_t>(*own);
  if (inside && beside && *inside != *beside) {
    rule.refuse(key, "the same as `" + context.config.path() + std::string(key) + "` = " + text_of(*beside));
  }
  const auto found = inside ? inside : beside;
  return found ? std::optional<double>(static_cast<double>(*found)) : std::nullopt;
}

std::optional<double> max_positions(const RuleContext& context) {
  for (const std::string_view key : {"max_position_embeddings", "n_positions"}) {
    if (const auto found = context.config.whole(key)) return static_cast<double>(*found);
  }
  return context.facts.number("positions");
}

double needed_max_positions(const RuleContext& context, std::string_view reader) {
  const auto found = max_positions(context);
  if (!found) context.config.missing("max_position_embeddings", reader);
  return found.value_or(1);
}

double needed_sequence_length(const RuleContext& context, std::string_view reader, std::string_view why) {
  if (context.options.sequence_length) return *context.options.sequence_length;
  std::string message(function);
  message.append(": `sequence_length` is missing; ").append(reader).append(" needs it, since ").append(why);
  keep_first(context.config.status(), Status::type(std::move(message)));
  return 1;
}

/// `factor`; by default the ratio of `max_position_embeddings` to the original length.
double extension_factor(const Keys& rule, const RuleContext& context, std::optional<double> original,
                        std::string_view reader) {
  if (const auto factor = rule.real("factor", 1)) return *factor;
  const auto longest = max_positions(context);
  if (!rule.has("factor") && (!original || !longest)) rule.missing("factor", reader);
  if (!original || !longest) return 1;
  if (*longest < *original) {
    context.config.refuse(
        "max_position_embeddings", text_of(*longest),
        "at least original_max_position_embeddings = " + text_of(*original) + ", or a `factor`");
  }
  return *longest / *original;
}

double needed_original_positions(const Keys& rule, const RuleContext& context, std::string_view reader) {
  const auto found = original_positions(rule, context);
  if (!found) rule.missing("original_max_position_embeddings", reader);
  return found.value_or(1);
}

void check_exponent(const RuleContext& context, std::string_view reader) {
  if (context.rotary_dim > 2) return;
  keep_first(context.config.status(),
             out_of_range(function, "rotary dimension", context.rotary_dim,
                          "at least 4 with " + std::string(reader) + ", whose exponent is d/(d-2)"));
}

}  // namespace

/// Nomic's form of dynamic NTK: beyond `max_trained_positions` the base grows with the length.
Frequencies read_nomic(const RuleContext& context) {
  constexpr std::string_view reader = "`rotary_scaling_factor`";
  check_exponent(context, reader);
  frequencies::Dynamic read{.base = context.base};
  read.factor = context.config.needed("rotary_scaling_factor", 1, false, reader);
  read.max_positions = context.config.needed("max_trained_positions", 1, false, reader);
  read.sequence_length = needed_sequence_length(
      context, reader,
      "it scales texts of more than " + text_of(read.max_positions) + " tokens by their length");
  return read;
}

Frequencies read_default(const Keys&, const RuleContext& context) {
  if (context.config.has("rotary_scaling_factor")) return read_nomic(context);
  return frequencies::Default{.base = context.base};
}

Frequencies read_linear(const Keys& rule, const RuleContext& context) {
  return frequencies::Linear{.base = context.base,
                             .factor = rule.needed("factor", 1, false, "the rule \"linear\"")};
}

/// GTE's model code uses the name "ntk" for a different rule than other code.
Frequencies read_ntk(const Keys& rule, const RuleContext& context) {
  const double factor = rule.needed("factor", 1, false, "the rule \"ntk\"");
  if (const auto model = context.config.text("model_type"); model == "new" || model == "gte") {
    const auto exponent = rule.real("mixed_b", 0, true);
    if (!exponent) return frequencies::NtkSu{.base = context.base, .factor = factor};
    return frequencies::NtkMixed{.base = context.base, .factor = factor, .mixed_b = *exponent};
  }
  if (rule.has("mixed_b")) rule.refuse("mixed_b", "null: only GTE models (`model_type` \"new\") have it");
  check_exponent(context, "the rule \"ntk\"");
  return frequencies::Ntk{.base = context.base, .factor = factor};
}

Frequencies read_dynamic(const Keys& rule, const RuleContext& context) {
  constexpr std::string_view reader = "the rule \"dynamic\"";
  check_exponent(context, reader);
  if (context.facts.has("alpha") && rule.has("alpha")) {
    // NTK-alpha: the base grows by alpha, at every length.
    return frequencies::Ntk{.base = context.base, .factor = rule.real("alpha", 1).value_or(1)};
  }
  for (const std::string_view key : {"alpha", "beta_fast", "beta_slow", "mscale", "mscale_all_dim"}) {
    if (rule.has(key)) rule.refuse(key, "null with the rule \"dynamic\", except for Hunyuan's `alpha`");
  }
  frequencies::Dynamic read{.base = context.base};
  read.factor = rule.needed("factor", 1, false, reader);
  read.max_positions = needed_max_positions(context, reader);
  read.sequence_length = needed_sequence_length(
      context, reader,
      "it scales sequences of more than " + text_of(read.max_positions) + " tokens by their length");
  return read;
}

Frequencies read_yarn(const Keys& rule, const RuleContext& context) {
  constexpr std::string_view reader = "the rule \"yarn\"";
  frequencies::Yarn read{.base = context.base};
  const auto original = original_positions(rule, context);
  read.factor = extension_factor(rule, context, original, reader);
  read.original_max_positions = original ? *original : needed_max_positions(context, reader);
  read.beta_fast = rule.real("beta_fast", 0, true).value_or(read.beta_fast);
  read.beta_slow = rule.real("beta_slow", 0, true).value_or(read.beta_slow);
  if (read.beta_fast <= read.beta_slow) {
    rule.refuse(rule.has("beta_fast") ? "beta_fast" : "beta_slow",
                rule.has("beta_fast") ? "a number above beta_slow = " + text_of(read.beta_slow)
                                      : "a number below beta_fast = " + text_of(read.beta_fast));
  }
  read.attention_factor = rule.real("attention_factor", 0, true);
  // Transformers forces 1 for DeepSeek V4, whose reference code has no such factor.
  if (!read.attention_factor && context.facts.text("type") == "deepseek_v4") read.attention_factor = 1;
  read.mscale = rule.real("mscale", 0);
  read.mscale_all_dim = rule.real("mscale_all_dim", 0);
  read.truncate = rule.boolean("truncate").value_or(true);
  if (context.layered && !read.truncate)
    rule.refuse("truncate", "true: the class does not read it in the rule of a type of layers");
  (void)rule.boolean("finetuned");
  if (context.base <= 1) {
    keep_first(context.config.status(), out_of_range(function, "rope_theta", context.base,
                                                     "a number above 1 with " + std::string(reader)));
  }
  return read;
}

namespace {

void check_length(const Keys& rule, std::string_view key, const std::vector<double>& factors,
                  const RuleContext& context) {
  const std::size_t pairs = context.rotary_dim / 2;
  if (!rule.has(key) || factors.size() == pairs) return;
  rule.refuse(key, "an array of " + text_of(factors.size()), "rotary_dim/2 = " + text_of(pairs) + " numbers");
}

}  // namespace

Frequencies read_longrope(const Keys& rule, const RuleContext& context) {
  constexpr std::string_view reader = "the rule \"longrope\"";
  frequencies::LongRope read;
  read.base = context.base;
  read.short_factor = rule.needed_reals("short_factor", reader);
  read.long_factor = rule.needed_reals("long_factor", reader);
  check_length(rule, "short_factor", read.short_factor, context);
  check_length(rule, "long_factor", read.long_factor, context);
  read.original_max_positions = needed_original_positions(rule, context, reader);
  read.factor = extension_factor(rule, context, read.original_max_positions, reader);
  read.sequence_length =
      needed_sequence_length(context, reader,
                             "`short_factor` is for up to " + text_of(read.original_max_positions) +
                                 " tokens and `long_factor` for more");
  read.attention_factor = rule.real("attention_factor", 0, true);
  // Phi-3.5-MoE has one magnitude for short and one for long sequences; a common attention factor would
  // contradict them.
  const auto short_scale = rule.real("short_mscale", 0, true), long_scale = rule.real("long_mscale", 0, true);
  if (short_scale && !long_scale) rule.missing("long_mscale", "`short_mscale`");
  if (long_scale && !short_scale) rule.missing("short_mscale", "`long_mscale`");
  if (short_scale && long_scale) {
    if (read.attention_factor)
      rule.refuse("attention_factor", "nothing beside `short_mscale` and `long_mscale`");
    read.attention_factor = read.sequence_length > read.original_max_positions ? long_scale : short_scale;
  }
  return read;
}

Frequencies read_llama3(const Keys& rule, const RuleContext& context) {
  constexpr std::string_view reader = "the rule \"llama3\"";
  frequencies::Llama3 read{.base = context.base};
  read.factor = rule.needed("factor", 1, false, reader);
  read.low_frequency_factor = rule.needed("low_freq_factor", 0, true, reader);
  read.high_frequency_factor = rule.needed("high_freq_factor", 0, true, reader);
  if (rule.status().ok() && read.high_frequency_factor < read.low_frequency_factor) {
    rule.refuse("high_freq_factor", "at least low_freq_factor = " + text_of(read.low_frequency_factor));
  }
  read.original_max_positions = needed_original_positions(rule, context, reader);
  return read;
}

Frequencies read_proportional(const Keys& rule, const RuleContext& context) {
  return frequencies::Proportional{
      .base = context.base, .fraction = context.fraction, .factor = rule.real("factor", 0, true).value_or(1)};
}

namespace {

frequencies::PerHead read_per_head(const Keys& rule, std::string_view key, double high) {
  const json::Value* value = rule.find(key);
  if (value == nullptr) {
    rule.missing(key, "the rule \"receptive-field\"");
    return {};
  }
  std::vector<double> values;
  const std::span<const json::Value> items =
      value->kind == json::Kind::array ? std::span(value->items) : std::span(value, 1);
  for (const json::Value& item : items) {
    const bool number = item.kind == json::Kind::whole || item.kind == json::Kind::real;
    if (number && item.real >= 0 && item.real <= high) {
      values.push_back(item.real);
      continue;
    }
    const std::string name = rule.path() + std::string(key) +
                             (value->kind == json::Kind::array ? "[" + text_of(values.size()) + "]" : "");
    const std::string allowed =
        "a number from 0 to " + text_of(high) +
        (value->kind == json::Kind::array ? "" : ", or an array of one for each head");
    keep_first(rule.status(), number ? out_of_range(function, name, json::quoted(item), allowed)
                                     : wrong_type(function, name, json::quoted(item), allowed));
    break;
  }
  if (items.empty()) rule.refuse(key, "one number, or one for each head");
  return values;
}

}  // namespace

Frequencies read_receptive_field(const Keys& rule, const RuleContext& context) {
  frequencies::ReceptiveField read{
      .base = context.base, .alpha = read_per_head(rule, "alpha", 1), .rho = read_per_head(rule, "rho", 64)};
  const std::size_t alphas = read.alpha.values.size(), rhos = read.rho.values.size();
  if (rule.status().ok() && alphas != rhos && alphas != 1 && rhos != 1) {
    rule.refuse("rho", "one number, or as many as `alpha` has (" + text_of(alphas) + ")");
  }
  return read;
}

}  // namespace ropewalk::rope_config
