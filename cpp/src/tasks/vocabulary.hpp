// Token ids of the tasks over letters: [PAD] [MASK] a b c ... p, then what a task adds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/random.hpp"

namespace ropewalk::task {

inline constexpr std::int32_t pad_id = 0, mask_id = 1, first_letter = 2;
inline constexpr std::int32_t letters = 16, first_own = first_letter + letters;

inline std::vector<std::string> letter_symbols() {
  std::vector<std::string> symbols = {"[PAD]", "[MASK]"};
  for (int letter = 0; letter < letters; ++letter) symbols.emplace_back(1, static_cast<char>('a' + letter));
  return symbols;
}

inline std::int32_t random_letter(Random& random) {
  return first_letter + static_cast<std::int32_t>(random.below(letters));
}

}  // namespace ropewalk::task
