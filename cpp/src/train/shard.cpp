#include "train/shard.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "train/objectives.hpp"

namespace ropewalk::trainer {
namespace {

// Columns up to the last token or label of any sequence. A sequence without tokens attends to its padding,
// which must stay then.
std::size_t used_columns(const TrainerBatch& batch, bool of_tokens, std::size_t first, std::size_t count) {
  const std::size_t t = batch.input.sequence;
  const auto& mask = batch.input.attention_mask;
  if (mask.empty()) return t;
  std::size_t used = 0;
  for (std::size_t row = first; row < first + count; ++row) {
    std::size_t end = t;
    while (end > 0 && mask[row * t + end - 1] == 0) --end;
    if (end == 0) return t;
    used = std::max(used, end);
    for (std::size_t i = t; of_tokens && !batch.labels.empty() && i > used; --i) {
      if (batch.labels[row * t + i - 1] != nn::ignored_label) used = i;
    }
  }
  return used;
}

void copy_columns(std::span<const std::int32_t> from, std::size_t row_length, std::size_t first,
                  std::size_t count, std::size_t columns, Buffer<std::int32_t>& to) {
  for (std::size_t row = 0; row < count; ++row) {
    std::copy_n(from.data() + (first + row) * row_length, columns, to.data() + row * columns);
  }
}

}  // namespace

EncoderInput Shard::input() const {
  const std::size_t m = batch * tokens;
  return {.input_ids = {ids.data(), m},
          .batch = batch,
          .sequence = tokens,
          .token_type_ids = {types.data(), has_types ? m : 0},
          .attention_mask = {mask.data(), has_mask ? m : 0}};
}

std::int32_t next_token(const EncoderInput& input, std::size_t token) {
  const auto is_token = [&](std::size_t i) {
    return input.attention_mask.empty() || input.attention_mask[i] != 0;
  };
  const bool last = (token + 1) % input.sequence == 0;
  return last || !is_token(token) || !is_token(token + 1) ? nn::ignored_label : input.input_ids[token + 1];
}

Status Shard::take(const TrainerBatch& whole, Objective objective, std::size_t begin, std::size_t count) {
  const bool of_tokens = kind_of(objective).of_tokens;
  const std::size_t row = whole.input.sequence;
  for (Buffer<std::int32_t>* buffer : {&ids, &types, &mask, &labels}) {
    ROPEWALK_TRY(buffer->reserve(count * row, "trainer: batch"));
  }
  ROPEWALK_TRY(targets.reserve(count, "trainer: batch"));
  first = begin;
  batch = count;
  regression = objective == Objective::regression;
  tokens = count == 0 ? 0 : used_columns(whole, of_tokens, first, count);
  has_types = !whole.input.token_type_ids.empty();
  has_mask = !whole.input.attention_mask.empty();
  copy_columns(whole.input.input_ids, row, first, count, tokens, ids);
  if (has_types) copy_columns(whole.input.token_type_ids, row, first, count, tokens, types);
  if (has_mask) copy_columns(whole.input.attention_mask, row, first, count, tokens, mask);
  if (of_tokens && whole.labels.empty()) {
    for (std::size_t i = 0; i < count * tokens; ++i) labels[i] = next_token(input(), i);
  } else if (of_tokens) {
    copy_columns(whole.labels, row, first, count, tokens, labels);
  } else if (objective == Objective::regression) {
    std::copy_n(whole.targets.data() + first, count, targets.data());
  } else if (objective == Objective::classification) {
    std::copy_n(whole.labels.data() + first, count, labels.data());
  }
  return {};
}

}  // namespace ropewalk::trainer
