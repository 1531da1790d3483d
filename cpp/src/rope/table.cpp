#include "rope/table.hpp"

#include <algorithm>
#include <cmath>

#include "arch/select.hpp"

namespace ropewalk {
namespace {

// Larger angles would lose the last bits of cos and sin: see kernels/table.inl.hpp.
constexpr double largest_angle = 0x1p45;
constexpr std::size_t table_bytes = std::size_t{4} << 20;

struct PhasorRow {
  double* data;
  std::size_t width;
  kernels::Phasors at(std::size_t row) const { return {data + 2 * row * width, data + (2 * row + 1) * width}; }
};

}  // namespace

TableMaker::TableMaker(std::vector<double> theta, std::vector<float> theta_float32, double magnitude,
                       Angles angles)
    : theta_(std::move(theta)),
      theta_float32_(std::move(theta_float32)),
      magnitude_(magnitude),
      angles_(angles) {}

double TableMaker::position_limit() const {
  double fastest = 1;
  for (double theta : theta_) fastest = std::max(fastest, std::fabs(theta));
  return largest_angle / fastest;
}

std::size_t TableMaker::rows_per_table() const {
  const std::size_t rows = table_bytes / (2 * sizeof(float) * theta_.size());
  return std::max(rows / fine_steps, std::size_t{1}) * fine_steps;
}

Status TableMaker::prepare() {
  if (phasors_.size() != 0) return {};
  const std::size_t width = theta_.size();
  Status status = phasors_.allocate((fine_steps + 3) * 2 * width, "rope: phasors");
  if (!status.ok()) return status;
  const PhasorRow row{phasors_.data(), width};
  double* m = row.at(fine_steps + 2).re;
  for (std::size_t step = 0; step <= fine_steps; ++step) {
    // The last one is the coarse row, at position 0 to begin with.
    std::fill_n(m, width, step < fine_steps ? static_cast<double>(step) : 0.0);
    arch::active().table.phasors(m, theta_.data(), width, row.at(step));
  }
  coarse_ = 0;
  return {};
}

bool TableMaker::is_last(const RowPositions& positions, Direction direction) const {
  if (!last_ || last_->rows_ != positions.count || last_->direction_ != direction) return false;
  if (positions.values.empty()) return last_->positions_.empty() && last_->start_ == positions.start;
  return std::equal(positions.values.begin(), positions.values.end(), last_->positions_.begin(),
                    last_->positions_.end());
}

Status TableMaker::table(const RowPositions& positions, Direction direction,
                         std::shared_ptr<const Table>& out) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!is_last(positions, direction)) {
    Status status = prepare();
    if (!status.ok()) return status;
    // A table that somebody still reads is left to them.
    std::shared_ptr<Table> table = last_ && last_.use_count() == 1 ? std::move(last_) : std::make_shared<Table>();
    last_.reset();
    const std::size_t width = theta_.size();
    status = table->values_.reserve(2 * positions.count * width, "rope: table of cos and sin");
    if (!status.ok()) return status;
    table->rows_ = positions.count;
    table->width_ = width;
    table->direction_ = direction;
    table->start_ = positions.start;
    table->positions_.assign(positions.values.begin(), positions.values.end());
    float* cos = table->values_.data();
    float* sin = cos + positions.count * width;
    for (std::size_t row = 0; row < positions.count; ++row, cos += width, sin += width) {
      if (angles_ == Angles::float32) {
        fill_row_float32(positions[row], direction, cos, sin);
      } else {
        fill_row(positions[row], direction, cos, sin);
      }
    }
    last_ = std::move(table);
  }
  out = last_;
  return {};
}

void TableMaker::fill_row(double m, Direction direction, float* cos, float* sin) {
  const kernels::TableKernels& kernels = arch::active().table;
  const std::size_t width = theta_.size();
  const PhasorRow row{phasors_.data(), width};
  const kernels::Phasors coarse = row.at(fine_steps), scratch = row.at(fine_steps + 1);
  double* at = row.at(fine_steps + 2).re;
  // The inverse turns back and divides by the magnitude.
  const double cos_scale = direction == Direction::rotate ? magnitude_ : 1 / magnitude_;
  const double sin_scale = direction == Direction::rotate ? magnitude_ : -1 / magnitude_;

  if (m == std::floor(m)) {
    const double anchor = std::floor(m / fine_steps) * fine_steps;
    if (anchor != coarse_) {
      std::fill_n(at, width, anchor);
      kernels.phasors(at, theta_.data(), width, coarse);
      coarse_ = anchor;
    }
    const auto fine = static_cast<std::size_t>(m - anchor);
    if (kernels.product(coarse, row.at(fine), cos_scale, sin_scale, width, cos, sin)) return;
  }
  std::fill_n(at, width, m);
  kernels.phasors(at, theta_.data(), width, scratch);
  for (std::size_t j = 0; j < width; ++j) {
    cos[j] = static_cast<float>(scratch.re[j] * cos_scale);
    sin[j] = static_cast<float>(scratch.im[j] * sin_scale);
  }
}

void TableMaker::fill_row_float32(double m, Direction direction, float* cos, float* sin) {
  const std::size_t width = theta_.size();
  const PhasorRow row{phasors_.data(), width};
  const kernels::Phasors scratch = row.at(fine_steps + 1), arguments = row.at(fine_steps + 2);
  for (std::size_t j = 0; j < width; ++j) {
    arguments.re[j] = static_cast<float>(m) * theta_float32_[j];
    arguments.im[j] = 1;
  }
  arch::active().table.phasors(arguments.re, arguments.im, width, scratch);
  const bool rotate = direction == Direction::rotate;
  const auto magnitude = static_cast<float>(magnitude_);
  for (std::size_t j = 0; j < width; ++j) {
    const auto c = static_cast<float>(scratch.re[j]), s = static_cast<float>(scratch.im[j]);
    cos[j] = rotate ? c * magnitude : c / magnitude;
    sin[j] = rotate ? s * magnitude : -s / magnitude;
  }
}

}  // namespace ropewalk
