// BERT's masking of the tokens that a model predicts (Devlin et al., arXiv 1810.04805, section 3.1).
//
//   the captain gave the rope .   ->   the [MASK] gave the rope .   labels -100 captain -100 -100 -100 -100
//
// Each token is chosen with the given probability; of the chosen, 80 % become [MASK], 10 % a random token,
// and 10 % stay, so that the model cannot tell where it will be asked.
#pragma once

#include <cstdint>
#include <span>

#include "base/random.hpp"

namespace ropewalk::trainer {

struct Masking {
  double probability = 0.15;
  double masked = 0.8, replaced = 0.1;  // shares of the chosen; the rest stays
  std::int32_t mask_id = 0;
  std::int32_t vocab_size = 0;
  std::span<const std::int32_t> special_ids = {};  // never chosen, and never a random token; sorted or not

  bool special(std::int32_t id) const {
    for (const std::int32_t one : special_ids) {
      if (one == id) return true;
    }
    return false;
  }
};

// Masks one sequence in place. labels, as long as ids: the token that was there where it was chosen, -100
// elsewhere. At least one token is chosen, unless all are special.
void mask(const Masking& masking, Random& random, std::span<std::int32_t> ids,
          std::span<std::int32_t> labels);

}  // namespace ropewalk::trainer
