#include "decoder/ropes.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "rope/frequencies/length.hpp"

namespace ropewalk::decoder {

Result<RopesPtr> Ropes::make(std::vector<RopeOptions> options, double length, Sense sense) {
  auto ropes = std::make_shared<Ropes>();
  for (const RopeOptions& each : options) {
    RopeOptions there = each;
    there.frequencies = at_length(each.frequencies, length);
    ROPEWALK_LET(rope, model::position_encoding::rope_in(sense, there));
    if (rope.axes() != 1 || rope.width() != rope.rotary_dim() / 2) {
      return Status::range(
          "decoder: `rope_parameters` has frequencies of each head's own; allowed: one set for all");
    }
    ropes->ropes_.push_back(std::move(rope));
  }
  ropes->options_ = std::move(options);
  ropes->length_ = length;
  ropes->sense_ = sense;
  return RopesPtr(std::move(ropes));
}

bool Ropes::by_length() const {
  return std::ranges::any_of(options_,
                             [](const RopeOptions& each) { return depends_on_length(each.frequencies); });
}

bool Ropes::is_dynamic() const {
  return std::ranges::any_of(options_, [](const RopeOptions& each) {
    return std::holds_alternative<frequencies::Dynamic>(each.frequencies);
  });
}

bool Ropes::equals(const Ropes& other) const {
  return std::ranges::equal(ropes_, other.ropes_, [](const Rope& a, const Rope& b) {
    return a.magnitude() == b.magnitude() && std::ranges::equal(a.frequencies(), b.frequencies());
  });
}

}  // namespace ropewalk::decoder
