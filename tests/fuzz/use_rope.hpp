#pragma once

// A rope of options that some reader accepted: it is made or refused in words, rotates finite numbers, and its options
// survive being written and read.

#include <cmath>
#include <string>
#include <vector>

#include "rope/options_from_json.hpp"
#include "rope/options_to_json.hpp"
#include "ropewalk/rope.hpp"
#include "target.hpp"

namespace ropewalk::fuzz {

inline void use_rope(const RopeOptions& options) {
  const std::string json = rope_options_to_json(options);
  const Result<RopeOptions> again = rope_options_from_json(json);
  require(again.ok(), "options that were written can be read", again.status().message());
  require(rope_options_to_json(again.value()) == json, "options read as they were written", json);

  const Result<Rope> made = Rope::make(options);
  if (!made.ok()) return require_words(made.status());
  const Rope& rope = made.value();
  for (const double theta : rope.frequencies()) require(std::isfinite(theta), "frequencies are finite", json);
  require(std::isfinite(rope.magnitude()), "the magnitude is finite", json);
  if (rope.head_dim() > 4096 || rope.rotary_dim() == 0) return;
  const std::size_t heads = rope.width() / (rope.rotary_dim() / 2);
  const std::vector<float> x(2 * heads * rope.head_dim(), 1.0f);
  std::vector<float> out(x.size());
  const Status status = rope.try_rotate(x, out, {.sequence = 2, .heads = heads, .positions = 3.5});
  if (!status.ok()) require_words(status);
}

}  // namespace ropewalk::fuzz
