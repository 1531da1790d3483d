#include "model/pass.hpp"

#include "nn/dropout.hpp"

namespace ropewalk::model {

std::uint64_t Pass::seed_of(Site site, std::size_t layer) const {
  // splitmix64 of the place, so that masks of neighbouring steps, layers and sites have nothing in common.
  std::uint64_t z = dropout.seed * 0x9e3779b97f4a7c15u +
                    (layer * 8 + static_cast<std::uint64_t>(site) + 1) * 0xd1342543de82ef95u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

const float* Pass::dropped(float* y, const float* x, std::size_t count, Site site, std::size_t layer) const {
  const float kept = dropout.on ? static_cast<float>(1 - hidden_dropout) : 1.0F;
  if (kept == 1.0F) return x;
  nn::dropout(y, x, count, kept, seed_of(site, layer));
  return y;
}

}  // namespace ropewalk::model
