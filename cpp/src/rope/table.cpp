#include "rope/table.hpp"

#include <algorithm>
#include <cmath>
#include <new>

#include "arch/select.hpp"
#include "base/text.hpp"

namespace ropewalk {
namespace {

// Larger angles would lose the last bits of cos and sin: see kernels/table.inl.hpp.
constexpr double largest_angle = 0x1p45;
// xPos scales from 2^-100 to 2^100 keep the product with x and the magnitude within float32.
constexpr double largest_exponent = 100;
constexpr std::size_t table_bytes = std::size_t{4} << 20;

// Index of the coarse row of TableMaker::phasors_, after the fine rows.
enum Scratch : std::size_t { coarse_row = 0, result_row, axis_row, argument_row, scratch_rows };

kernels::Phasors at(double* data, std::size_t row, std::size_t width) {
  return {data + 2 * row * width, data + (2 * row + 1) * width};
}

}  // namespace

Status Table::allocate(std::size_t rows, std::size_t width, bool scaled) {
  Status status = values_.reserve(2 * rows * width + (scaled ? rows : 0), "rope: table of cos and sin");
  if (status.ok()) rows_ = rows, width_ = width, scaled_ = scaled;
  return status;
}

Status Table::keep_positions(const RowPositions& positions, std::size_t axes) {
  start_ = positions.start;
  position_count_ = positions.values == nullptr ? 0 : axes * positions.count;
  ROPEWALK_TRY(positions_.reserve(position_count_, "rope: positions"));
  for (std::size_t axis = 0; positions.values != nullptr && axis < axes; ++axis) {
    std::copy_n(positions.values + axis * positions.axis_stride, positions.count,
                positions_.data() + axis * positions.count);
  }
  return {};
}

Status TablePtr::make() {
  Table* table = new (std::nothrow) Table;
  if (table == nullptr) return Status::out_of_memory("rope: no memory for a table of cos and sin");
  table->holders_ = 1;
  *this = {};
  table_ = table;
  return {};
}

TableMaker::TableMaker(RowSpec spec) : spec_(std::move(spec)) {
  find_limits();
  const std::size_t rows = table_bytes / (2 * sizeof(float) * spec_.width());
  rows_per_table_ = std::max(rows / fine_steps, std::size_t{1}) * fine_steps;
}

void TableMaker::set_frequencies(std::span<const double> theta) {
  std::copy(theta.begin(), theta.end(), spec_.theta.begin());
  std::copy(theta.begin(), theta.end(), spec_.theta_float32.begin());
  find_limits();
  prepared_ = false;
  if (last_.is_alone()) {
    last_.table_->rows_ = 0;
  } else {
    last_ = {};
  }
}

void TableMaker::find_limits() {
  double fastest = 1;
  for (double theta : spec_.theta) fastest = std::max(fastest, std::fabs(theta));
  highest_position_ = largest_angle / fastest;
  lowest_position_ = -highest_position_;
  if (spec_.query_scale) lowest_position_ = -static_cast<double>(spec_.query_scale->offset);
  if (!spec_.log2_zeta.empty()) {
    const double reach = std::floor(largest_exponent / -spec_.log2_zeta[0]) * spec_.xpos.scale_base;
    highest_position_ = std::min(highest_position_, spec_.xpos.centre + reach);
    lowest_position_ = std::max(spec_.query_scale ? lowest_position_ : -highest_position_,
                                2 * spec_.xpos.centre - highest_position_);
  }
}

Status TableMaker::prepare() {
  if (prepared_) return {};
  const std::size_t width = spec_.width();
  ROPEWALK_TRY(phasors_.reserve((fine_steps + scratch_rows) * 2 * width, "rope: phasors"));
  double* m = at(phasors_.data(), fine_steps + argument_row, width).re;
  for (std::size_t step = 0; step <= fine_steps; ++step) {
    // The last row is the coarse one, which starts at position 0.
    std::fill_n(m, width, step < fine_steps ? static_cast<double>(step) : 0.0);
    arch::active()->table.phasors(m, spec_.theta.data(), width, at(phasors_.data(), step, width));
  }
  coarse_ = 0;
  prepared_ = true;
  return {};
}

bool TableMaker::is_last(const RowPositions& positions, TableKey key) const {
  if (!last_ || !(last_->key_ == key)) return false;
  // The first rows of a longer table can be reused, so batches of different lengths share one table.
  if (positions.values == nullptr) {
    return last_->position_count_ == 0 && last_->start_ == positions.start && last_->rows_ >= positions.count;
  }
  if (last_->rows_ != positions.count) return false;
  if (last_->position_count_ != spec_.axes * positions.count) return false;
  for (std::size_t axis = 0; axis < spec_.axes; ++axis) {
    const double* values = positions.values + axis * positions.axis_stride;
    if (!std::equal(values, values + positions.count, &last_->positions_[axis * positions.count]))
      return false;
  }
  return true;
}

Status TableMaker::table(const RowPositions& positions, TableKey key, TablePtr& out) {
  // A table that the caller still holds from the last call must not be overwritten.
  out = {};
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!is_last(positions, key)) {
    ROPEWALK_TRY(prepare());
    // A table that another holder still reads is left alone.
    TablePtr held;
    if (last_.is_alone()) std::swap(held, last_);
    last_ = {};
    if (!held) {
      ROPEWALK_TRY(held.make());
    }
    Table& table = *held.table_;
    ROPEWALK_TRY(table.allocate(positions.count, spec_.width(), is_scaled(key.role)));
    ROPEWALK_TRY(table.keep_positions(positions, spec_.axes));
    table.key_ = key;
    for (std::size_t row = 0; row < positions.count; ++row) {
      fill_row(positions, row, key, table);
    }
    last_ = std::move(held);
  }
  out = last_;
  return {};
}

double TableMaker::query_scale_of(const RowPositions& positions, std::size_t row, Role role) const {
  return is_scaled(role) ? spec_.query_scale->at(positions.at(row, 0)) : 1;
}

void TableMaker::fill_row(const RowPositions& positions, std::size_t row, TableKey key, Table& table) {
  const bool inverse = key.purpose == Purpose::unrotate;
  const double query_scale = query_scale_of(positions, row, key.role);
  const double magnitude = (key.purpose == Purpose::shift ? 1 : spec_.magnitude) * query_scale;
  const Factors factor = inverse ? Factors{1 / magnitude, -1 / magnitude} : Factors{magnitude, magnitude};
  table.keep_scale(row, inverse ? 1 / query_scale : query_scale);
  float *cos = table.cos_row(row), *sin = table.sin_row(row);
  const bool simple = spec_.axes == 1 && spec_.log2_zeta.empty() && spec_.angles == Angles::exact;
  if (simple && fill_row_of_whole(positions.at(row, 0), factor, cos, sin)) return;

  const std::size_t width = spec_.width();
  const kernels::Phasors phasors = row_of(positions, row);
  const double* scales = scales_of(positions, row, key.role);
  if (spec_.angles == Angles::float32 && scales == nullptr) {
    // PyTorch rounds cos and sin before the magnitude multiplies them.
    for (std::size_t j = 0; j < width; ++j) {
      cos[j] = static_cast<float>(phasors.re[j]) * static_cast<float>(factor.cos);
      sin[j] = static_cast<float>(phasors.im[j]) * static_cast<float>(factor.sin);
    }
    return;
  }
  for (std::size_t j = 0; j < width; ++j) {
    const double scale = scales == nullptr ? 1 : inverse ? 1 / scales[j] : scales[j];
    cos[j] = static_cast<float>(phasors.re[j] * (factor.cos * scale));
    sin[j] = static_cast<float>(phasors.im[j] * (factor.sin * scale));
  }
}

/// False if m is not whole, or if some entry is so small that the product would not be exact.
bool TableMaker::fill_row_of_whole(double m, Factors factor, float* cos, float* sin) {
  if (m != std::floor(m)) return false;
  const kernels::TableKernels& kernels = arch::active()->table;
  const std::size_t width = spec_.width();
  const kernels::Phasors coarse = at(phasors_.data(), fine_steps + coarse_row, width);
  const double anchor = std::floor(m / fine_steps) * fine_steps;
  if (anchor != coarse_) {
    double* arguments = at(phasors_.data(), fine_steps + argument_row, width).re;
    std::fill_n(arguments, width, anchor);
    kernels.phasors(arguments, spec_.theta.data(), width, coarse);
    coarse_ = anchor;
  }
  const auto fine = static_cast<std::size_t>(m - anchor);
  return kernels.product(coarse, at(phasors_.data(), fine, width), factor.cos, factor.sin, width, cos, sin);
}

/// Writes e^{i phi} of one row to the scratch rows.
kernels::Phasors TableMaker::row_of(const RowPositions& positions, std::size_t row) {
  const kernels::TableKernels& kernels = arch::active()->table;
  const std::size_t width = spec_.width();
  const kernels::Phasors result = at(phasors_.data(), fine_steps + result_row, width);
  const kernels::Phasors turned = at(phasors_.data(), fine_steps + axis_row, width);
  const kernels::Phasors argument = at(phasors_.data(), fine_steps + argument_row, width);
  const std::size_t turns = spec_.mixed ? spec_.axes : 1;
  for (std::size_t turn = 0; turn < turns; ++turn) {
    const kernels::Phasors out = turn == 0 ? result : turned;
    for (std::size_t j = 0; j < width; ++j) {
      argument.re[j] = positions.at(row, spec_.axis_of.empty() ? turn : spec_.axis_of[j]);
    }
    if (spec_.angles == Angles::float32) {
      for (std::size_t j = 0; j < width; ++j) {
        argument.re[j] = static_cast<float>(argument.re[j]) * spec_.theta_float32[turn * width + j];
        argument.im[j] = 1;
      }
      kernels.phasors(argument.re, argument.im, width, out);
    } else {
      kernels.phasors(argument.re, &spec_.theta[turn * width], width, out);
    }
    if (turn == 0) continue;
    for (std::size_t j = 0; j < width; ++j) {
      const double re = result.re[j] * turned.re[j] - result.im[j] * turned.im[j];
      result.im[j] = result.re[j] * turned.im[j] + result.im[j] * turned.re[j];
      result.re[j] = re;
    }
  }
  return result;
}

/// Writes xPos's scale of one row to the scratch rows; nullptr without xPos.
const double* TableMaker::scales_of(const RowPositions& positions, std::size_t row, Role role) {
  if (spec_.log2_zeta.empty()) return nullptr;
  const std::size_t width = spec_.width(), pairs = spec_.log2_zeta.size();
  double* scales = at(phasors_.data(), fine_steps + axis_row, width).re;
  for (std::size_t j = 0; j < width; ++j) {
    const double m = positions.at(row, spec_.axis_of.empty() ? 0 : spec_.axis_of[j]);
    const double exponent = spec_.log2_zeta[j % pairs] * (m - spec_.xpos.centre) / spec_.xpos.scale_base;
    scales[j] = std::exp2(role == Role::query ? exponent : -exponent);
  }
  return scales;
}

Status TableMaker::table_between(const RowPositions& from, TableMaker& to, const RowPositions& to_positions,
                                 Role role, TablePtr& out) {
  TablePtr held;
  ROPEWALK_TRY(held.make());
  Table& table = *held.table_;
  const std::size_t width = spec_.width(), rows = from.count;
  ROPEWALK_TRY(table.allocate(rows, width, is_scaled(role) || to.is_scaled(role)));
  // Copies the phasors and scales of `from` before `to` computes its own.
  Buffer<double> old;
  ROPEWALK_TRY(old.allocate(3 * rows * width, "rerotate: phasors"));
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ROPEWALK_TRY(prepare());
    for (std::size_t row = 0; row < rows; ++row) {
      const kernels::Phasors phasors = row_of(from, row);
      double* kept = old.data() + 3 * row * width;
      std::copy_n(phasors.re, width, kept);
      std::copy_n(phasors.im, width, kept + width);
      const double* scales = scales_of(from, row, role);
      for (std::size_t j = 0; j < width; ++j) {
        kept[2 * width + j] =
            spec_.magnitude * query_scale_of(from, row, role) * (scales == nullptr ? 1 : scales[j]);
      }
    }
  }
  const std::lock_guard<std::mutex> lock(to.mutex_);
  ROPEWALK_TRY(to.prepare());
  for (std::size_t row = 0; row < rows; ++row) {
    const kernels::Phasors phasors = to.row_of(to_positions, row);
    const double* scales = to.scales_of(to_positions, row, role);
    const double *re = old.data() + 3 * row * width, *im = re + width, *scale = im + width;
    float *cos = table.cos_row(row), *sin = table.sin_row(row);
    const double query_scale = to.query_scale_of(to_positions, row, role);
    table.keep_scale(row, query_scale / query_scale_of(from, row, role));
    for (std::size_t j = 0; j < width; ++j) {
      const double ratio = to.spec_.magnitude * query_scale * (scales == nullptr ? 1 : scales[j]) / scale[j];
      cos[j] = static_cast<float>((phasors.re[j] * re[j] + phasors.im[j] * im[j]) * ratio);
      sin[j] = static_cast<float>((phasors.im[j] * re[j] - phasors.re[j] * im[j]) * ratio);
    }
  }
  out = std::move(held);
  return {};
}

}  // namespace ropewalk
