#pragma once

// The two pairings: which channels of a head make pair j.

#include "kernels/element.inl.hpp"

namespace ropewalk::kernels {

/// Channels (j, j + pairs) make pair j.
struct HalfPairs {
  template <class Arch, class Element>
  static void load(const typename Element::Stored* x, std::size_t pairs, std::size_t j, Floats<Arch>& a,
                   Floats<Arch>& b) noexcept {
    a = Element::template load<Arch>(x + j);
    b = Element::template load<Arch>(x + pairs + j);
  }
  template <class Arch, class Element>
  static void store(typename Element::Stored* y, std::size_t pairs, std::size_t j, Floats<Arch> a,
                    Floats<Arch> b) noexcept {
    Element::template store<Arch>(y + j, a);
    Element::template store<Arch>(y + pairs + j, b);
  }
  static constexpr std::ptrdiff_t first(std::size_t, std::size_t j) { return static_cast<std::ptrdiff_t>(j); }
  static constexpr std::ptrdiff_t second(std::size_t pairs, std::size_t j) {
    return static_cast<std::ptrdiff_t>(pairs + j);
  }
};

/// Channels (2j, 2j + 1) make pair j: a complex number in memory.
struct InterleavedPairs {
  template <class Arch, class Element>
  static void load(const typename Element::Stored* x, std::size_t, std::size_t j, Floats<Arch>& a,
                   Floats<Arch>& b) noexcept {
    Element::template load_pairs<Arch>(x + 2 * j, a, b);
  }
  template <class Arch, class Element>
  static void store(typename Element::Stored* y, std::size_t, std::size_t j, Floats<Arch> a,
                    Floats<Arch> b) noexcept {
    Element::template store_pairs<Arch>(y + 2 * j, a, b);
  }
  static constexpr std::ptrdiff_t first(std::size_t, std::size_t j) {
    return static_cast<std::ptrdiff_t>(2 * j);
  }
  static constexpr std::ptrdiff_t second(std::size_t, std::size_t j) {
    return static_cast<std::ptrdiff_t>(2 * j + 1);
  }
};

}  // namespace ropewalk::kernels
