// RoFormer: creation, forward, and where its outputs are.

#include <emscripten/bind.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "last_error.hpp"
#include "lines.hpp"
#include "roformer_input.hpp"
#include "ropewalk/roformer.hpp"

namespace {

using ropewalk::RoFormerOutput;

/// The model, and the views of its last forward.
struct Model {
  ropewalk::RoFormer roformer;
  RoFormerOutput output = {};
};

/// Bits of `wants`.
enum Want : unsigned { logits = 1, hidden_states = 2, attentions = 4, rotated_qk = 8, scores = 16 };

Model* make_roformer(const std::string& config, std::uintptr_t weights, std::size_t size, bool int8) {
  ropewalk::Result<ropewalk::RoFormer> made =
      ropewalk::RoFormer::make(config, {reinterpret_cast<const std::byte*>(weights), size},
                               int8 ? ropewalk::Precision::int8 : ropewalk::Precision::float32);
  if (!made.ok()) return ropewalk::embind::keep(made.status()), nullptr;
  return new Model{std::move(made).value()};
}

std::string config_json(const Model& model) { return model.roformer.config().json; }
std::size_t parameter_count(const Model& model) { return model.roformer.parameter_count(); }

std::string notes(const Model& model) { return ropewalk::embind::lines(model.roformer.notes()); }

int forward(Model& model, std::uintptr_t ids, std::size_t id_count, std::uintptr_t types,
            std::size_t type_count, std::uintptr_t mask, std::size_t mask_count, std::size_t batch,
            std::size_t sequence, unsigned wants) {
  const ropewalk::RoFormerInput input =
      ropewalk::embind::roformer_input(ids, id_count, types, type_count, mask, mask_count, batch, sequence);
  const ropewalk::RoFormerWants wanted{.logits = (wants & Want::logits) != 0,
                                       .hidden_states = (wants & Want::hidden_states) != 0,
                                       .attentions = (wants & Want::attentions) != 0,
                                       .scores = (wants & Want::scores) != 0,
                                       .rotated_qk = (wants & Want::rotated_qk) != 0};
  return ropewalk::embind::keep(model.roformer.try_forward(input, wanted, model.output));
}

/// Layer `index` of output `kind` of the last forward: 0 last hidden state, 1 logits, 2 class logits,
/// 3 hidden states, 4 attentions, 5 rotated queries, 6 rotated keys, 7 scores, 8 token logits, 9 start
/// logits, 10 end logits, 11 choice logits. Empty when it is not there.
std::span<const float> output(const Model& model, int kind, std::size_t index) {
  const RoFormerOutput& out = model.output;
  const auto layer = [&](const std::vector<std::span<const float>>& layers) {
    return index < layers.size() ? layers[index] : std::span<const float>();
  };
  switch (kind) {
    case 0:
      return out.last_hidden_state;
    case 1:
      return out.logits;
    case 2:
      return out.class_logits;
    case 3:
      return layer(out.hidden_states);
    case 4:
      return layer(out.attentions);
    case 5:
      return layer(out.rotated_queries);
    case 6:
      return layer(out.rotated_keys);
    case 7:
      return layer(out.scores);
    case 8:
      return out.token_logits;
    case 9:
      return out.start_logits;
    case 10:
      return out.end_logits;
    case 11:
      return out.choice_logits;
    default:
      return {};
  }
}

std::uintptr_t output_address(const Model& model, int kind, std::size_t index) {
  return reinterpret_cast<std::uintptr_t>(output(model, kind, index).data());
}

std::size_t output_size(const Model& model, int kind, std::size_t index) {
  return output(model, kind, index).size();
}

}  // namespace

EMSCRIPTEN_BINDINGS(ropewalk_roformer) {
  using namespace emscripten;
  class_<Model>("RoFormer")
      .function("configJson", &config_json)
      .function("parameterCount", &parameter_count)
      .function("notes", &notes)
      .function("forward", &forward)
      .function("outputAddress", &output_address)
      .function("outputSize", &output_size);
  function("makeRoFormer", &make_roformer, return_value_policy::take_ownership());
}
