#pragma once

// The rules whose frequencies depend on the length of the sequence: dynamic NTK and LongRoPE.

#include <variant>

#include "ropewalk/frequencies.hpp"

namespace ropewalk {

inline bool depends_on_length(const Frequencies& rule) {
  return std::holds_alternative<frequencies::Dynamic>(rule) ||
         std::holds_alternative<frequencies::LongRope>(rule);
}

/// The rule for a sequence of `tokens`.
inline Frequencies at_length(Frequencies rule, double tokens) {
  if (auto* dynamic = std::get_if<frequencies::Dynamic>(&rule)) dynamic->sequence_length = tokens;
  if (auto* longrope = std::get_if<frequencies::LongRope>(&rule)) longrope->sequence_length = tokens;
  return rule;
}

}  // namespace ropewalk
