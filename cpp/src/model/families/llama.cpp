// Llama 2 and 3 (Touvron et al., arXiv 2307.09288; Grattafiori et al., arXiv 2407.21783) and what is built
// like it: TinyLlama, SmolLM, SmolLM2. Meta's own files have other names, params.json, and pairs of
// neighbouring channels where Hugging Face's have halves.

#include <algorithm>

#include "base/text.hpp"
#include "model/families/llama_like.hpp"
#include "model/loading/tensors.hpp"

namespace ropewalk::model {
namespace {

/// Meta's params.json has neither a model_type nor Hugging Face's names of sizes.
bool is_params_json(const json::Value& config) {
  return config.find("model_type") == nullptr && config.find("dim") != nullptr &&
         config.find("n_layers") != nullptr;
}

bool reads_huggingface(const json::Value& config) { return !is_params_json(config); }

Result<Spec> read(const json::Value& config) {
  Spec spec = llama_like_spec();
  Keys keys(config, "llama");
  read_llama_like(keys, spec, false);
  keys.activation("hidden_act", spec.feed_forward.activation);
  keys.attention_bias(spec);
  keys.feed_forward_bias(spec);
  read_one_rope(keys, config, spec);
  if (!keys.status().ok()) return keys.status();
  return spec;
}

constexpr Name meta_names[] = {
    {"embedding.words", "tok_embeddings"},
    {"attention.norm", "layers.{}.attention_norm"},
    {"attention.query", "layers.{}.attention.wq"},
    {"attention.key", "layers.{}.attention.wk"},
    {"attention.value", "layers.{}.attention.wv"},
    {"attention.output", "layers.{}.attention.wo"},
    {"feed_forward.norm", "layers.{}.ffn_norm"},
    {"feed_forward.gate", "layers.{}.feed_forward.w1"},
    {"feed_forward.up", "layers.{}.feed_forward.w3"},
    {"feed_forward.down", "layers.{}.feed_forward.w2"},
    {"final_norm", "norm"},
};
constexpr Name meta_head_names[] = {{"causal_lm.decoder", "output"}};

/// The width that Meta's code computes; a checkpoint's own counts.
std::size_t width_of(std::size_t dim, double multiplier, std::size_t multiple) {
  std::size_t width = 2 * (4 * dim) / 3;
  if (multiplier != 0) width = static_cast<std::size_t>(multiplier * static_cast<double>(width));
  return (width + multiple - 1) / multiple * multiple;
}

Result<Spec> read_params(const json::Value& config) {
  Spec spec = llama_like_spec();
  spec.norm.eps = 1e-5;
  spec.tied = false;
  std::size_t layers = 32, multiple = 256;
  double theta = 10000, multiplier = 0;
  bool scaled = false;
  std::int64_t vocabulary = -1;
  Keys keys(config, "llama");
  keys.whole("dim", 1, 1 << 16, spec.hidden);
  keys.whole("n_layers", 1, 1 << 10, layers);
  keys.whole("n_heads", 1, 1 << 16, spec.attention.heads);
  keys.whole("n_kv_heads", 1, 1 << 16, spec.attention.key_heads);
  keys.epsilon("norm_eps", spec.norm.eps);
  keys.whole("multiple_of", 1, 1 << 16, multiple);
  keys.positive("ffn_dim_multiplier", 64, "a number above 0, up to 64", multiplier);
  keys.positive("rope_theta", 1e30, "a number above 0", theta);
  keys.flag("use_scaled_rope", scaled);
  keys.keep(keys.members().whole("vocab_size", -1, 1 << 24, vocabulary));
  if (!keys.status().ok()) return keys.status();
  if (spec.hidden % spec.attention.heads != 0) {
    return out_of_range("llama", "dim", spec.hidden,
                        "a multiple of `n_heads`, " + std::to_string(spec.attention.heads));
  }
  if (vocabulary == 0)
    return out_of_range("llama", "vocab_size", "0", "at least 1, or -1: as many as the table has");
  spec.vocabulary = vocabulary < 0 ? 32000 : static_cast<std::size_t>(vocabulary);
  spec.feed_forward.width = width_of(spec.hidden, multiplier, multiple);
  spec.layers.assign(layers, {});
  spec.heads = {causal_head(false)};
  RopeOptions rope{.head_dim = spec.head_dim(), .pairing = Pairing::interleaved};
  if (scaled) {
    rope.frequencies = frequencies::Llama3{.base = theta};
  } else {
    rope.frequencies = frequencies::Default{.base = theta};
  }
  spec.positions = positions::Rope{.ropes = {std::move(rope)}};
  return spec;
}

/// Meta's names beside either kind of configuration: neighbouring pairs, and sizes that the tensors know best.
Status meta_by_tensors(Spec& spec, Tensors& tensors, std::vector<std::string>&) {
  // A binary of encoders does not have that family.
  if (tensors.find("tok_embeddings.weight") == nullptr || find_family("llama-meta") == nullptr) return {};
  spec.family = "llama-meta";
  for (RopeOptions& rope : std::get<positions::Rope>(spec.positions).ropes)
    rope.pairing = Pairing::interleaved;
  const auto rows = [&](std::string_view name, std::size_t& size) {
    const Tensors::Found* tensor = tensors.find(name);
    if (tensor == nullptr || tensor->tensor->shape.size() != 2) return;
    size = static_cast<std::size_t>(std::min<std::uint64_t>(tensor->tensor->shape[0], 1 << 24));
  };
  rows("tok_embeddings.weight", spec.vocabulary);
  for (const char* name : {"layers.0.feed_forward.w1.weight", "model.layers.0.feed_forward.w1.weight"})
    rows(name, spec.feed_forward.width);
  // Meta's classes always have an output matrix.
  spec.tied = tensors.find("output.weight") == nullptr && spec.tied;
  for (HeadSpec& head : spec.heads) head.tied = spec.tied;
  return {};
}

std::string meta_note(const Spec&) {
  return "this checkpoint has Meta's names, so that neighbouring channels are pairs";
}

}  // namespace

extern const Family llama = {.name = "llama",
                             .model_type = "llama",
                             .reads = reads_huggingface,
                             .read = read,
                             .told_by_tensors = meta_by_tensors,
                             .names = {"model.", llama_base_names, llama_head_names},
                             .gguf = {.architecture = "llama", .switches = llama_gguf_switches}};

extern const Family llama_meta = {.name = "llama-meta",
                                  .model_type = "llama",
                                  .reads = is_params_json,
                                  .read = read_params,
                                  .told_by_tensors = meta_by_tensors,
                                  .note = meta_note,
                                  .names = {"", meta_names, meta_head_names}};

}  // namespace ropewalk::model
