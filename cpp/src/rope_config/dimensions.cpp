#include "rope_config/dimensions.hpp"

#include <algorithm>
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

constexpr std::string_view rotating_part = "qk_rope_head_dim";

/// Notes a default of the class.
void assume(Dimensions& read, std::string_view key, double value) {
  read.assumed.push_back({std::string(key), value});
}

/// The number of the file under either name, or that of the class.
std::size_t size_of(const Source& source, std::string_view fact, std::string_view usual, Dimensions& read) {
  const Facts& facts = source.facts;
  const auto given =
      source.config.whole(name_of(source.config, facts.text(std::string(fact) + "Key", usual), usual));
  if (given) return *given;
  const auto own = facts.number(fact);
  if (!own) {
    source.config.missing("head_dim", "or `hidden_size` and `num_attention_heads` instead: every rope");
    return 2;
  }
  assume(read, usual, *own);
  return static_cast<std::size_t>(*own);
}

/// The head of the first layer of the type in question, by `per_layer_config`, which files hold since Transformers 5.23 in
/// the place of a key for each type. It has the numbers of layers, and members where these differ from the others.
std::optional<std::size_t> head_of_layer(const Source& source) {
  const json::Value* const apart = source.config.find("per_layer_config");
  const json::Value* const types = source.config.find("layer_types");
  if (apart == nullptr || types == nullptr || source.layers.layer == nullptr) return {};
  const auto first = std::ranges::find_if(
      types->items, [&](const json::Value& type) { return type.text == source.options.layer_type; });
  const auto layer = static_cast<std::size_t>(first - types->items.begin());
  const auto own = std::ranges::find_if(apart->members,
                                        [&](const json::Member& member) { return member.is_number(layer); });
  if (own == apart->members.end() || own->value.find("head_dim") == nullptr)
    return source.config.whole("head_dim");
  return Keys(own->value, source.config.path() + "per_layer_config.", source.config.status())
      .whole("head_dim")
      .value_or(2);
}

/// The head of a class of Transformers, by its own key and its own default.
std::size_t head_of_class(const Source& source, Dimensions& read) {
  const auto& [config, rule, facts, layers, type, options] = source;
  if (const auto head = head_of_layer(source)) return *head;
  const json::Value* const own = layers.layer == nullptr ? nullptr : layers.layer->find("headKey");
  std::string_view key = own != nullptr ? std::string_view(own->text) : facts.text("headKey", "head_dim");
  // Where the class has no field for its head, it copies that of the part that rotates.
  if (key == "head_dim" && facts.has("latent") && !facts.has("nullHead") && !config.has(key))
    key = rotating_part;
  const json::Value* const written = key.empty() ? nullptr : config.object().find(key);
  if (written != nullptr && written->kind != json::Kind::null) return config.whole(key).value_or(2);
  const json::Value* const head = own != nullptr ? layers.layer->find("head") : facts.find("head");
  std::size_t dimension = 2;
  if (written == nullptr && head != nullptr) {
    dimension = static_cast<std::size_t>(head->real);
    if (!key.empty()) assume(read, key, static_cast<double>(dimension));
  } else {
    const std::size_t hidden = size_of(source, "hidden", "hidden_size", read);
    const std::size_t heads = size_of(source, "heads", "num_attention_heads", read);
    if (config.status().ok() && hidden % heads != 0)
      config.refuse(name_of(config, "hidden_size", facts.text("hiddenKey")), text_of(hidden),
                    "a multiple of `num_attention_heads` = " + text_of(heads) + ", or `head_dim`");
    dimension = hidden / heads * static_cast<std::size_t>(facts.number("headTimes").value_or(1));
  }
  if (key.empty()) refuse_unread(source, "head_dim", static_cast<double>(dimension));
  return dimension;
}

constexpr std::string_view fraction_keys[] = {"partial_rotary_factor", "rotary_pct", "rope_pct",
                                              "rotary_emb_fraction"};

struct Fraction {
  const Keys* keys;
  std::string_view key;
  double value;
};

/// The share of the head that rotates, under any of its names. Two names with different values are an error.
std::optional<Fraction> read_fraction(const Source& source) {
  const auto& [config, rule, facts, layers, type, options] = source;
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
  if (facts.is_class()) {
    const std::string_view key = facts.text("shareKey", "partial_rotary_factor");
    if (!key.empty() && layers.layer == nullptr) look(config, key);
    return found;
  }
  for (const std::string_view key : fraction_keys) look(config, key);
  return found;
}

/// The share that a class takes where the file says none.
double usual_share(const Source& source) {
  const Facts& facts = source.facts;
  if (source.type == "default" && !facts.has("shareRead")) return 1;
  if (source.type == "default" && facts.has("plainShare")) return *facts.number("plainShare");
  if (facts.has("share")) return *facts.number("share");
  const json::Value* const written = source.config.find("rope_parameters");
  return written == nullptr || written->members.empty() ? 1 : facts.number("writtenShare").value_or(1);
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

/// d and the share of a class, whose keys stand for what they say only where it reads them.
void read_class(const Source& source, Dimensions& read) {
  const auto& [config, rule, facts, layers, type, options] = source;
  read.head_dim = head_of_class(source, read);
  const auto given = read_fraction(source);
  if (!config.status().ok()) return;
  if (given && given->value != 1 && type == "default" && !facts.has("shareRead")) {
    given->keys->refuse(given->key, "1 or nothing: " + std::string(facts.text("type")) +
                                        " does not read it without a rule that scales");
    return;
  }
  read.fraction = given ? given->value : usual_share(source);
  if (!given && read.fraction != 1) assume(read, facts.text("shareKey", fraction_keys[0]), read.fraction);
  const bool proportional = type == "proportional";
  read.rotary_dim = proportional ? read.head_dim : share(read.head_dim, read.fraction);
  const std::string_view dimension = facts.text("dimensionKey");
  if (!dimension.empty()) {
    if (const auto own = config.whole(dimension)) {
      read.rotary_dim = *own;
    } else if (facts.has("dimension")) {
      read.rotary_dim = static_cast<std::size_t>(*facts.number("dimension"));
      assume(read, dimension, static_cast<double>(read.rotary_dim));
    }
  } else {
    refuse_unread(source, "rotary_dim", static_cast<double>(read.rotary_dim));
  }
  for (const std::string_view key : fraction_keys) {
    if (layers.layer != nullptr || key != facts.text("shareKey", "partial_rotary_factor"))
      refuse_unread(source, key, read.fraction);
  }
  if (read.rotary_dim < 2 || read.rotary_dim % 2 != 0 || read.rotary_dim > read.head_dim) {
    keep_first(
        config.status(),
        out_of_range(function, given ? given->keys->path() + std::string(given->key) : "rotary dimension",
                     read.rotary_dim,
                     "a part of head_dim = " + text_of(read.head_dim) + " that is even and at least 2"));
    read.rotary_dim = 2;
  }
  // Latent attention keeps the part that rotates as a head of its own.
  if (!config.has(rotating_part) && facts.text("headKey") != rotating_part) return;
  refuse_unread(source, rotating_part, static_cast<double>(read.rotary_dim));
  if (!proportional) read.head_dim = read.rotary_dim;
}

}  // namespace

void refuse_unread(const Source& source, std::string_view key, double value) {
  const json::Value* const given = source.config.find(key);
  if (given == nullptr || given->real == value) return;
  source.config.refuse(key, text_of(value) + " or nothing: " + std::string(source.facts.text("type")) +
                                " does not read it here");
}

Dimensions read_dimensions(const Source& source) {
  const auto& [config, rule, facts, layers, type, options] = source;
  const bool proportional = type == "proportional", version4 = facts.text("type") == "deepseek_v4";
  Dimensions dimensions;
  if (facts.is_class() && !version4) {
    read_class(source, dimensions);
    return dimensions;
  }
  const std::optional<Fraction> fraction = read_fraction(source);
  dimensions.fraction = fraction ? fraction->value : 1;
  const auto part = config.whole(rotating_part);
  if (version4) {
    // The last channels of the whole head.
    dimensions.head_dim =
        config.whole("head_dim").value_or(static_cast<std::size_t>(facts.number("head").value_or(2)));
    dimensions.rotary_dim = part ? *part : share(dimensions.head_dim, fraction ? fraction->value : 0.125);
    if (dimensions.rotary_dim < 2 || dimensions.rotary_dim % 2 != 0 ||
        dimensions.rotary_dim > dimensions.head_dim) {
      config.refuse(part ? rotating_part : "head_dim", "an even part of the head that rotates");
      dimensions.rotary_dim = 2;
    }
    dimensions.rotary_offset = dimensions.head_dim - dimensions.rotary_dim;
    dimensions.fraction = 1;
    return dimensions;
  }
  if (part) {
    if (*part % 2 != 0) config.refuse(rotating_part, "an even number");
    // All channels of this part rotate; a fraction can only state its share of the whole head.
    const auto whole = config.whole("head_dim");
    if (fraction && fraction->value != 1 && !(whole && share(*whole, fraction->value) == *part)) {
      fraction->keys->refuse(fraction->key, "1, or qk_rope_head_dim / head_dim");
    }
    dimensions = {.head_dim = *part, .rotary_dim = *part, .fraction = 1, .assumed = {}};
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
