// Puts things into random order, each order as likely (Fisher and Yates).
#pragma once

#include <span>
#include <utility>

#include "base/random.hpp"

namespace ropewalk {

template <class T>
void shuffle(Random& random, std::span<T> things) {
  for (std::size_t left = things.size(); left > 1; --left) {
    std::swap(things[left - 1], things[random.below(left)]);
  }
}

}  // namespace ropewalk
