#include "model/position_encoding/rope_options.hpp"

#include <string>

#include "formats/json/value.hpp"
#include "rope_config/read.hpp"
#include "base/text.hpp"

namespace ropewalk::position_encoding {
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

bool given(const json::Value& object, std::string_view name) {
  const json::Value* value = object.find(name);
  return value != nullptr && value->kind != json::Kind::null;
}

}  // namespace

Result<RopeOptions> rope_options(const Dimensions& dimensions, std::string_view encoding) {
  if (dimensions.head_dim % 2 != 0) {
    return out_of_range("roformer", "hidden_size` / `num_attention_heads", dimensions.head_dim,
                        "with `position_encoding` " + json::quoted(encoding) + ", an even number");
  }
  Result<json::Value> parsed =
      json::parse(dimensions.config.empty() ? "{}" : dimensions.config, "roformer", "config");
  if (!parsed.ok()) return parsed.status();
  json::Value& config = parsed.value();
  // RoFormer's defaults, where the file leaves them out.
  set(config, "hidden_size", dimensions.heads * dimensions.head_dim);
  set(config, "num_attention_heads", dimensions.heads);
  set(config, "max_position_embeddings", dimensions.max_positions);
  Result<RopeOptions> read = rope_config::read_huggingface(config, {.sequence_length = 1});
  if (!read.ok()) return read;
  RopeOptions& options = read.value();
  if (options.head_dim != dimensions.head_dim) {
    return out_of_range("roformer", "head_dim", options.head_dim,
                        "`hidden_size` / `num_attention_heads` = " + std::to_string(dimensions.head_dim));
  }
  if (options.axes) {
    return wrong_type("roformer", "mrope_section", "given", "nothing: the positions of text have one axis");
  }
  if (!given(config, "rope_interleave") && !given(config, "rotary_emb_interleaved")) {
    options.pairing = Pairing::interleaved;
  }
  return read;
}

Result<RopeOptions> still_options(const Dimensions& dimensions, std::string_view encoding) {
  Result<RopeOptions> read = rope_options(dimensions, encoding);
  if (!read.ok()) return read;
  frequencies::Custom still;
  still.frequencies.assign(dimensions.head_dim / 2, 0.0);
  RopeOptions options{.head_dim = dimensions.head_dim, .frequencies = std::move(still)};
  options.pairing = read.value().pairing;
  return options;
}

}  // namespace ropewalk::position_encoding
