// Token ids of the generated English: five special tokens, then its words.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tasks/english/english.hpp"

namespace ropewalk::trainer::english {

inline constexpr std::array<std::string_view, 5> special_tokens = {"[PAD]", "[UNK]", "[CLS]", "[SEP]",
                                                                   "[MASK]"};
inline constexpr std::int32_t pad_id = 0, unknown_id = 1, begin_id = 2, end_id = 3, mask_id = 4,
                              first_word_id = 5;
inline constexpr std::array<std::int32_t, 5> special_ids = {pad_id, unknown_id, begin_id, end_id, mask_id};

inline std::size_t vocab_size(const English& english) { return first_word_id + english.words().size(); }
inline std::int32_t id_of(int word) { return first_word_id + word; }
inline int word_of(std::int32_t id) { return id - first_word_id; }
inline std::string_view token_of(const English& english, std::int32_t id) {
  return id < first_word_id ? special_tokens[static_cast<std::size_t>(id)]
                            : english.words()[static_cast<std::size_t>(word_of(id))];
}

}  // namespace ropewalk::trainer::english
