#pragma once

// One function object of several lambdas, for std::visit.

namespace ropewalk {

template <class... Visits>
struct Overloaded : Visits... {
  using Visits::operator()...;
};
template <class... Visits>
Overloaded(Visits...) -> Overloaded<Visits...>;

}  // namespace ropewalk
