#include "translation/config.hpp"

#include <cmath>
#include <string>

#include "base/text.hpp"
#include "formats/json/value.hpp"
#include "model/families/keys.hpp"

namespace ropewalk::translation {
namespace {

constexpr std::string_view family = "marian";

constexpr model::Name encoder_base[] = {
    {"attention.query", "layers.{}.self_attn.q_proj"},
    {"attention.key", "layers.{}.self_attn.k_proj"},
    {"attention.value", "layers.{}.self_attn.v_proj"},
    {"attention.output", "layers.{}.self_attn.out_proj"},
    {"attention.norm", "layers.{}.self_attn_layer_norm"},
    {"feed_forward.up", "layers.{}.fc1"},
    {"feed_forward.down", "layers.{}.fc2"},
    {"feed_forward.norm", "layers.{}.final_layer_norm"},
};
constexpr model::Name decoder_base[] = {
    {"attention.query", "layers.{}.self_attn.q_proj"},
    {"attention.key", "layers.{}.self_attn.k_proj"},
    {"attention.value", "layers.{}.self_attn.v_proj"},
    {"attention.output", "layers.{}.self_attn.out_proj"},
    {"attention.norm", "layers.{}.self_attn_layer_norm"},
    {"cross_attention.query", "layers.{}.encoder_attn.q_proj"},
    {"cross_attention.key", "layers.{}.encoder_attn.k_proj"},
    {"cross_attention.value", "layers.{}.encoder_attn.v_proj"},
    {"cross_attention.output", "layers.{}.encoder_attn.out_proj"},
    {"cross_attention.norm", "layers.{}.encoder_attn_layer_norm"},
    {"feed_forward.up", "layers.{}.fc1"},
    {"feed_forward.down", "layers.{}.fc2"},
    {"feed_forward.norm", "layers.{}.final_layer_norm"},
};
// Outside both sides.
constexpr model::Name shared[] = {{"embedding.words", "model.shared"},
                                  {"causal_lm.decoder.bias", "final_logits_bias"}};

struct Side {
  std::size_t layers = 6, heads = 8, width = 2048;
};

void read_side(model::Keys& keys, const std::string& name, Side& side) {
  keys.whole(name + "_layers", 1, 1 << 10, side.layers);
  keys.whole(name + "_attention_heads", 1, 1 << 16, side.heads);
  keys.whole(name + "_ffn_dim", 1, 1 << 18, side.width);
}

/// Nothing here drops out.
void refuse_dropout(model::Keys& keys, std::string_view name) {
  double share = 0;
  keys.share(name, share);
  if (share != 0) keys.keep(unsupported(family, name, text_of(share), "0"));
}

void must_be_true(model::Keys& keys, std::string_view name) {
  bool value = true;
  keys.flag(name, value);
  if (!value) keys.keep(unsupported(family, name, "false", "true"));
}

void use(const Side& side, double rope_theta, Spec& spec) {
  spec.attention.heads = side.heads;
  if (auto* const positions = std::get_if<positions::Rope>(&spec.positions)) {
    RopeOptions rope{.head_dim = spec.head_dim(), .pairing = Pairing::interleaved};
    rope.frequencies = frequencies::Default{.base = rope_theta};
    positions->ropes = {std::move(rope)};
  }
  spec.feed_forward.width = side.width;
  spec.layers.assign(side.layers, {});
}

}  // namespace

const model::Names encoder_names = {"model.encoder.", encoder_base, shared};
const model::Names decoder_names = {"model.decoder.", decoder_base, shared};

Result<Config> read_config(std::string_view text) {
  ROPEWALK_LET(parsed, json::parse(text, family, "config.json"));
  model::Keys keys(parsed, family);
  Side encoder, decoder;
  Spec spec;
  std::size_t start = 0, end = 0;
  bool scales = false;
  std::string positions = "sinusoidal";
  double sinusoidal_scale = 1, rope_theta = 10000;
  keys.whole("vocab_size", 1, 1 << 24, spec.vocabulary);
  keys.whole("d_model", 1, 1 << 16, spec.hidden);
  read_side(keys, "encoder", encoder);
  read_side(keys, "decoder", decoder);
  keys.activation("activation_function", spec.feed_forward.activation);
  keys.flag("scale_embedding", scales);
  for (const char* each : {"dropout", "attention_dropout", "activation_dropout"}) refuse_dropout(keys, each);
  for (const char* each : {"share_encoder_decoder_embeddings", "tie_word_embeddings"})
    must_be_true(keys, each);
  keys.whole("eos_token_id", 0, 1 << 24, end);
  keys.whole("decoder_start_token_id", 0, 1 << 24, start);
  keys.text("position_encoding", positions);
  keys.positive("sinusoidal_scale", 1e30, "a number above 0", sinusoidal_scale);
  keys.positive("rope_theta", 1e30, "a number above 0", rope_theta);
  keys.positive("init_std", 1e30, "a number above 0", spec.initializer_range);
  if (!keys.status().ok()) return keys.status();
  if (positions == "rope") {
    spec.positions = positions::Rope{};
  } else if (positions == "sinusoidal") {
    spec.positions = positions::Sinusoidal{.scale = sinusoidal_scale};
  } else {
    return out_of_range(family, "position_encoding", json::quoted(std::string_view(positions)),
                        "rope or sinusoidal");
  }
  spec.norm.eps = 1e-5;
  spec.hidden_dropout = spec.attention_dropout = 0;
  spec.embedding.token_types = 0;
  spec.embedding.norm = false;
  spec.embedding.scale = scales ? std::sqrt(static_cast<double>(spec.hidden)) : 1;
  Config config{.encoder = spec,
                .decoder = spec,
                .start = static_cast<std::int32_t>(start),
                .end = static_cast<std::int32_t>(end)};
  use(encoder, rope_theta, config.encoder);
  use(decoder, rope_theta, config.decoder);
  config.decoder.attention.causal = true;
  config.decoder.heads = {{.kind = "causal_lm", .bias = true, .tied = true}};
  return config;
}

}  // namespace ropewalk::translation
