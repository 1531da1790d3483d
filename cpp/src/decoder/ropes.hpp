#pragma once

// The ropes of a cache at one length.

#include <memory>
#include <vector>

#include "model/position_encoding/rope_options.hpp"
#include "ropewalk/rope.hpp"
#include "ropewalk/spec.hpp"

namespace ropewalk::decoder {

class Ropes {
 public:
  using Sense = model::position_encoding::Sense;
  /// For sequences of `length` tokens. range error for frequencies of each head's own.
  static Result<std::shared_ptr<const Ropes>> make(std::vector<RopeOptions> options, double length,
                                                   Sense sense);

  const std::vector<RopeOptions>& options() const { return options_; }
  const Rope& operator[](std::size_t i) const { return ropes_[i]; }
  std::size_t size() const { return ropes_.size(); }
  double length() const { return length_; }
  Sense sense() const { return sense_; }
  /// True if a rule depends on the length.
  bool by_length() const;
  bool is_dynamic() const;
  /// True if keys of one are keys of the other.
  bool equals(const Ropes& other) const;

 private:
  std::vector<RopeOptions> options_;
  std::vector<Rope> ropes_;
  double length_ = 1;
  Sense sense_;
};

using RopesPtr = std::shared_ptr<const Ropes>;

}  // namespace ropewalk::decoder
