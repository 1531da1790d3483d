#include "model/position_encoding/position_encoding.hpp"

#include <string>

#include "model/position_encoding/alibi.hpp"
#include "model/position_encoding/learned.hpp"
#include "model/position_encoding/none.hpp"
#include "model/position_encoding/rope.hpp"
#include "model/position_encoding/rope_linear_attention.hpp"
#include "model/position_encoding/rope_performer.hpp"
#include "model/position_encoding/rope_receptive_field.hpp"
#include "model/position_encoding/sinusoidal.hpp"
#include "model/position_encoding/t5.hpp"
#include "model/position_encoding/transformer_xl.hpp"

namespace ropewalk::position_encoding {
namespace {

using Factory = Result<std::unique_ptr<PositionEncoding>>(const Dimensions&);

struct Row {
  std::string_view name;
  Factory* make;
};

constexpr Row encodings[] = {
    {"none", make_none},
    {"sinusoidal", make_sinusoidal},
    {"learned", make_learned},
    {"transformer-xl", make_transformer_xl},
    {"t5", make_t5},
    {"alibi", make_alibi},
    {"alibi-asymmetric", make_alibi_asymmetric},
    {"rope", make_rope},
    {"rope-receptive-field", make_rope_receptive_field},
    {"rope-linear-attention", make_rope_linear_attention},
    {"rope-performer", make_rope_performer},
    {"linear-attention", make_linear_attention},
    {"performer", make_performer},
};

}  // namespace

Result<std::unique_ptr<PositionEncoding>> make(std::string_view name, const Dimensions& dimensions) {
  std::string names;
  for (const Row& row : encodings) {
    if (row.name == name) return row.make(dimensions);
    names += (names.empty() ? "" : ", ") + std::string(row.name);
  }
  return Status::range("roformer: `position_encoding` is \"" + std::string(name) + "\"; allowed: " + names);
}

void PositionEncoding::add_parameters(parameters::Table&) {}
void PositionEncoding::add_layer_parameters(parameters::Table&, std::size_t, const std::string&) {}
Status PositionEncoding::update(const float*) { return {}; }
Status PositionEncoding::prepare(std::size_t) { return {}; }
void PositionEncoding::add_to_embeddings(float*, std::size_t, std::size_t, const float*) const {}
void PositionEncoding::add_to_embeddings_backward(const float*, std::size_t, std::size_t, float*) const {}

void PositionEncoding::attend(const Attention& pass) const {
  const std::size_t hidden = pass.shape.heads * pass.shape.head_dim;
  nn::attention_forward(pass.context, pass.probs, pass.qkv, pass.qkv + hidden, pass.qkv + 2 * hidden,
                        pass.shape, pass.terms, pass.scratch);
}

void PositionEncoding::attend_backward(const AttentionGradient& pass) const {
  const std::size_t hidden = pass.shape.heads * pass.shape.head_dim;
  nn::attention_backward(pass.dqkv, pass.dqkv + hidden, pass.dqkv + 2 * hidden, nullptr, pass.dcontext,
                         pass.probs, pass.qkv, pass.qkv + hidden, pass.qkv + 2 * hidden, pass.shape,
                         pass.scratch);
}

std::size_t PositionEncoding::forward_scratch(const nn::AttentionShape& shape, bool with_probs) const {
  return nn::attention_forward_scratch(shape, with_probs);
}
std::size_t PositionEncoding::backward_scratch(const nn::AttentionShape& shape) const {
  return nn::attention_backward_scratch(shape);
}

}  // namespace ropewalk::position_encoding
