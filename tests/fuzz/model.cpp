// Any text as the config.json of a model. Where it describes a small one, weights are made up for it, saved, loaded in
// both precisions and run: what a trainer saves can be loaded, and its numbers are finite.

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "ropewalk/encoder.hpp"
#include "ropewalk/spec.hpp"
#include "ropewalk/trainer.hpp"
#include "target.hpp"

namespace {

using namespace ropewalk;

/// Far fewer parameters than a published model has, so that thousands are made in a minute.
bool is_small(const Spec& spec) {
  const std::size_t widths[] = {spec.hidden, spec.embedding_width(), spec.feed_forward.width,
                                spec.attention.heads * spec.head_dim()};
  for (const std::size_t width : widths) {
    if (width > 256) return false;
  }
  const auto* const learned = std::get_if<positions::Learned>(&spec.positions);
  return spec.vocabulary <= 2048 && spec.layers.size() <= 8 && spec.feed_forward.experts <= 8 &&
         spec.labels <= 64 && spec.embedding.token_types <= 64 &&
         (learned == nullptr || learned->rows <= 2048);
}

bool asks_for_no_other(const Spec& spec, std::string_view head) {
  return std::all_of(spec.heads.begin(), spec.heads.end(),
                     [head](const HeadSpec& each) { return each.kind == head; });
}

void run(Encoder& encoder, std::size_t vocabulary) {
  std::vector<std::int32_t> ids;
  for (std::size_t token = 0; token < 6; ++token)
    ids.push_back(static_cast<std::int32_t>((7 * token + 2) % vocabulary));
  EncoderOutput output;
  const Status status =
      encoder.try_forward({.input_ids = ids, .batch = 1, .sequence = ids.size()}, {}, output);
  if (!status.ok()) return fuzz::require_words(status);
  for (const float value : output.last_hidden_state)
    fuzz::require(std::isfinite(value), "hidden states are finite");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::Input input(data, size);
  const Result<Spec> spec = spec_from_config(input.text());
  if (!spec.ok()) {
    fuzz::require_words(spec.status());
    return 0;
  }
  if (!is_small(spec.value())) return 0;
  constexpr std::pair<Objective, std::string_view> trained[] = {
      {Objective::masked_language_model, "masked_lm"},
      {Objective::classification, "sequence_classification"},
      {Objective::causal_language_model, "causal_lm"}};
  for (const auto& [objective, head] : trained) {
    Result<Trainer> trainer = Trainer::make({.spec = spec.value(), .seed = 1, .objective = objective});
    if (!trainer.ok()) {
      fuzz::require_words(trainer.status());
      continue;
    }
    const Result<SafetensorsLayout> layout = trainer.value().try_save();
    fuzz::require(layout.ok(), "a model can be saved", layout.status().message());
    std::vector<std::byte> file(layout.value().size());
    fuzz::require(layout.value().try_write(file).ok(), "what was laid out can be written");
    // The trainer saves the head of its objective, which need not be the one that the configuration asks for.
    if (spec.value().attention.causal || !asks_for_no_other(spec.value(), head)) continue;
    for (const Precision precision : {Precision::float32, Precision::int8}) {
      Result<Encoder> encoder = Encoder::make(input.text(), file, precision);
      fuzz::require(encoder.ok(), "what a trainer saves can be loaded", encoder.status().message());
      run(encoder.value(), spec.value().vocabulary);
    }
  }
  return 0;
}
