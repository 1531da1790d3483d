#pragma once

#include "kernels/arch.inl.hpp"
#include "kernels/scan.hpp"

namespace ropewalk::kernels {

/// `Rows` rows at once, which share what is read of the query.
template <class Arch, std::size_t Rows>
void scan_rows(const ScanJob& job, std::size_t first) noexcept {
  using I = Ints<Arch>;
  I sums[Rows];
  for (I& sum : sums) sum = I(0);
  const std::int8_t* const codes = job.codes + first * job.columns;
  for (std::size_t c = 0; c < job.columns; c += 2 * I::size) {
    const I query = I::load_unaligned(reinterpret_cast<const std::int32_t*>(job.query + c));
    for (std::size_t r = 0; r < Rows; ++r)
      sums[r] = Pairs16<Arch>::add(query, Pairs16<Arch>::widen(codes + r * job.columns + c), sums[r]);
  }
  for (std::size_t r = 0; r < Rows; ++r) job.sums[first + r] = xsimd::reduce_add(sums[r]);
}

template <class Arch>
void scan(const ScanJob& job) noexcept {
  static_assert(scan_columns % (2 * Ints<Arch>::size) == 0, "a row is whole vectors");
  std::size_t row = 0;
  for (; row + 4 <= job.rows; row += 4) scan_rows<Arch, 4>(job, row);
  for (; row < job.rows; ++row) scan_rows<Arch, 1>(job, row);
}

}  // namespace ropewalk::kernels
