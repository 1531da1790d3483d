#pragma once

// Arguments that cross as one block of float64 values, which hold addresses and sizes of any memory. `npm run generate` gives
// TypeScript the names of blocks and numbers (bindings/ts/module/numbers.ts).

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "ropewalk/encoder.hpp"

/// A struct of float64 values that knows the names of its members.
#define ROPEWALK_BLOCK(Name, ...)                           \
  struct Name {                                             \
    static constexpr std::string_view names = #__VA_ARGS__; \
    double __VA_ARGS__;                                     \
  }

namespace ropewalk::embind {

/// Outputs that a forward pass may be asked for. One that is has its bit in a number, the first the lowest.
enum class Output { logits, hidden_states, attentions, rotated_q_k, scores, contacts, pooled };

/// The work of a trainer with a batch.
enum class Work { train, evaluate, gradients };

/// A file in memory.
ROPEWALK_BLOCK(FileBlock, name, name_size, bytes, size);

/// Addresses of int32 values, each with its count; 0 of them where nothing is given. `outputs` are bits of Output, `pooling` is
/// a ropewalk::Pooling, `normalize` 0 or 1, and either is -1 where it is not given.
ROPEWALK_BLOCK(ForwardBlock, ids, id_count, types, type_count, mask, mask_count, batch, sequence,
               sequence_ids, sequence_id_count, outputs, pooling, prompt_tokens, normalize, dimensions);

/// `work` is a Work. Under regression `labels` are float32 targets, else int32 classes or ids.
ROPEWALK_BLOCK(BatchBlock, work, ids, id_count, types, type_count, mask, mask_count, batch, sequence, labels,
               label_count);

/// The options of ropewalk::Sampler, and how many tokens were drawn.
ROPEWALK_BLOCK(SamplingBlock, temperature, top_k, top_p, min_p, repetition_penalty, repetition_window, seed,
               drawn);

/// The array that a block gives by its address and its count.
template <class T>
std::span<const T> array_at(double address, double count) {
  return {reinterpret_cast<const T*>(static_cast<std::uintptr_t>(address)), static_cast<std::size_t>(count)};
}

/// The input of an encoder or a trainer.
template <class Block>
EncoderInput encoder_input(const Block& block) {
  return {.input_ids = array_at<std::int32_t>(block.ids, block.id_count),
          .batch = static_cast<std::size_t>(block.batch),
          .sequence = static_cast<std::size_t>(block.sequence),
          .token_type_ids = array_at<std::int32_t>(block.types, block.type_count),
          .attention_mask = array_at<std::int32_t>(block.mask, block.mask_count)};
}

}  // namespace ropewalk::embind
