#include "model/families/roformer_keys.hpp"

#include <limits>

#include "base/text.hpp"
#include "model/position_encoding/clipped_rope.hpp"
#include "rope_config/read.hpp"

namespace ropewalk::model {
namespace {

/// The member `name` as a whole number, whatever it was before.
void set(json::Value& object, std::string_view name, std::size_t value) {
  json::Value number;
  number.kind = json::Kind::whole;
  number.magnitude = value;
  number.real = static_cast<double>(value);
  for (json::Member& member : object.members) {
    if (member.name != name) continue;
    member.value = std::move(number);
    return;
  }
  object.members.push_back({std::string(name), std::move(number)});
}

/// The sources of a position encoding.
struct Reading {
  Keys& keys;
  const json::Value& config;
  const Spec& spec;
  std::size_t max_positions;
  bool values;  // whether values rotate too

  /// Any rule by the keys that Hugging Face's other models have (`rope_theta`, `rope_scaling`, ...),
  /// interleaved unless `rope_interleave` says otherwise. A sequence length that the rule depends on is left
  /// at 1. `besides` is a key of the encoding that those models do not have.
  std::optional<RopeOptions> rope(std::string_view besides = {}) const {
    if (!keys.status().ok() || spec.head_dim() % 2 != 0) return {};  // refused where the encoding is made
    json::Value whole = config;
    std::erase_if(whole.members, [&](const json::Member& member) { return member.name == besides; });
    set(whole, "hidden_size", spec.hidden);
    set(whole, "num_attention_heads", spec.attention.heads);
    set(whole, "max_position_embeddings", max_positions);
    Result<RopeOptions> read = rope_config::read_huggingface(whole, {.sequence_length = 1});
    keys.keep(read.status());
    if (!read.ok()) return {};
    const auto given = [&](std::string_view name) { return keys.members().find(name) != nullptr; };
    if (!given("rope_interleave") && !given("rotary_emb_interleaved"))
      read.value().pairing = Pairing::interleaved;
    return std::move(read).value();
  }
};

/// `learned_positions`: a table of learned positions besides, as long as `max_position_embeddings`.
std::optional<std::size_t> learned_rows(const Reading& reading) {
  bool learned = false;
  reading.keys.flag("learned_positions", learned);
  return learned ? std::optional(reading.max_positions) : std::nullopt;
}

PositionSpec linear_attention(const Reading& reading, bool rotates) {
  positions::LinearAttention linear{
      .rotates = rotates, .values = reading.values, .learned_rows = learned_rows(reading)};
  if (rotates) linear.rope = reading.rope();
  return linear;
}

/// `performer_rotation`: by default the features in a decoder, which is equation 19, and the projections elsewhere.
positions::Performer::Rotated rotated(const Reading& reading) {
  std::string name = reading.spec.attention.causal ? "features" : "projections";
  reading.keys.text("performer_rotation", name);
  if (name == "features") return positions::Performer::Rotated::features;
  if (name != "projections") {
    reading.keys.keep(out_of_range(reading.keys.family(), "performer_rotation",
                                   json::quoted(std::string_view(name)), "projections or features"));
  }
  return positions::Performer::Rotated::projections;
}

PositionSpec performer(const Reading& reading, bool rotates) {
  positions::Performer performer{.rotates = rotates, .values = reading.values};
  std::size_t features = 0;
  std::int64_t seed = 0;
  reading.keys.whole("performer_features", 1, 1 << 16, features);
  reading.keys.keep(reading.keys.members().whole("performer_seed", 0, std::int64_t{1} << 53, seed));
  if (features != 0) performer.features = features;
  performer.seed = static_cast<std::uint64_t>(seed);
  performer.learned_rows = learned_rows(reading);
  if (!rotates) return performer;
  performer.rope = reading.rope();
  performer.rotated = rotated(reading);
  return performer;
}

/// Refuses `rotary_value` where values do not rotate by definition.
void values_stand(const Reading& reading) { reading.keys.must_be_false("rotary_value"); }

PositionSpec clipped_rope(const Reading& reading) {
  positions::Rope rope{.values = reading.values};
  std::size_t clip = 0;
  reading.keys.whole("rotary_clip", 2, 1 << 15, clip);
  if (std::optional<RopeOptions> options = reading.rope("rotary_clip")) {
    reading.keys.keep(position_encoding::clip_rope(reading.keys.family(), *options,
                                                   clip == 0 ? std::nullopt : std::optional(clip),
                                                   reading.max_positions));
    rope.ropes.push_back(*std::move(options));
  }
  return rope;
}

PositionSpec distance_bias(const Reading& reading) {
  positions::DistanceBias bias;
  reading.keys.whole("relative_extent", 1, 1 << 16, bias.extent);
  reading.keys.whole("relative_profiles", 1, 1 << 16, bias.profiles);
  return bias;
}

struct Encoding {
  std::string_view name;
  PositionSpec (*read)(const Reading& reading);
};

constexpr Encoding encodings[] = {
    {"none", [](const Reading&) -> PositionSpec { return positions::None{}; }},
    {"sinusoidal",
     [](const Reading& reading) -> PositionSpec {
       positions::Sinusoidal sinusoidal;
       reading.keys.positive("sinusoidal_scale", static_cast<double>(std::numeric_limits<float>::max()),
                             "a number above 0", sinusoidal.scale);
       return sinusoidal;
     }},
    {"learned",
     [](const Reading& reading) -> PositionSpec {
       return positions::Learned{.rows = reading.max_positions};
     }},
    {"transformer-xl", [](const Reading&) -> PositionSpec { return positions::TransformerXl{}; }},
    {"t5", [](const Reading&) -> PositionSpec { return positions::T5{}; }},
    {"alibi", [](const Reading&) -> PositionSpec { return positions::Alibi{}; }},
    {"alibi-asymmetric", [](const Reading&) -> PositionSpec { return positions::Alibi{.asymmetric = true}; }},
    {"rope",
     [](const Reading& reading) -> PositionSpec {
       positions::Rope rope{.values = reading.values};
       if (std::optional<RopeOptions> options = reading.rope()) rope.ropes.push_back(*std::move(options));
       return rope;
     }},
    {"rope-receptive-field",
     [](const Reading& reading) -> PositionSpec {
       return positions::RopeReceptiveField{.rope = reading.rope(), .values = reading.values};
     }},
    {"rope-linear-attention", [](const Reading& reading) { return linear_attention(reading, true); }},
    {"rope-performer", [](const Reading& reading) { return performer(reading, true); }},
    {"linear-attention", [](const Reading& reading) { return linear_attention(reading, false); }},
    {"performer", [](const Reading& reading) { return performer(reading, false); }},
    {"pope",
     [](const Reading& reading) -> PositionSpec {
       values_stand(reading);
       return positions::Pope{.rope = reading.rope()};
     }},
    {"rope-plus-plus",
     [](const Reading& reading) -> PositionSpec {
       values_stand(reading);
       return positions::RopePlusPlus{.rope = reading.rope()};
     }},
    {"clipped-rope", clipped_rope},
    {"distance-bias", distance_bias},
};

PositionSpec read_positions(const Reading& reading, const std::string& name) {
  std::string names;
  for (const Encoding& encoding : encodings) {
    if (encoding.name == name) return encoding.read(reading);
    names += (names.empty() ? "" : ", ") + std::string(encoding.name);
  }
  reading.keys.keep(
      out_of_range(reading.keys.family(), "position_encoding", json::quoted(std::string_view(name)), names));
  return {};
}

}  // namespace

std::vector<std::string_view> position_encoding_names() {
  std::vector<std::string_view> names;
  for (const Encoding& encoding : encodings) names.push_back(encoding.name);
  return names;
}

std::string roformer_norm_type(const json::Value& config) {
  const json::Value* type = config.find("norm_type");
  return type == nullptr || type->kind != json::Kind::text ? "layer_norm" : type->text;
}

void read_roformer(Keys& keys, const json::Value& config, Spec& spec) {
  std::size_t max_positions = 1536, embedding = 0;
  bool values = false, bias = true;
  std::string norm_type, encoding = "rope";
  read_bert_like(keys, spec);
  embedding = spec.hidden;
  keys.whole("embedding_size", 1, 1 << 16, embedding);
  keys.whole("max_position_embeddings", 1, 1 << 24, max_positions);
  keys.flag("rotary_value", values);
  keys.flag("use_bias", bias);
  keys.text("norm_type", norm_type);
  keys.text("position_encoding", encoding);
  spec.embedding.width = embedding;
  spec.attention.bias = spec.attention.output_bias = bias;
  spec.feed_forward.bias = spec.feed_forward.output_bias = bias;
  spec.positions = read_positions({keys, config, spec, max_positions, values}, encoding);
}

}  // namespace ropewalk::model
