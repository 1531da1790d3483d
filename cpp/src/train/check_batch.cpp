#include "train/check_batch.hpp"

#include <cmath>
#include <string>

#include "base/text.hpp"
#include "model/input.hpp"
#include "nn/loss.hpp"
#include "train/objectives.hpp"
#include "train/shard.hpp"

namespace ropewalk::trainer {
namespace {

Status check_targets(const TrainerBatch& batch, const char* function, std::size_t& counted) {
  counted = batch.input.batch;
  if (batch.targets.size() != counted)
    return wrong_count(function, "targets", batch.targets.size(), std::to_string(counted) + ", `batch`");
  for (std::size_t i = 0; i < counted; ++i) {
    if (std::isfinite(batch.targets[i])) continue;
    return out_of_range(function, "targets[" + std::to_string(i) + "]", static_cast<double>(batch.targets[i]),
                        "a finite number");
  }
  return {};
}

Status check_next_tokens(const EncoderInput& input, const char* function, std::size_t& counted) {
  counted = 0;
  for (std::size_t i = 0; i < input.input_ids.size(); ++i)
    counted += next_token(input, i) == nn::ignored_label ? 0 : 1;
  if (counted != 0) return {};
  constexpr std::string_view allowed = "a sequence of at least 2 tokens";
  return Status::refusal(
      Status::Code::range, {function, "labels", {}, allowed},
      sentence({"`labels` are not given, and no token of `input_ids` follows another; allowed: ", allowed}));
}

Status check_pairs(const TrainerBatch& batch, const char* function, std::size_t& counted) {
  counted = batch.input.batch;
  if (counted < 4 || counted % 2 != 0)
    return out_of_range(function, "batch", counted,
                        "an even number of at least 4, since neighbours are pairs");
  if (!batch.labels.empty())
    return wrong_count(function, "labels", batch.labels.size(), "0 with the contrastive objective");
  return {};
}

}  // namespace

Status check_batch(const Spec& spec, Objective objective, const TrainerBatch& batch, const char* function,
                   std::size_t& counted) {
  ROPEWALK_TRY(model::check_input(spec, batch.input, function));
  if (!batch.input.sequence_ids.empty())
    return unsupported(function, "sequence_ids", "given", "none in training: one text in each sequence");
  const bool classifies = !kind_of(objective).of_tokens;
  if (objective == Objective::regression) return check_targets(batch, function, counted);
  if (objective == Objective::contrastive) return check_pairs(batch, function, counted);
  if (objective == Objective::causal_language_model && batch.labels.empty())
    return check_next_tokens(batch.input, function, counted);
  const std::size_t classes = classifies ? spec.labels : spec.vocabulary;
  const std::size_t expected = classifies ? batch.input.batch : batch.input.input_ids.size();
  if (batch.labels.size() != expected) {
    return wrong_count(function, "labels", batch.labels.size(),
                       std::to_string(expected) + (classifies ? ", `batch`" : ", `batch` * `sequence`"));
  }
  counted = 0;
  for (std::size_t i = 0; i < expected; ++i) {
    const std::int32_t label = batch.labels[i];
    if (label == nn::ignored_label) continue;
    ++counted;
    if (label >= 0 && static_cast<std::size_t>(label) < classes) continue;
    return out_of_range(function, "labels[" + std::to_string(i) + "]", std::to_string(label),
                        "0 to " + std::to_string(classes - 1) + (classifies ? ", the classes" : ", the ids") +
                            ", or -100 for nothing to learn");
  }
  if (counted == 0) {
    constexpr std::string_view allowed = "at least one label that is not";
    return Status::refusal(Status::Code::range, {function, "labels", "all -100", allowed},
                           sentence({"`labels` are all -100; allowed: ", allowed}));
  }
  return {};
}

}  // namespace ropewalk::trainer
