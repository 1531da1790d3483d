// NomicBERT (Nussbaum et al., arXiv 2402.01613; v2: arXiv 2502.07972): BERT that rotates, as nomic-ai/contrastors
// has it. The layers of v1 and v1.5 are gated and have no biases; some layers of v2 are experts. Configurations have
// the keys of GPT-2's; newer ones say everything twice.

#include <algorithm>

#include "base/text.hpp"
#include "model/families/family.hpp"
#include "model/families/keys.hpp"
#include "rope_config/read.hpp"

namespace ropewalk::model {
namespace {

constexpr std::string_view family = "nomic_bert";

constexpr Name gated_names[] = {
    {"embedding.words", "embeddings.word_embeddings"},
    {"embedding.types", "embeddings.token_type_embeddings"},
    {"embedding.norm", "emb_ln"},
    {"attention.qkv", "encoder.layers.{}.attn.Wqkv"},
    {"attention.output", "encoder.layers.{}.attn.out_proj"},
    {"attention.norm", "encoder.layers.{}.norm1"},
    {"feed_forward.gate", "encoder.layers.{}.mlp.fc12"},
    {"feed_forward.up", "encoder.layers.{}.mlp.fc11"},
    {"feed_forward.down", "encoder.layers.{}.mlp.fc2"},
    {"feed_forward.norm", "encoder.layers.{}.norm2"},
    {"sequence_classification.dense", "pooler.dense"},
};

constexpr Name plain_names[] = {
    {"embedding.words", "embeddings.word_embeddings"},
    {"embedding.types", "embeddings.token_type_embeddings"},
    {"embedding.norm", "emb_ln"},
    {"attention.qkv", "encoder.layers.{}.attn.Wqkv"},
    {"attention.output", "encoder.layers.{}.attn.out_proj"},
    {"attention.norm", "encoder.layers.{}.norm1"},
    {"feed_forward.up", "encoder.layers.{}.mlp.fc1"},
    {"feed_forward.down", "encoder.layers.{}.mlp.fc2"},
    {"experts.router", "encoder.layers.{}.mlp.router.layer"},
    {"experts.up.weight", "encoder.layers.{}.mlp.experts.mlp.w1"},
    {"experts.down.weight", "encoder.layers.{}.mlp.experts.mlp.w2"},
    {"experts.bias", "encoder.layers.{}.mlp.experts.bias"},
    {"feed_forward.norm", "encoder.layers.{}.norm2"},
    {"sequence_classification.dense", "pooler.dense"},
};

constexpr Name head_names[] = {
    {"masked_lm.dense", "cls.predictions.transform.dense"},
    {"masked_lm.norm", "cls.predictions.transform.layer_norm"},
    {"masked_lm.decoder", "cls.predictions.decoder"},
    {"sequence_classification.output", "classifier"},
    {"token_classification.output", "classifier"},
};

struct Gate {
  std::string_view name;
  Activation activation;
};
constexpr Gate gates[] = {
    {"swiglu", Activation::silu}, {"geglu", Activation::gelu}, {"glu", Activation::sigmoid}};

const Gate* find_gate(std::string_view name) {
  const auto found = std::ranges::find_if(gates, [&](const Gate& gate) { return gate.name == name; });
  return found == std::end(gates) ? nullptr : found;
}

/// True if Transformers' own class saved it, which has new keys alone and other defaults than the original.
bool is_native(const json::Value& config) {
  return config.find("n_embd") == nullptr && config.find("activation_function") == nullptr;
}

bool reads_gated(const json::Value& config) {
  const json::Value* name = config.find("activation_function");
  return is_native(config) ||
         (name != nullptr && name->kind == json::Kind::text && find_gate(name->text) != nullptr);
}
bool reads_plain(const json::Value& config) { return !reads_gated(config); }

/// A number with an old name and a new one, which must agree.
void read_twice(Keys& keys, std::string_view old_key, std::string_view new_key, std::size_t high,
                std::size_t& out) {
  keys.whole(old_key, 1, high, out);
  const std::size_t before = out;
  keys.whole(new_key, 1, high, out);
  if (out == before || keys.members().find(old_key) == nullptr) return;
  keys.keep(out_of_range(family, new_key, out,
                         "what `" + std::string(old_key) + "` says, " + std::to_string(before)));
}

void read_epsilon(Keys& keys, double& eps) {
  keys.epsilon("layer_norm_epsilon", eps);
  const double before = eps;
  keys.epsilon("layer_norm_eps", eps);
  if (eps == before || keys.members().find("layer_norm_epsilon") == nullptr) return;
  keys.keep(
      out_of_range(family, "layer_norm_eps", eps, "what `layer_norm_epsilon` says, " + text_of(before)));
}

/// The activation of the layers and whether it gates.
void read_activation(Keys& keys, bool native, FeedForwardSpec& feed_forward) {
  std::string name = native ? "swiglu" : "gelu";
  keys.text("activation_function", name);
  constexpr std::string_view plain[] = {"gelu", "gelu_new", "gelu_fast", "gelu_pytorch_tanh"};
  if (const Gate* gate = find_gate(name)) {
    feed_forward.gated = true;
    feed_forward.activation = gate->activation;
  } else if (std::ranges::find(plain, name) != std::end(plain)) {
    feed_forward.activation = name == "gelu" ? Activation::gelu : Activation::gelu_tanh;
  } else {
    keys.keep(out_of_range(family, "activation_function", json::quoted(std::string_view(name)),
                           "swiglu, geglu, glu, gelu, gelu_new, gelu_fast, gelu_pytorch_tanh"));
  }
  Activation again = feed_forward.activation;
  if (keys.members().find("hidden_act") == nullptr) return;
  keys.activation("hidden_act", again);
  if (again != feed_forward.activation) {
    keys.keep(keys.members().refuse(
        "hidden_act", *keys.members().find("hidden_act"),
        "the activation of `activation_function`, " + json::quoted(std::string_view(name)), true));
  }
}

void refuse_what_is_not_done(Keys& keys) {
  for (const char* key : {"prenorm", "parallel_block", "causal", "use_rms_norm", "rotary_emb_interleaved",
                          "scale_attn_by_inverse_layer_idx"}) {
    keys.must_be_false(key);
  }
  bool scales = true;
  keys.flag("scale_attn_weights", scales);
  if (!scales) keys.keep(out_of_range(family, "scale_attn_weights", "false", "true"));
  // xPos.
  if (const json::Value* base = keys.members().find("rotary_emb_scale_base"))
    keys.keep(keys.members().refuse("rotary_emb_scale_base", *base, "null", true));
}

void read_sizes(Keys& keys, bool native, Spec& spec) {
  std::size_t layers = 12, multiple = 1, width = 0;
  keys.whole("vocab_size", 1, 1 << 24, spec.vocabulary);
  keys.whole("pad_vocab_size_multiple", 1, 1 << 16, multiple);
  spec.vocabulary = (spec.vocabulary + multiple - 1) / multiple * multiple;
  read_twice(keys, "n_embd", "hidden_size", 1 << 16, spec.hidden);
  read_twice(keys, "n_layer", "num_hidden_layers", 1 << 10, layers);
  read_twice(keys, "n_head", "num_attention_heads", 1 << 16, spec.attention.heads);
  read_twice(keys, "n_inner", "intermediate_size", 1 << 18, width);
  keys.whole("type_vocab_size", 0, 1 << 16, spec.embedding.token_types);
  spec.feed_forward.width = width != 0 ? width : native ? 3072 : 4 * spec.hidden;
  spec.layers.assign(layers, {});
  keys.check_heads(spec);
}

/// Every `moe_every_n_layers`-th layer, from the second on, is a mixture of experts.
void read_experts(Keys& keys, Spec& spec) {
  std::size_t period = 0, shared = 0, divisor = 1;
  keys.whole("moe_every_n_layers", 0, 1 << 10, period);
  if (period == 0 || !keys.status().ok()) return;
  FeedForwardSpec& feed_forward = spec.feed_forward;
  feed_forward.experts = 8;
  keys.whole("num_experts", 1, 1 << 10, feed_forward.experts);
  keys.whole("moe_top_k", 1, feed_forward.experts, feed_forward.active_experts);
  keys.whole("num_shared_experts", 0, 0, shared);
  keys.whole("ffn_div", 1, 1, divisor);
  keys.must_be_false("moe_normalize_expert_weights");
  keys.must_be_false("expert_choice_router");
  if (feed_forward.gated) {
    keys.keep(keys.members().refuse("moe_every_n_layers", *keys.members().find("moe_every_n_layers"),
                                    "0 where layers are gated", true));
  }
  for (std::size_t l = 0; l < spec.layers.size(); ++l) spec.layers[l].experts = l % period == 1;
}

/// Without `rotary_emb_fraction` nothing rotates in the original.
Status read_positions(const json::Value& config, bool native, Spec& spec) {
  const json::Value* fraction = config.find("rotary_emb_fraction");
  const bool given = fraction != nullptr && fraction->kind != json::Kind::null;
  if (!native && (!given || fraction->real == 0)) {
    spec.positions = positions::None{};
    return {};
  }
  ROPEWALK_LET(rope, rope_config::read_huggingface(config, {.sequence_length = 1}));
  spec.positions = positions::Rope{.ropes = {std::move(rope)}};
  return {};
}

Result<Spec> read(const json::Value& config) {
  const bool native = is_native(config);
  Spec spec;
  spec.vocabulary = native ? 30528 : 50257;
  spec.norm.eps = native ? 1e-12 : 1e-5;
  spec.embedding.token_types = native ? 2 : 0;
  spec.hidden_dropout = spec.attention_dropout = 0;
  spec.attention.packing = AttentionSpec::Packing::blocks;
  bool bias = !native, in_bias = !native, out_bias = !native;

  Keys keys(config, family);
  read_sizes(keys, native, spec);
  read_activation(keys, native, spec.feed_forward);
  read_experts(keys, spec);
  read_epsilon(keys, spec.norm.eps);
  keys.flag("qkv_proj_bias", bias);
  keys.flag("mlp_fc1_bias", in_bias);
  keys.flag("mlp_fc2_bias", out_bias);
  keys.flag("tie_word_embeddings", spec.tied);
  keys.share("resid_pdrop", spec.hidden_dropout);
  keys.share("attn_pdrop", spec.attention_dropout);
  keys.positive("initializer_range", 100, "a number above 0, up to 100", spec.initializer_range);
  keys.padding_id(spec.padding_id);
  refuse_what_is_not_done(keys);
  if (!keys.status().ok()) return keys.status();
  spec.attention.bias = spec.attention.output_bias = bias;
  spec.feed_forward.bias = in_bias;
  spec.feed_forward.output_bias = out_bias;
  const Activation activation =
      spec.feed_forward.activation == Activation::sigmoid ? Activation::gelu : spec.feed_forward.activation;
  spec.possible_heads = {{.kind = "masked_lm",
                          .dense = true,
                          .dense_bias = in_bias,
                          .activation = activation,
                          .norm = true,
                          .bias = in_bias,
                          .tied = spec.tied},
                         {.kind = "sequence_classification", .dense = true, .activation = Activation::tanh}};
  ROPEWALK_TRY(read_positions(config, native, spec));
  return spec;
}

constexpr Name gguf_names[] = {{"attention.norm", "blk.{}.attn_output_norm"},
                               {"feed_forward.norm", "blk.{}.layer_output_norm"}};

}  // namespace

extern const Family nomic_bert = {
    .name = family,
    .model_type = family,
    .reads = reads_gated,
    .read = read,
    .names = {"bert.", gated_names, head_names},
    .gguf = {.architecture = "nomic-bert",
             .names = gguf_names,
             .epsilon = {"attention.layer_norm_epsilon", "layer_norm_epsilon"}}};

extern const Family nomic_bert_v2 = {.name = "nomic_bert_v2",
                                     .model_type = family,
                                     .reads = reads_plain,
                                     .read = read,
                                     .names = {"bert.", plain_names, head_names}};

}  // namespace ropewalk::model
