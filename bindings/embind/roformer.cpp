// RoFormer: creation, forward, and where its outputs are.

#include <emscripten/bind.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "answer.hpp"
#include "lines.hpp"
#include "memory.hpp"
#include "roformer_input.hpp"
#include "ropewalk/encoder.hpp"

namespace {

/// The model, its config.json, and the views of its last forward.
struct Model {
  ropewalk::Encoder encoder;
  std::string config;
  ropewalk::EncoderOutput output = {};
};

/// Bits of `wants`.
enum Want : unsigned { logits = 1, hidden_states = 2, attentions = 4, rotated_qk = 8, scores = 16 };

Model* make_roformer(std::uintptr_t config_at, std::size_t config_size, std::uintptr_t weights, std::size_t size,
                     bool int8) {
  if (!ropewalk::embind::have_memory(ropewalk::embind::lists_of_a_model + 4 * config_size)) return nullptr;
  const std::string config(ropewalk::embind::text_at(config_at, config_size));
  ropewalk::Result<ropewalk::Encoder> made =
      ropewalk::Encoder::make(config, {reinterpret_cast<const std::byte*>(weights), size},
                              int8 ? ropewalk::Precision::int8 : ropewalk::Precision::float32);
  if (!made.ok()) return ropewalk::embind::keep(made.status()), nullptr;
  return new Model{std::move(made).value(), config};
}

void config_json(const Model& model) { ropewalk::embind::show(model.config); }
std::size_t parameter_count(const Model& model) { return model.encoder.parameter_count(); }

void notes(const Model& model) { ropewalk::embind::answer(ropewalk::embind::lines(model.encoder.notes())); }

int forward(Model& model, std::uintptr_t ids, std::size_t id_count, std::uintptr_t types,
            std::size_t type_count, std::uintptr_t mask, std::size_t mask_count, std::size_t batch,
            std::size_t sequence, unsigned wants) {
  const ropewalk::EncoderInput input =
      ropewalk::embind::roformer_input(ids, id_count, types, type_count, mask, mask_count, batch, sequence);
  const ropewalk::EncoderWants wanted{.logits = (wants & Want::logits) != 0,
                                      .hidden_states = (wants & Want::hidden_states) != 0,
                                      .attentions = (wants & Want::attentions) != 0,
                                      .scores = (wants & Want::scores) != 0,
                                      .rotated_qk = (wants & Want::rotated_qk) != 0};
  return ropewalk::embind::guarded([&] { return model.encoder.try_forward(input, wanted, model.output); });
}

// The outputs of the last forward, one after the other.
std::size_t output_count(const Model& model) { return model.output.all.size(); }
void output_name(const Model& model, std::size_t i) { ropewalk::embind::show(model.output.all[i].name); }
/// The layer of an output that each layer has; -1 for other outputs.
int output_layer(const Model& model, std::size_t i) {
  const std::optional<std::size_t>& layer = model.output.all[i].layer;
  return layer ? static_cast<int>(*layer) : -1;
}
std::uintptr_t output_address(const Model& model, std::size_t i) {
  return reinterpret_cast<std::uintptr_t>(model.output.all[i].values.data());
}
std::size_t output_size(const Model& model, std::size_t i) { return model.output.all[i].values.size(); }

}  // namespace

EMSCRIPTEN_BINDINGS(ropewalk_roformer) {
  using namespace emscripten;
  class_<Model>("RoFormer")
      .function("configJson", &config_json)
      .function("parameterCount", &parameter_count)
      .function("notes", &notes)
      .function("forward", &forward)
      .function("outputCount", &output_count)
      .function("outputName", &output_name)
      .function("outputLayer", &output_layer)
      .function("outputAddress", &output_address)
      .function("outputSize", &output_size);
  function("makeRoFormer", &make_roformer, return_value_policy::take_ownership());
}
