#include "model/workspace.hpp"

#include <string>

#include "base/text.hpp"
#include "model/model.hpp"

namespace ropewalk::model {

Status Workspace::plan(const Model& model, std::size_t batch, std::size_t tokens, const Keep& keep) {
  ROPEWALK_TRY(model.positions().prepare(model.compute(), tokens));
  if (model_ == &model && batch_ == batch && tokens_ == tokens && keep_ == keep) return {};

  model_ = nullptr;  // until everything has its place
  places_.resize(model.slots());
  Plan measured(batch, tokens, keep, places_);
  model.plan(measured);
  // Scores are kept before masks, so that attention has to compute those that a mask hides as well.
  const std::size_t rows = batch * tokens,
                    pairs = model.spec().attention.causal && keep.scores ? tokens * tokens : 0;
  // Words for an error cost memory of their own, which a training step within what there is does not take.
  if (measured.size() > arena_.size() || rows > key_mask_.size() || pairs > causal_mask_.size()) {
    const std::string what =
        model.spec().family + ": activations of " + std::to_string(batch) + " x " + std::to_string(tokens);
    if (measured.size() > SIZE_MAX / sizeof(float)) {
      return Status::out_of_memory(what + ": no memory for " + std::to_string(measured.size()) + " numbers");
    }
    for (Status status : {arena_.reserve(static_cast<std::size_t>(measured.size()), what.c_str()),
                          key_mask_.reserve(rows, what.c_str()), causal_mask_.reserve(pairs, what.c_str())}) {
      if (!status.ok()) return status;
    }
  }
  Plan placed(measured, arena_.data());
  model.plan(placed);
  scratch_ = placed.scratch_address();
  for (std::size_t i = 0; i < pairs; ++i) causal_mask_[i] = i % tokens <= i / tokens;
  model_ = &model;
  batch_ = batch;
  tokens_ = tokens;
  keep_ = keep;
  return {};
}

Status Workspace::mask_sequences(const Model& model, std::span<const std::int32_t> ids, Pass& pass) {
  if (ids.empty()) return {};
  const Spec& spec = model.spec();
  if (!model.positions().has_scores() || spec.attention.causal)
    return out_of_range(spec.family, "sequence_ids", "given",
                        "none, unless attention takes a softmax of all tokens");
  const std::size_t pairs = pass.rows() * pass.tokens;
  ROPEWALK_TRY(sequence_mask_.reserve(pairs, "sequence_ids"));
  for (std::size_t row = 0; row < pass.rows(); ++row) {
    const std::int32_t* const others = ids.data() + row / pass.tokens * pass.tokens;
    for (std::size_t j = 0; j < pass.tokens; ++j)
      sequence_mask_[row * pass.tokens + j] = others[j] == ids[row] ? 1 : 0;
  }
  pass.sequence_mask = sequence_mask_.data();
  return {};
}

Result<Pass> Workspace::prepare(const Model& model, const EncoderInput& input, const Keep& keep) {
  ROPEWALK_TRY(plan(model, input.batch, input.sequence, keep));
  const Spec& spec = model.spec();
  Pass pass{.compute = model.compute()};
  pass.batch = batch_;
  pass.tokens = tokens_;
  pass.ids = input.input_ids.data();
  if (!input.token_type_ids.empty()) pass.types = input.token_type_ids.data();
  bool hides = false;
  for (std::size_t i = 0; i < input.attention_mask.size(); ++i) {
    key_mask_[i] = static_cast<std::uint8_t>(input.attention_mask[i]);
    hides = hides || input.attention_mask[i] == 0;
  }
  if (hides) pass.key_mask = key_mask_.data();
  if (spec.attention.causal && keep_.scores) pass.causal_mask = causal_mask_.data();
  pass.keep = keep_;
  pass.hidden_dropout = spec.hidden_dropout;
  pass.attention_dropout = spec.attention_dropout;
  pass.parameters = model.parameters();
  pass.places = places_;
  pass.scratch = scratch_;
  ROPEWALK_TRY(mask_sequences(model, input.sequence_ids, pass));
  return pass;
}

}  // namespace ropewalk::model
