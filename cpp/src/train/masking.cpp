#include "train/masking.hpp"

#include "nn/cross_entropy.hpp"

namespace ropewalk::trainer {
namespace {

std::int32_t random_token(const Masking& masking, Random& random) {
  for (;;) {
    const auto id = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(masking.vocab_size)));
    if (!masking.special(id)) return id;
  }
}

void choose(const Masking& masking, Random& random, std::int32_t& id, std::int32_t& label) {
  label = id;
  const double fate = random.uniform();
  if (fate < masking.masked) {
    id = masking.mask_id;
  } else if (fate < masking.masked + masking.replaced) {
    id = random_token(masking, random);
  }
}

}  // namespace

void mask(const Masking& masking, Random& random, std::span<std::int32_t> ids,
          std::span<std::int32_t> labels) {
  std::size_t candidates = 0;
  bool any = false;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    labels[i] = nn::ignored_label;
    if (masking.special(ids[i])) continue;
    ++candidates;
    if (!random.chance(masking.probability)) continue;
    choose(masking, random, ids[i], labels[i]);
    any = true;
  }
  if (any || candidates == 0) return;
  std::uint64_t skip = random.below(candidates);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (masking.special(ids[i]) || skip-- != 0) continue;
    choose(masking, random, ids[i], labels[i]);
    return;
  }
}

}  // namespace ropewalk::trainer
