#include "decoder/still_pairs.hpp"

#include <algorithm>

#include "base/buffer.hpp"
#include "base/text.hpp"
#include "decoder/cache.hpp"

namespace ropewalk::decoder {

Result<StillPairsPtr> StillPairs::make(std::span<const RotationPart> parts, const Layout& layout,
                                       const Ropes& ropes, const char* function) {
  if (parts.empty()) return StillPairsPtr();
  auto still = std::make_shared<StillPairs>();
  still->layers_.resize(layout.layers());
  // A layer that attends to the keys of another rotates its queries as that one does its own.
  const auto rotates = [&](std::size_t l) { return layout.ropes[l] && layout.keys_of[l] == l; };
  const auto pairs_of = [&](std::size_t l) { return ropes[*layout.ropes[l]].rotary_dim() / 2; };
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto& [layer, key_head, pair] = parts[i];
    const auto refuse = [&](const char* member, std::size_t value, std::string_view allowed) {
      return out_of_range(function, sentence({"without_rotation[", i, "].", member}), value, allowed);
    };
    if (layer && *layer >= layout.layers())
      return refuse("layer", *layer, sentence({"0 to ", layout.layers() - 1}));
    if (layer && !rotates(*layer)) return refuse("layer", *layer, "a layer that rotates keys of its own");
    std::size_t heads = 0, pairs = 0;
    for (std::size_t l = 0; l < layout.layers(); ++l) {
      if (!rotates(l) || (layer && l != *layer)) continue;
      heads = std::max(heads, layout.shape_of(l).key_heads);
      pairs = std::max(pairs, pairs_of(l));
    }
    if (heads == 0) return out_of_range(function, "without_rotation", "given", "nothing: no layer rotates");
    if (key_head && *key_head >= heads) return refuse("key_head", *key_head, sentence({"0 to ", heads - 1}));
    if (pair && *pair >= pairs) return refuse("pair", *pair, sentence({"0 to ", pairs - 1}));
    for (std::size_t l = 0; l < layout.layers(); ++l) {
      if (!rotates(l) || (layer && l != *layer)) continue;
      OfLayer& own = still->layers_[l];
      own.key_heads = layout.shape_of(l).key_heads;
      own.pairs.resize(own.key_heads * pairs_of(l));
      for (std::size_t k = 0; k < own.pairs.size(); ++k) {
        const bool is_meant = k / pairs_of(l) == key_head.value_or(k / pairs_of(l)) &&
                              k % pairs_of(l) == pair.value_or(k % pairs_of(l));
        if (is_meant) own.pairs[k] = 1;
      }
    }
  }
  return StillPairsPtr(std::move(still));
}

std::size_t StillPairs::count() const {
  std::size_t count = 0;
  for (const OfLayer& each : layers_) count += static_cast<std::size_t>(std::ranges::count(each.pairs, 1));
  return count;
}

void StillPairs::put_back(std::size_t layer, const Rope& rope, std::span<const float> x, std::size_t queries,
                          std::size_t keys, float scale, float* rotated) const {
  const auto& [key_heads, still] = layers_[layer];
  const std::size_t pairs = still.size() / key_heads, head_dim = rope.head_dim();
  const bool half = rope.pairing() == Pairing::half;
  for (std::size_t at = 0; at < x.size(); at += head_dim) {
    const std::size_t head = at / head_dim % (queries + keys);
    const std::size_t key_head = head < queries ? head * key_heads / queries : head - queries;
    for (std::size_t j = 0; j < pairs; ++j) {
      if (!still[key_head * pairs + j]) continue;
      const std::size_t first = at + rope.rotary_offset() + (half ? j : 2 * j);
      for (const std::size_t channel : {first, first + (half ? pairs : 1)})
        rotated[channel] = scale * x[channel];
    }
  }
}

Status rotate_others(const StillPairsPtr& still, const Rotated& rotated, double scale,
                     Status (*rotate)(const void* arguments), const void* arguments) {
  const auto& [layer, rope, x, queries, keys] = rotated;
  if (still == nullptr || !still->in(layer)) return rotate(arguments);
  Buffer<float> before;
  Status status = before.allocate(x.size(), "decoder: pairs without rotation");
  if (!status.ok()) return status;
  std::ranges::copy(x, before.data());
  status = rotate(arguments);
  if (status.ok())
    still->put_back(layer, rope, before.span(), queries, keys, static_cast<float>(scale), x.data());
  return status;
}

}  // namespace ropewalk::decoder
