#pragma once

// The pairs that a cache does not rotate: CacheOptions::without_rotation.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "decoder/ropes.hpp"
#include "ropewalk/decoder.hpp"

namespace ropewalk::decoder {

struct Layout;

class StillPairs {
 public:
  /// nullptr without parts. range error for a part that the model does not have.
  static Result<std::shared_ptr<const StillPairs>> make(std::span<const RotationPart> parts,
                                                        const Layout& layout, const Ropes& ropes,
                                                        const char* function);

  bool operator==(const StillPairs&) const = default;
  bool in(std::size_t layer) const { return !layers_[layer].pairs.empty(); }
  /// Pairs of the key heads of all layers that stand still.
  std::size_t count() const;
  /// Writes `scale` times x into the channels of `rotated` that stand still. Both (rows,queries+keys,D): heads of queries,
  /// and behind them those of keys. `layer` is the one whose keys they are or meet.
  void put_back(std::size_t layer, const Rope& rope, std::span<const float> x, std::size_t queries,
                std::size_t keys, float scale, float* rotated) const;

 private:
  struct OfLayer {
    std::size_t key_heads = 0;
    std::vector<std::uint8_t> pairs;  // (K,P), or empty: all rotate
    bool operator==(const OfLayer&) const = default;
  };
  std::vector<OfLayer> layers_;
};

using StillPairsPtr = std::shared_ptr<const StillPairs>;

/// The heads that a call rotates in place: x (rows,queries+keys,D) of a layer.
struct Rotated {
  std::size_t layer;
  const Rope& rope;
  std::span<float> x;
  std::size_t queries, keys;
};

/// Runs `rotate`; pairs that stand still are multiplied by `scale` alone.
Status rotate_others(const StillPairsPtr& still, const Rotated& rotated, double scale,
                     Status (*rotate)(const void* arguments), const void* arguments);

/// The same of a function that rotates.
template <class Rotate>
Status rotate_others(const StillPairsPtr& still, const Rotated& rotated, double scale, const Rotate& rotate) {
  return rotate_others(
      still, rotated, scale, [](const void* call) { return (*static_cast<const Rotate*>(call))(); }, &rotate);
}

}  // namespace ropewalk::decoder
