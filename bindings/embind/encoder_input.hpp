#pragma once

// The input of model and trainer, as addresses of int32 values, each with its count.

#include <cstddef>
#include <cstdint>
#include <span>

#include "ropewalk/encoder.hpp"

namespace ropewalk::embind {

inline std::span<const std::int32_t> integers(std::uintptr_t address, std::size_t size) {
  return {reinterpret_cast<const std::int32_t*>(address), size};
}

inline EncoderInput encoder_input(std::uintptr_t ids, std::size_t id_count, std::uintptr_t types,
                                  std::size_t type_count, std::uintptr_t mask, std::size_t mask_count,
                                  std::size_t batch, std::size_t sequence) {
  return {.input_ids = integers(ids, id_count),
          .batch = batch,
          .sequence = sequence,
          .token_type_ids = integers(types, type_count),
          .attention_mask = integers(mask, mask_count)};
}

}  // namespace ropewalk::embind
