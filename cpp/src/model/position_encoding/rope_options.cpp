#include "model/position_encoding/rope_options.hpp"

#include <string>

#include "base/text.hpp"
#include "formats/json/value.hpp"

namespace ropewalk::model::position_encoding {

Result<RopeOptions> rope_options(const Spec& spec, const std::optional<RopeOptions>& given,
                                 std::string_view encoding) {
  const std::size_t head_dim = spec.head_dim();
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

Result<RopeOptions> still_options(const Spec& spec, std::string_view encoding) {
  Result<RopeOptions> checked = rope_options(spec, {}, encoding);
  if (!checked.ok()) return checked;
  frequencies::Custom still;
  still.frequencies.assign(spec.head_dim() / 2, 0.0);
  checked.value().frequencies = std::move(still);
  return checked;
}

}  // namespace ropewalk::model::position_encoding
