#include "model/families/ropes.hpp"

#include "base/text.hpp"
#include "rope_config/read.hpp"

namespace ropewalk::model {
std::vector<bool> read_layer_types(Keys& keys, std::vector<bool> otherwise, std::string_view other) {
  const json::Value* types = keys.members().find("layer_types");
  if (types == nullptr) return otherwise;
  const std::string allowed =
      "as many of \"full_attention\" and " + json::quoted(other) + " as there are layers";
  if (types->kind != json::Kind::array || types->items.size() != otherwise.size()) {
    keys.keep(keys.members().refuse("layer_types", *types, allowed, false));
    return otherwise;
  }
  for (std::size_t l = 0; l < otherwise.size(); ++l) {
    const json::Value& type = types->items[l];
    const bool known = type.kind == json::Kind::text && (type.text == full_attention || type.text == other);
    if (!known) keys.keep(keys.members().refuse("layer_types", type, allowed, true));
    otherwise[l] = known && type.text == other;
  }
  return otherwise;
}

void check_base(Keys& keys, std::string_view old_key, std::string_view type) {
  const json::Value* parameters = keys.members().find("rope_parameters");
  const json::Value* of_type = parameters == nullptr ? nullptr : parameters->find(type);
  const json::Value* now = of_type == nullptr ? nullptr : of_type->find("rope_theta");
  const json::Value* before = keys.members().find(old_key);
  if (now == nullptr || before == nullptr || now->real == before->real) return;
  keys.keep(
      keys.members().refuse(old_key, *before, "what `rope_parameters` says, " + text_of(now->real), true));
}

void read_one_rope(Keys& keys, const json::Value& config, Spec& spec) {
  if (!keys.status().ok()) return;
  Result<RopeOptions> rope = rope_config::read_huggingface(config, {.sequence_length = 1});
  keys.keep(rope.status());
  if (rope.ok()) spec.positions = positions::Rope{.ropes = {std::move(rope).value()}};
}

void read_ropes_by_type(Keys& keys, const json::Value& config, const std::vector<bool>& slides,
                        std::size_t reach, Spec& spec) {
  positions::Rope rope;
  std::optional<std::size_t> of_full, of_sliding;
  spec.layers.assign(slides.size(), {});
  for (std::size_t l = 0; l < slides.size(); ++l) {
    std::optional<std::size_t>& index = slides[l] ? of_sliding : of_full;
    if (!index) {
      Result<RopeOptions> read = rope_config::read_huggingface(
          config,
          {.sequence_length = 1, .layer_type = std::string(slides[l] ? sliding_attention : full_attention)});
      keys.keep(read.status());
      if (!read.ok()) return;
      index = rope.ropes.size();
      rope.ropes.push_back(std::move(read).value());
    }
    spec.layers[l].rope = index;
    if (slides[l]) spec.layers[l].window = reach;
  }
  spec.positions = std::move(rope);
}

}  // namespace ropewalk::model
