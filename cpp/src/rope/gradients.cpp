#include "ropewalk/gradients.hpp"

#include <algorithm>
#include <cmath>

#include "arch/select.hpp"
#include "base/buffer.hpp"
#include "base/elementary.hpp"
#include "base/half.hpp"
#include "base/text.hpp"
#include "rope/cuts.hpp"
#include "rope/state.hpp"

namespace ropewalk {
namespace {

// Rows of sums stay in the first-level cache between the kernel that computes them and the loop that reads
// them.
constexpr std::size_t sums_per_block = 2048;

/// Converts the sums of one row into gradients of its angles and scales, and then of the parameters behind
/// them.
class Collector {
 public:
  Collector(const RowSpec& spec, Role role, RopeGradients& out) : spec_(spec), out_(out) {
    // ln of the scale is linear in m; its slope has the opposite sign for keys.
    const double per_position = (role == Role::query ? 1 : -1) * std::log(2.0) / spec.xpos.scale_base;
    for (double log2_zeta : spec.log2_zeta) scale_slope_.push_back(per_position * log2_zeta);
  }

  /// m: one position per axis, `axis_stride` apart (0: shared), at `positions`. Their gradients go to `out`.
  void add(const float* cos, const float* sin, const double* turn, const double* stretch,
           const RowPositions& positions, std::size_t row, double* grad_position) {
    const std::size_t width = spec_.width();
    const std::size_t turns = spec_.mixed ? spec_.axes : 1;
    double scale = 0;
    for (std::size_t t = 0; t < turns; ++t) {
      const double* theta = &spec_.theta[t * width];
      double* grad_theta = &out_.frequencies[t * width];
      if (spec_.axis_of.empty()) {
        const double m = positions.at(row, t);
        double grad_m = 0;
        for (std::size_t j = 0; j < width; ++j) {
          const double angle = cos[j] * turn[j] - sin[j] * stretch[j];
          grad_theta[j] += m * angle;
          grad_m += theta[j] * angle;
        }
        grad_position[t * positions.axis_stride] += grad_m;
        continue;
      }
      for (std::size_t j = 0; j < width; ++j) {
        const std::size_t axis = spec_.axis_of[j];
        const double angle = cos[j] * turn[j] - sin[j] * stretch[j];
        grad_theta[j] += positions.at(row, axis) * angle;
        grad_position[axis * positions.axis_stride] += theta[j] * angle;
      }
    }
    const std::size_t pairs = scale_slope_.size();
    for (std::size_t j = 0; j < width; ++j) {
      const double stretched = cos[j] * stretch[j] + sin[j] * turn[j];  // u dL/du
      scale += stretched;
      if (pairs == 0) continue;
      const std::size_t axis = spec_.axis_of.empty() ? 0 : spec_.axis_of[j];
      grad_position[axis * positions.axis_stride] += scale_slope_[j % pairs] * stretched;
    }
    out_.magnitude += scale / spec_.magnitude;
  }

 private:
  const RowSpec& spec_;
  RopeGradients& out_;
  std::vector<double> scale_slope_;  // d ln s / dm per pair
};

/// x as float32: itself, or 16-bit elements widened into `memory`.
Status widen(ArrayRef x, const char* what, Buffer<float>& memory, const float*& out) {
  out = static_cast<const float*>(x.data);
  if (x.dtype == DType::float32) return {};
  ROPEWALK_TRY(memory.allocate(x.size, what));
  const auto* bits = static_cast<const std::uint16_t*>(x.data);
  const auto read = x.dtype == DType::float16 ? from_float16 : from_bfloat16;
  for (std::size_t i = 0; i < x.size; ++i) memory[i] = read(bits[i]);
  out = memory.data();
  return {};
}

/// Each block of d/2 frequencies has its own alpha and rho, or all blocks share one.
void add_receptive_field(const ReceptiveFieldTerms& terms, std::size_t pairs, RopeGradients& out) {
  out.alpha.assign(terms.alpha.size(), 0);
  out.rho.assign(terms.rho.size(), 0);
  for (std::size_t i = 0; i < out.frequencies.size(); ++i) {
    const std::size_t block = i / pairs;
    const std::size_t a = terms.alpha.size() == 1 ? 0 : block, r = terms.rho.size() == 1 ? 0 : block;
    const double shared = power(10000, -terms.rho[r]);
    out.alpha[a] += out.frequencies[i] * (shared - terms.own[i]);
    out.rho[r] -= out.frequencies[i] * terms.alpha[a] * std::log(10000.0) * shared;
  }
}

}  // namespace

Status Rope::try_gradients(ArrayRef x, ArrayRef grad_y, const Placement& placement, RopeGradients& out,
                           Role role) const {
  constexpr std::string_view function = "gradients";
  const State& state = *state_;
  const RowSpec& spec = state.tables.spec();
  const Subject subject{function, "x", "grad_y", "heads", "strides", state.head_dim};
  // The same requirements as for an output array: the size and element type of x, and no partial overlap with
  // it.
  const MutableArrayRef as_output(const_cast<void*>(grad_y.data), grad_y.size, grad_y.dtype);
  ROPEWALK_LET(array, state.check(subject, placement, placement.heads, placement.strides, x, as_output,
                                  {Purpose::rotate, role}));
  const Positions& positions = placement.positions;
  ROPEWALK_TRY(check_positions(state.range(function), positions, placement.batch, placement.sequence));

  const std::size_t width = spec.width(), rows = std::max(sums_per_block / width, std::size_t{1});
  Buffer<double> sums;
  ROPEWALK_TRY(sums.allocate(2 * rows * width, "gradients: sums"));
  Buffer<float> wide_x, wide_grad_y;
  const float *x_values, *grad_y_values;
  ROPEWALK_TRY(widen(x, "gradients: x", wide_x, x_values));
  ROPEWALK_TRY(widen(grad_y, "gradients: grad_y", wide_grad_y, grad_y_values));
  // out.x may be x or grad_y, which have the right size. The elements that strides skip must be 0.
  std::vector<float> fresh;
  const bool is_fresh = out.x.size() != x.size || placement.strides;
  const std::size_t position_count = positions.is_start() ? placement.sequence : positions.values().size();
  // alpha and rho have at most one entry per head, fewer than there are frequencies.
  const std::size_t vector_bytes =
      (is_fresh ? x.size * sizeof(float) : 0) + (position_count + 3 * spec.theta.size() + 2) * sizeof(double);
  ROPEWALK_TRY(check_memory(vector_bytes, "gradients"));
  if (is_fresh) fresh.resize(x.size);
  float* grad_x = fresh.empty() ? out.x.data() : fresh.data();
  out.frequencies.assign(spec.theta.size(), 0);
  out.positions.assign(position_count, 0);
  out.magnitude = 0;
  out.alpha.clear();
  out.rho.clear();

  Collector collector(spec, role, out);
  const auto kernel = arch::active()->gradients.of[static_cast<int>(state.pairing)];
  const Cuts cuts(array.extent, {&positions, 1}, state.tables.rows_per_table());
  TablePtr table;
  Status status = cuts.each([&](const Cut& cut) -> Status {
    const RowPositions at = cut.rows(positions, spec.axes);
    ROPEWALK_TRY(state.tables.table(at, array.key, table));
    for (std::size_t i = cut.first_segment; i < cut.last_segment; ++i) {
      const Segment segment = cuts.segment(i);
      if (segment.count <= cut.token) continue;
      const std::size_t count = std::min(cut.count, segment.count - cut.token),
                        first = segment.first + cut.token;
      double* grad_positions =
          out.positions.data() +
          (positions.is_start() ? first : static_cast<std::size_t>(at.values - positions.values().data()));
      for (std::size_t begin = 0; begin < count; begin += rows) {
        const std::size_t tokens = std::min(rows, count - begin);
        const float *cos = table->cos() + begin * width, *sin = table->sin() + begin * width;
        double *turn = sums.data(), *stretch = sums.data() + rows * width;
        std::fill_n(sums.data(), sums.size(), 0.0);
        for (std::size_t w = 0; w < state.windows.count; ++w) {
          const Window window = state.windows.at(w);
          kernels::GradientJob job{};
          const std::ptrdiff_t start =
              state.place(job, window, array.extent, segment.batch, first + begin, tokens);
          job.x = x_values + start;
          job.grad_y = grad_y_values + start;
          job.grad_x = grad_x + start;
          job.cos = cos + window.first_pair;
          job.sin = sin + window.first_pair;
          job.turn = turn + window.first_pair;
          job.stretch = stretch + window.first_pair;
          kernel(job);
        }
        if (table->scales() != nullptr && state.rotary_dim < state.head_dim) {
          state.scale_the_rest({grad_x, x.size, DType::float32}, array.extent, table->scales() + begin,
                               segment.batch, first + begin, tokens);
        }
        for (std::size_t row = 0; row < tokens; ++row) {
          collector.add(cos + row * width, sin + row * width, turn + row * width, stretch + row * width, at,
                        begin + row, grad_positions + begin + row);
        }
      }
    }
    return {};
  });
  if (!status.ok()) return status;
  if (!fresh.empty()) out.x = std::move(fresh);
  if (state.receptive_field) add_receptive_field(*state.receptive_field, state.pairs(), out);
  return {};
}

}  // namespace ropewalk
