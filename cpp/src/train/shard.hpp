// One part of a batch: some neighbouring sequences, without the padding that ends all of them, and everything
// a pass over them writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/buffer.hpp"
#include "model/heads/head.hpp"
#include "model/workspace.hpp"
#include "nn/loss.hpp"
#include "ropewalk/trainer.hpp"

namespace ropewalk::trainer {

/// The label of a token for a causal language model without given labels.
std::int32_t next_token(const EncoderInput& input, std::size_t token);

struct Shard {
  std::size_t first = 0;              // the place of its first sequence in the batch
  std::size_t batch = 0, tokens = 0;  // b, t
  bool regression = false;
  Buffer<std::int32_t> ids, types, mask, labels;  // (b,t); labels (b) for classification
  Buffer<float> targets;                          // (b) for regression
  bool has_types = false, has_mask = false;       // whether types and mask are given
  model::Workspace workspace;
  std::optional<model::Pass> pass;
  const float* hidden = nullptr;  // (b,t,C), the last hidden state of the pass
  Buffer<float> gradients;        // the layout of the parameters; of the first shard, in the end, the sum
  nn::Loss loss{};

  EncoderInput input() const;
  model::Labels expected() const { return {labels.data(), regression ? targets.data() : nullptr}; }
  // Copies sequences first ... first + count - 1. `batch` is checked.
  Status take(const TrainerBatch& batch, Objective objective, std::size_t first, std::size_t count);
};

}  // namespace ropewalk::trainer
