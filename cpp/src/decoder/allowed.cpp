// Sampling from some of the tokens, as a grammar asks for.

#include <algorithm>
#include <limits>

#include "base/text.hpp"
#include "decoder/log_probability.hpp"
#include "decoder/state.hpp"

namespace ropewalk {

Status KeyCache::try_sample(Sampler& sampler, std::span<const std::uint32_t> allowed, Sample& sample) {
  ROPEWALK_TRY(state_->complete());
  const std::span<const float> logits = state_->logits.span();
  if (logits.empty()) return out_of_range("sample", "cache", "never fed", "a cache that was fed");
  const auto permits = [&](std::size_t id) {
    return id / 32 < allowed.size() && ((allowed[id / 32] >> (id % 32)) & 1u) != 0;
  };
  std::vector<float> left(logits.begin(), logits.end());
  bool any = false;
  for (std::size_t id = 0; id < left.size(); ++id) {
    if (permits(id))
      any = true;
    else
      left[id] = -std::numeric_limits<float>::infinity();
  }
  if (!any) return out_of_range("sample", "allowed", "empty", "at least one token of the vocabulary");

  const std::span<const std::int32_t> all = tokens();
  const std::size_t recent = std::min(all.size(), sampler.options().repetition_window);
  ROPEWALK_TRY(sampler.try_sample(left, all.last(recent), sample));
  // Probabilities add up to 1 but for rounding, and a draw above their sum takes the last candidate, whatever it is.
  if (!permits(static_cast<std::size_t>(sample.id)))
    sample.id = static_cast<std::int32_t>(std::ranges::max_element(left) - left.begin());

  // Under the model, which knows of no grammar.
  sample.log_probability = log_probability(logits, sample.id);
  return {};
}

}  // namespace ropewalk
