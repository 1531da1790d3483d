#include "model/families/keys.hpp"

#include "base/text.hpp"

namespace ropewalk::model {

void Keys::activation(std::string_view name, Activation& out) {
  std::string value(nn::activation_name(out));
  text(name, value);
  const Result<nn::Activation> known = nn::activation_from_name(value);
  if (known.ok()) {
    out = known.value();
  } else {
    keep(unsupported(family_, name, json::quoted(std::string_view(value)), nn::activation_names()));
  }
}

void Keys::must_be_false(std::string_view name) {
  bool value = false;
  flag(name, value);
  if (value) keep(unsupported(family_, name, "true", "false"));
}

void Keys::must_be(std::string_view name, std::string_view allowed, std::string_view usual) {
  std::string value(usual);
  text(name, value);
  if (value != allowed)
    keep(unsupported(family_, name, json::quoted(std::string_view(value)), json::quoted(allowed)));
}

// The bounds keep every product of sizes below 2^62.
void Keys::sizes(Spec& spec) {
  std::size_t layers = spec.layers.size();
  whole("vocab_size", 1, 1 << 24, spec.vocabulary);
  whole("hidden_size", 1, 1 << 16, spec.hidden);
  whole("num_hidden_layers", 1, 1 << 10, layers);
  whole("num_attention_heads", 1, 1 << 16, spec.attention.heads);
  whole("intermediate_size", 1, 1 << 18, spec.feed_forward.width);
  positive("initializer_range", 100, "a number above 0, up to 100", spec.initializer_range);
  spec.layers.resize(layers);
}

void Keys::attention_bias(Spec& spec) {
  bool has = false;
  flag("attention_bias", has);
  spec.attention.bias = spec.attention.output_bias = has;
}

void Keys::feed_forward_bias(Spec& spec) {
  bool has = false;
  flag("mlp_bias", has);
  spec.feed_forward.bias = spec.feed_forward.output_bias = has;
}

void Keys::padding_id(std::optional<std::size_t>& out) {
  const json::Value* given = config_.find("pad_token_id");
  if (given == nullptr) return;
  std::int64_t id = -1;
  keep(members_.whole("pad_token_id", -1, INT32_MAX, id));
  out.reset();
  if (id >= 0) out = static_cast<std::size_t>(id);
}

void Keys::check_heads(const Spec& spec) {
  if (!status_.ok() || spec.attention.head_dim != 0 || spec.hidden % spec.attention.heads == 0) return;
  keep(out_of_range(family_, "hidden_size", spec.hidden,
                    "a multiple of `num_attention_heads`, " + std::to_string(spec.attention.heads)));
}

}  // namespace ropewalk::model
