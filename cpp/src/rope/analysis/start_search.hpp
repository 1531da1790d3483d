#pragma once

// Starting points for the descent of a receptive field's fit.
//   K(n) = Re(e^{i n phi} Z(n)), Z(n) the mean phasor of (1 - alpha) theta
// Z is computed once for each alpha; each phi then costs one product per distance. The error has a valley
// about every 2 pi / (largest distance) in phi, and shallower ones in alpha, where the fastest pair falls in
// and out of step.

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

#include "rope/analysis/curve_error.hpp"

namespace ropewalk::analysis {

class StartSearch {
 public:
  StartSearch() = default;
  /// theta must outlive the search. distances and wanted have the same length; a few hundred of them are
  /// used.
  StartSearch(std::span<const double> theta, std::span<const double> distances,
              std::span<const double> wanted);

  /// The widest range of distances that the search resolves.
  static constexpr double reach = 1600;

  std::size_t rows() const { return rows_; }
  /// Tries every phi with the alpha of one row.
  void search(std::size_t row);
  /// The lowest valleys, in ascending order.
  std::vector<FieldPoint> best(std::size_t count) const;

 private:
  struct Valley {
    std::size_t row = 0;
    double phi = 0, error = 0;
  };
  using Phasors = std::vector<std::complex<double>>;
  double alpha_of(std::size_t row) const {
    return (static_cast<double>(row) + 0.5) / static_cast<double>(rows_);
  }
  Phasors phasors(double alpha) const;
  Valley descend(Valley valley, const Phasors& phasors) const;

  std::span<const double> theta_;
  std::vector<double> distances_, wanted_;
  std::size_t rows_ = 0;
  double step_ = 0;  // of phi
  std::vector<Valley> valleys_;
};

}  // namespace ropewalk::analysis
