// SmolLM3 (Hugging Face 2025): Llama with layers that do not rotate (Yang et al., arXiv 2501.18795).

#include "model/families/llama_like.hpp"

namespace ropewalk::model {
namespace {

/// Says for each layer whether it rotates: a 1 in `no_rope_layers` means that it does, whatever the name says.
void read_rotating(Keys& keys, Spec& spec) {
  constexpr std::string_view allowed =
      "as many of 0 and 1 as there are layers; 1 means that the layer rotates";
  std::size_t interval = 4;
  keys.whole("no_rope_layer_interval", 1, 1 << 10, interval);
  const json::Value* list = keys.members().find("no_rope_layers");
  if (list != nullptr && (list->kind != json::Kind::array || list->items.size() != spec.layers.size())) {
    keys.keep(keys.members().refuse("no_rope_layers", *list, allowed, list->kind == json::Kind::array));
    return;
  }
  for (std::size_t l = 0; l < spec.layers.size(); ++l) {
    bool rotates = (l + 1) % interval != 0;
    if (list != nullptr) {
      const json::Value& item = list->items[l];
      if (item.kind != json::Kind::whole || item.negative || item.magnitude > 1)
        return keys.keep(keys.members().refuse("no_rope_layers", item, allowed, true));
      rotates = item.magnitude == 1;
    }
    if (!rotates) spec.layers[l].rope.reset();
  }
}

void read_windows(Keys& keys, Spec& spec) {
  bool uses = false;
  std::size_t window = 4096;
  keys.flag("use_sliding_window", uses);
  keys.whole("sliding_window", 1, 1 << 24, window);
  std::vector<bool> slides;
  for (const LayerSpec& layer : spec.layers) slides.push_back(!layer.rope);
  if (uses) set_windows(keys, spec, window, std::move(slides));
}

Result<Spec> read(const json::Value& config) {
  Spec spec = llama_like_spec();
  spec.vocabulary = 128256;
  spec.hidden = 2048;
  spec.attention.heads = 16;
  spec.attention.key_heads = 4;
  spec.layers.assign(36, {});
  Keys keys(config, "smollm3");
  read_llama_like(keys, spec, true);
  keys.activation("hidden_act", spec.feed_forward.activation);
  keys.attention_bias(spec);
  keys.feed_forward_bias(spec);
  read_rotating(keys, spec);
  read_windows(keys, spec);
  read_one_rope(keys, config, spec);
  if (!keys.status().ok()) return keys.status();
  return spec;
}

}  // namespace

extern const Family smollm3 = {.name = "smollm3",
                               .model_type = "smollm3",
                               .read = read,
                               .names = {"model.", llama_base_names, llama_head_names},
                               .gguf = {.architecture = "smollm3", .switches = llama_gguf_switches}};

}  // namespace ropewalk::model
