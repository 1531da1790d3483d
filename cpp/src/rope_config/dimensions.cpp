#include "rope_config/dimensions.hpp"

#include <cmath>
#include <optional>

#include "base/text.hpp"

namespace ropewalk::rope_config {
namespace {

/// The first of two alternative names of a number that is present.
std::string_view name_of(const Keys& config, std::string_view usual, std::string_view other) {
  return !config.has(usual) && config.has(other) ? other : usual;
}

/// hidden_size / num_attention_heads
std::size_t quotient(const Keys& config) {
  const std::string_view hidden_key = name_of(config, "hidden_size", "n_embd");
  const std::string_view heads_key = name_of(config, "num_attention_heads", "n_head");
  const auto hidden = config.whole(hidden_key), heads = config.whole(heads_key);
  if (!hidden && !heads) {
    config.missing("head_dim", "or `hidden_size` and `num_attention_heads` instead: every rope");
  } else if (!hidden || !heads) {
    config.missing(hidden ? heads_key : hidden_key, "the head dimension");
  }
  if (!hidden || !heads) return 2;
  if (*hidden % *heads != 0) {
    config.refuse(hidden_key,
                  "a multiple of `" + std::string(heads_key) + "` = " + text_of(*heads) + ", or `head_dim`");
    return 2;
  }
  return *hidden / *heads;
}

/// Ignores qk_rope_head_dim.
std::size_t whole_head(const Keys& config, const ConfigOptions& options) {
  if (options.layer_type == "full_attention") {
    if (const auto global = config.whole("global_head_dim")) return *global;
  }
  if (const auto given = config.whole("head_dim")) return *given;
  return config.has("head_dim") ? 2 : quotient(config);
}

struct Fraction {
  const Keys* keys;
  std::string_view key;
  double value;
};

/// The share of the head that rotates, under any of its names. Two names with different values are an error.
std::optional<Fraction> read_fraction(const Keys& config, const Keys& rule) {
  std::optional<Fraction> found;
  const auto look = [&](const Keys& keys, std::string_view key) {
    const auto value = keys.real(key, 0, true);
    if (!value) return;
    if (*value > 1) {
      keys.refuse(key, "a number above 0 and at most 1");
    } else if (found && found->value != *value) {
      keys.refuse(key, "the same as `" + found->keys->path() + std::string(found->key) +
                           "` = " + text_of(found->value));
    } else {
      found = Fraction{&keys, key, *value};
    }
  };
  look(rule, "partial_rotary_factor");
  for (const std::string_view key :
       {"partial_rotary_factor", "rotary_pct", "rope_pct", "rotary_emb_fraction"}) {
    look(config, key);
  }
  return found;
}

/// Equal to Python's int(head_dim * fraction).
std::size_t share(std::size_t head_dim, double fraction) {
  return static_cast<std::size_t>(static_cast<double>(head_dim) * fraction);
}

std::size_t rotary_dim(const Keys& config, std::size_t head_dim, const std::optional<Fraction>& fraction) {
  std::size_t d = head_dim;
  if (fraction) {
    d = share(head_dim, fraction->value);
    if (d < 2 || d % 2 != 0) {
      fraction->keys->refuse(fraction->key, "a share of head_dim = " + text_of(head_dim) +
                                                " that, rounded down, is even and at least 2");
    }
  }
  if (const auto given = config.whole("rotary_dim")) {
    if (*given > head_dim || *given % 2 != 0) {
      config.refuse("rotary_dim", "an even number from 2 to head_dim = " + text_of(head_dim));
    } else if (fraction && *given != d) {
      config.refuse("rotary_dim", "the same as `" + fraction->keys->path() + std::string(fraction->key) +
                                      "` makes it, " + text_of(d));
    }
    d = *given;
  }
  if (config.status().ok() && d % 2 != 0) {
    keep_first(config.status(), out_of_range(function, config.path() + "head_dim", head_dim,
                                             "an even number, or a rotary dimension that is even"));
  }
  return d < 2 ? 2 : d;
}

}  // namespace

Dimensions read_dimensions(const Keys& config, const Keys& rule, bool proportional,
                           const ConfigOptions& options) {
  const std::optional<Fraction> fraction = read_fraction(config, rule);
  Dimensions dimensions{.fraction = fraction ? fraction->value : 1};
  const auto part = config.whole("qk_rope_head_dim");
  if (config.text("model_type") == "deepseek_v4") {
    // The last channels of the whole head.
    dimensions.head_dim = config.whole("head_dim").value_or(512);
    dimensions.rotary_dim = part ? *part : fraction ? share(dimensions.head_dim, fraction->value) : 64;
    if (dimensions.rotary_dim < 2 || dimensions.rotary_dim % 2 != 0 ||
        dimensions.rotary_dim > dimensions.head_dim) {
      config.refuse(part ? "qk_rope_head_dim" : "head_dim", "an even part of the head that rotates");
      dimensions.rotary_dim = 2;
    }
    dimensions.rotary_offset = dimensions.head_dim - dimensions.rotary_dim;
    dimensions.fraction = 1;
    return dimensions;
  }
  if (part) {
    if (*part % 2 != 0) config.refuse("qk_rope_head_dim", "an even number");
    // All channels of this part rotate; a fraction can only state its share of the whole head.
    const auto whole = config.whole("head_dim");
    if (fraction && fraction->value != 1 && !(whole && share(*whole, fraction->value) == *part)) {
      fraction->keys->refuse(fraction->key, "1, or qk_rope_head_dim / head_dim");
    }
    dimensions = {.head_dim = *part, .rotary_dim = *part, .fraction = 1};
    return dimensions;
  }
  dimensions.head_dim = whole_head(config, options);
  dimensions.rotary_dim =
      rotary_dim(config, dimensions.head_dim, proportional ? std::optional<Fraction>() : fraction);
  if (proportional && config.status().ok() && dimensions.rotary_dim != dimensions.head_dim) {
    config.refuse("rotary_dim",
                  "nothing beside the rule \"proportional\", which says itself which pairs stand still");
  }
  return dimensions;
}

}  // namespace ropewalk::rope_config
