#include "model/position_encoding/rope_options.hpp"

#include <string>

#include "base/text.hpp"
#include "formats/json/value.hpp"

namespace ropewalk::model::position_encoding {

Result<RopeOptions> rope_options(const Spec& spec, const std::optional<RopeOptions>& given,
                                 std::string_view encoding, std::optional<std::size_t> of_layers) {
  const std::size_t head_dim = of_layers.value_or(spec.head_dim());
  if (head_dim % 2 != 0) {
    return out_of_range(spec.family, "hidden_size` / `num_attention_heads", head_dim,
                        "with `position_encoding` " + json::quoted(encoding) + ", an even number");
  }
  RopeOptions options{.head_dim = head_dim, .pairing = Pairing::interleaved};
  if (!given) return options;
  options = *given;
  if (options.head_dim != head_dim) {
    return out_of_range(spec.family, "head_dim", options.head_dim,
                        "`hidden_size` / `num_attention_heads` = " + std::to_string(head_dim));
  }
  if (options.axes) {
    return wrong_type(spec.family, "mrope_section", "given", "nothing: the positions of text have one axis");
  }
  return options;
}

Sense sense_of(const Spec& spec) {
  const auto* rope = std::get_if<positions::Rope>(&spec.positions);
  return {.backwards = rope != nullptr && rope->backwards,
          .keeps_length = spec.attention.qk_norm_after_rotation};
}

Result<Rope> rope_in(Sense sense, const RopeOptions& options) {
  ROPEWALK_LET(rope, Rope::make(options));
  const double magnitude = rope.magnitude();
  if (!sense.backwards && (!sense.keeps_length || magnitude == 1)) return std::move(rope);
  const std::span<const double> theta = rope.frequencies();
  frequencies::Custom own{.frequencies = {theta.begin(), theta.end()},
                          .magnitude = sense.keeps_length ? 1 : magnitude};
  for (double& each : own.frequencies) each = sense.backwards ? -each : each;
  RopeOptions again = options;
  again.frequencies = std::move(own);
  return Rope::make(again);
}

Result<RopeOptions> still_options(const Spec& spec, std::string_view encoding) {
  ROPEWALK_LET(checked, rope_options(spec, {}, encoding));
  frequencies::Custom still;
  still.frequencies.assign(spec.head_dim() / 2, 0.0);
  checked.frequencies = std::move(still);
  return std::move(checked);
}

}  // namespace ropewalk::model::position_encoding
