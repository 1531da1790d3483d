// Token ids of the decoder: one token that begins and ends texts, one for unknown words, then the words.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tasks/english/english.hpp"

namespace ropewalk::train {

inline constexpr std::array<std::string_view, 2> decoder_special_tokens = {"<|endoftext|>", "<|unknown|>"};
inline constexpr std::int32_t boundary_id = 0, decoder_unknown_id = 1, decoder_first_word_id = 2;

inline std::size_t decoder_vocabulary(const trainer::English& english) {
  return decoder_first_word_id + english.words().size();
}
inline std::int32_t decoder_id_of(int word) { return decoder_first_word_id + word; }
inline int decoder_word_of(std::int32_t id) { return id - decoder_first_word_id; }

}  // namespace ropewalk::train
