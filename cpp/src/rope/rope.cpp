#include "ropewalk/rope.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "arch/select.hpp"
#include "frequencies/derive.hpp"
#include "rope/extent.hpp"
#include "rope/table.hpp"
#include "text.hpp"

namespace ropewalk {
namespace {

constexpr std::size_t largest_head_dim = 1 << 16;
// Above this an array is streamed from memory, below it stays in a cache.
constexpr std::size_t cache_bytes = std::size_t{16} << 20;

Status check_window(const RopeOptions& options, std::size_t rotary_dim) {
  if (options.head_dim == 0 || options.head_dim > largest_head_dim) {
    return out_of_range("rope", "head_dim", options.head_dim, "a whole number from 1 to 65536");
  }
  if (rotary_dim == 0 || rotary_dim % 2 != 0 || rotary_dim > options.head_dim) {
    return out_of_range("rope", "rotary_dim", rotary_dim,
                        "an even number from 2 to head_dim = " + std::to_string(options.head_dim));
  }
  if (options.rotary_offset > options.head_dim - rotary_dim) {
    return out_of_range("rope", "rotary_offset", options.rotary_offset,
                        "a whole number from 0 to head_dim - rotary_dim = " +
                            std::to_string(options.head_dim - rotary_dim));
  }
  return {};
}

}  // namespace

struct Rope::State {
  std::size_t head_dim, rotary_dim, rotary_offset;
  Pairing pairing;
  mutable TableMaker tables;

  struct Array {
    ArrayRef x;
    MutableArrayRef out;
    Extent extent;
  };

  std::size_t pairs() const { return rotary_dim / 2; }
  Status check_heads(std::string_view function, std::string_view name, std::size_t heads) const;
  Status apply(const Placement& placement, Direction direction, std::span<const Array> arrays) const;
  void run(const Array& array, const Table& table, std::size_t batch, std::size_t first_token) const;
  Status one(std::string_view function, ArrayRef x, MutableArrayRef out, const Placement& placement,
             Direction direction) const;
};

/// Frequencies of each head's own fit only that many heads.
Status Rope::State::check_heads(std::string_view function, std::string_view name, std::size_t heads) const {
  const std::size_t own = tables.theta().size() / pairs();
  if (own == 1 || own == heads) return {};
  return out_of_range(function, name, heads, std::to_string(own) + ", the number of heads that have frequencies");
}

/// Tokens first_token ... of one batch, as many as the table has rows.
void Rope::State::run(const Array& array, const Table& table, std::size_t batch, std::size_t first_token) const {
  const Strides& strides = array.extent.strides;
  const auto start = static_cast<std::ptrdiff_t>(batch) * strides.batch +
                     static_cast<std::ptrdiff_t>(first_token) * strides.sequence;
  const std::size_t element = size_of(array.x.dtype);
  const auto row = static_cast<std::ptrdiff_t>(table.width());
  const std::ptrdiff_t per_head = table.width() == pairs() ? 0 : static_cast<std::ptrdiff_t>(pairs());

  kernels::RotateJob job{};
  job.x = static_cast<const char*>(array.x.data) + start * static_cast<std::ptrdiff_t>(element);
  job.y = static_cast<char*>(array.out.data) + start * static_cast<std::ptrdiff_t>(element);
  job.cos = table.cos();
  job.sin = table.sin();
  job.pairs = pairs();
  job.offset = rotary_offset;
  job.head_dim = head_dim;
  job.streaming = array.x.size * element > cache_bytes;
  if (strides.head <= strides.sequence) {  // tokens outside: bshd
    job.outer = table.rows(), job.x_outer = strides.sequence, job.table_outer = row;
    job.inner = array.extent.heads, job.x_inner = strides.head, job.table_inner = per_head;
  } else {  // heads outside: bhsd
    job.outer = array.extent.heads, job.x_outer = strides.head, job.table_outer = per_head;
    job.inner = table.rows(), job.x_inner = strides.sequence, job.table_inner = row;
  }
  job.y_outer = job.x_outer;
  job.y_inner = job.x_inner;
  arch::active().rotate.of[static_cast<int>(array.x.dtype)][static_cast<int>(pairing)](job);
}

Status Rope::State::apply(const Placement& placement, Direction direction, std::span<const Array> arrays) const {
  const std::size_t sequence = placement.sequence;
  const Positions& positions = placement.positions;
  const std::span<const double> values = positions.values();
  // All batches share the positions, unless there are as many as tokens in all.
  const bool shared = positions.is_start() || values.size() == sequence;
  const std::size_t groups = shared ? 1 : placement.batch;
  const std::size_t chunk = std::min(sequence, tables.rows_per_table());
  std::shared_ptr<const Table> table;
  for (std::size_t group = 0; group < groups; ++group) {
    for (std::size_t token = 0; token < sequence; token += chunk) {
      RowPositions rows{.start = positions.start() + static_cast<double>(token), .values = {},
                        .count = std::min(chunk, sequence - token)};
      if (!positions.is_start()) rows.values = values.subspan(group * sequence + token, rows.count);
      Status status = tables.table(rows, direction, table);
      if (!status.ok()) return status;
      for (const Array& array : arrays) {
        const std::size_t end = shared ? placement.batch : group + 1;
        for (std::size_t batch = group; batch < end; ++batch) run(array, *table, batch, token);
      }
    }
  }
  return {};
}

Status Rope::State::one(std::string_view function, ArrayRef x, MutableArrayRef out, const Placement& placement,
                        Direction direction) const {
  const Subject subject{function, "x", "out", "heads", "strides", head_dim};
  Result<Extent> extent = resolve(subject, placement, placement.heads, placement.strides, x, out);
  if (!extent.ok()) return extent.status();
  if (Status s = check_heads(function, "heads", placement.heads); !s.ok()) return s;
  if (Status s = check_positions(function, placement, tables.position_limit()); !s.ok()) return s;
  const Array array{x, out, extent.value()};
  return apply(placement, direction, {&array, 1});
}

Result<Rope> Rope::make(const RopeOptions& options) {
  const std::size_t rotary_dim = options.rotary_dim.value_or(options.head_dim);
  if (Status s = check_window(options, rotary_dim); !s.ok()) return s;
  Result<DerivedFrequencies> derived = derive(options.frequencies, {options.head_dim, rotary_dim});
  if (!derived.ok()) return derived.status();
  DerivedFrequencies& d = derived.value();
  return Rope(std::unique_ptr<State>(new State{
      options.head_dim, rotary_dim, options.rotary_offset, options.pairing,
      TableMaker(std::move(d.theta), std::move(d.theta_float32), d.magnitude, options.angles)}));
}

Rope::Rope(std::unique_ptr<State> state) : state_(std::move(state)) {}
Rope::Rope(Rope&&) noexcept = default;
Rope& Rope::operator=(Rope&&) noexcept = default;
Rope::~Rope() = default;

std::size_t Rope::head_dim() const { return state_->head_dim; }
std::size_t Rope::rotary_dim() const { return state_->rotary_dim; }
std::size_t Rope::rotary_offset() const { return state_->rotary_offset; }
Pairing Rope::pairing() const { return state_->pairing; }
std::span<const double> Rope::frequencies() const { return state_->tables.theta(); }
double Rope::magnitude() const { return state_->tables.magnitude(); }

std::vector<double> Rope::wavelengths() const {
  std::vector<double> lengths;
  for (double theta : frequencies()) {
    lengths.push_back(theta == 0 ? std::numeric_limits<double>::infinity() : 2 * M_PI / std::fabs(theta));
  }
  return lengths;
}

Status Rope::try_rotate(ArrayRef x, MutableArrayRef out, const Placement& placement) const {
  return state_->one("rotate", x, out, placement, Direction::rotate);
}

Status Rope::try_unrotate(ArrayRef x, MutableArrayRef out, const Placement& placement) const {
  return state_->one("unrotate", x, out, placement, Direction::unrotate);
}

Status Rope::try_rotate_qk(ArrayRef q, MutableArrayRef out_q, ArrayRef k, MutableArrayRef out_k,
                           const Placement& placement, std::size_t kv_heads,
                           std::optional<Strides> key_strides) const {
  constexpr std::string_view function = "rotate_qk";
  const std::size_t head_dim = state_->head_dim;
  Result<Extent> q_extent = resolve({function, "q", "out_q", "heads", "strides", head_dim}, placement,
                                    placement.heads, placement.strides, q, out_q);
  if (!q_extent.ok()) return q_extent.status();
  Result<Extent> k_extent = resolve({function, "k", "out_k", "kv_heads", "key_strides", head_dim}, placement,
                                    kv_heads, key_strides, k, out_k);
  if (!k_extent.ok()) return k_extent.status();
  if (Status s = state_->check_heads(function, "heads", placement.heads); !s.ok()) return s;
  if (Status s = state_->check_heads(function, "kv_heads", kv_heads); !s.ok()) return s;
  if (Status s = check_positions(function, placement, state_->tables.position_limit()); !s.ok()) return s;
  const State::Array arrays[] = {{q, out_q, q_extent.value()}, {k, out_k, k_extent.value()}};
  return state_->apply(placement, Direction::rotate, arrays);
}

Status Rope::try_table(std::span<const double> positions, std::span<float> cos, std::span<float> sin) const {
  const std::size_t width = frequencies().size();
  if (positions.empty()) return out_of_range("table", "positions", "an empty array", "at least one position");
  for (const auto& [name, size] : {std::pair{"cos", cos.size()}, std::pair{"sin", sin.size()}}) {
    if (size == positions.size() * width) continue;
    return out_of_range("table", name, "an array of " + std::to_string(size) + " elements",
                        "positions * frequencies = " + std::to_string(positions.size() * width) + " elements");
  }
  const Placement placement{.sequence = positions.size(), .heads = 1, .positions = positions};
  if (Status s = check_positions("table", placement, state_->tables.position_limit()); !s.ok()) return s;
  const std::size_t chunk = state_->tables.rows_per_table();
  std::shared_ptr<const Table> table;
  for (std::size_t row = 0; row < positions.size(); row += chunk) {
    const std::size_t rows = std::min(chunk, positions.size() - row);
    Status status = state_->tables.table({.start = 0, .values = positions.subspan(row, rows), .count = rows},
                                         Direction::rotate, table);
    if (!status.ok()) return status;
    std::copy_n(table->cos(), rows * width, cos.data() + row * width);
    std::copy_n(table->sin(), rows * width, sin.data() + row * width);
  }
  return {};
}

}  // namespace ropewalk
