#include "ropewalk/rope.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "arch/select.hpp"
#include "base/elementary.hpp"
#include "base/half.hpp"
#include "base/text.hpp"
#include "rope/cuts.hpp"
#include "rope/rotate_on.hpp"
#include "rope/row_spec.hpp"
#include "rope/state.hpp"

namespace ropewalk {
namespace {

constexpr std::size_t largest_head_dim = 1 << 16;
// Larger arrays leave the second-level cache of a core. Where that is smaller, the kernel for smaller arrays is no slower.
constexpr std::size_t cache_bytes = std::size_t{2} << 20;

Status check_window(const RopeOptions& options, std::size_t rotary_dim) {
  if (options.head_dim == 0 || options.head_dim > largest_head_dim) {
    return out_of_range("rope", "head_dim", options.head_dim, "a whole number from 1 to 65536");
  }
  if (!options.rotary_dim && rotary_dim % 2 != 0) {
    return out_of_range("rope", "head_dim", options.head_dim,
                        "an even number, or any with an even rotary_dim below it");
  }
  if (rotary_dim == 0 || rotary_dim % 2 != 0 || rotary_dim > options.head_dim) {
    return out_of_range("rope", "rotary_dim", rotary_dim,
                        sentence({"an even number from 2 to head_dim = ", options.head_dim}));
  }
  if (options.rotary_offset > options.head_dim - rotary_dim) {
    return out_of_range(
        "rope", "rotary_offset", options.rotary_offset,
        sentence({"a whole number from 0 to head_dim - rotary_dim = ", options.head_dim - rotary_dim}));
  }
  return {};
}

/// theta_j without the rule, which are those of alpha = 0 however the axes distribute them.
Result<ReceptiveFieldTerms> make_terms(const RopeOptions& options, const frequencies::ReceptiveField& rule,
                                       std::size_t rotary_dim) {
  ReceptiveFieldTerms terms{rule.alpha.values, rule.rho.values, {}};
  RopeOptions plain = options;
  plain.frequencies =
      frequencies::ReceptiveField{rule.base, std::vector<double>(rule.alpha.values.size(), 0.0), rule.rho};
  ROPEWALK_LET(spec, make_row_spec(plain, rotary_dim));
  terms.own = std::move(spec.theta);
  return terms;
}

}  // namespace

/// If each head has its own frequencies, the array must have that many heads.
Status Rope::State::check_heads(std::string_view function, std::string_view name, std::size_t heads) const {
  const std::size_t own = tables.spec().width() / pairs();
  if (own == 1 || own == heads) return {};
  return out_of_range(function, name, heads, sentence({own, ", the number of heads that have frequencies"}));
}

Result<Rope::State::Array> Rope::State::check(const Subject& subject, const Placement& placement,
                                              std::size_t heads, const std::optional<Strides>& strides,
                                              ArrayRef x, MutableArrayRef out, TableKey key) const {
  ROPEWALK_LET(extent, resolve(subject, placement, heads, strides, x, out));
  ROPEWALK_TRY(check_heads(subject.function, subject.heads_name, heads));
  return Array{x, out, extent, key};
}

/// Tokens from first_token of one batch use the first rows of the table.
void Rope::State::run(arch::Architecture architecture, const Array& array, const Table& table,
                      std::size_t batch, std::size_t first_token, std::size_t tokens) const {
  const std::size_t element = size_of(array.x.dtype);
  for (std::size_t i = 0; i < windows.count; ++i) {
    const Window window = windows.at(i);
    kernels::RotateJob job{};
    const std::ptrdiff_t start =
        place(job, window, array.extent, batch, first_token, tokens) * static_cast<std::ptrdiff_t>(element);
    job.x = static_cast<const char*>(array.x.data) + start;
    job.y = static_cast<char*>(array.out.data) + start;
    job.y_outer = job.x_outer;
    job.y_inner = job.x_inner;
    job.cos = table.cos() + window.first_pair;
    job.sin = table.sin() + window.first_pair;
    job.streaming = array.x.size * element > cache_bytes;
    architecture->rotate.of[static_cast<int>(array.x.dtype)][static_cast<int>(pairing)](job);
  }
  if (table.scales() != nullptr && rotary_dim < head_dim) {
    scale_the_rest(array.out, array.extent, table.scales(), batch, first_token, tokens);
  }
}

namespace {

void scale(void* data, std::ptrdiff_t first, std::size_t count, DType dtype, float by) {
  if (dtype == DType::float32) {
    float* x = static_cast<float*>(data) + first;
    for (std::size_t i = 0; i < count; ++i) x[i] *= by;
    return;
  }
  auto* x = static_cast<std::uint16_t*>(data) + first;
  const bool brain = dtype == DType::bfloat16;
  for (std::size_t i = 0; i < count; ++i) {
    x[i] = brain ? to_bfloat16(from_bfloat16(x[i]) * by) : to_float16(from_float16(x[i]) * by);
  }
}

}  // namespace

void Rope::State::scale_the_rest(MutableArrayRef out, const Extent& extent, const float* scales,
                                 std::size_t batch, std::size_t first_token, std::size_t tokens) const {
  const auto signed_of = [](std::size_t i) { return static_cast<std::ptrdiff_t>(i); };
  const std::size_t end = rotary_offset + rotary_dim;
  for (std::size_t token = 0; token < tokens; ++token) {
    for (std::size_t head = 0; head < extent.heads; ++head) {
      const std::ptrdiff_t at = signed_of(batch) * extent.strides.batch +
                                signed_of(first_token + token) * extent.strides.sequence +
                                signed_of(head) * extent.strides.head;
      scale(out.data, at, rotary_offset, out.dtype, scales[token]);
      scale(out.data, at + signed_of(end), head_dim - end, out.dtype, scales[token]);
    }
  }
}

Status Rope::State::apply(arch::Architecture architecture, const Placement& placement,
                          std::span<const Array> arrays) const {
  const Cuts cuts(arrays[0].extent, {&placement.positions, 1}, tables.rows_per_table());
  TablePtr table;
  return cuts.each([&](const Cut& cut) -> Status {
    const RowPositions rows = cut.rows(placement.positions, tables.spec().axes);
    for (const Array& array : arrays) {
      ROPEWALK_TRY(tables.table(rows, array.key, table));
      for (std::size_t i = cut.first_segment; i < cut.last_segment; ++i) {
        const Segment segment = cuts.segment(i);
        if (segment.count <= cut.token) continue;
        run(architecture, array, *table, segment.batch, segment.first + cut.token,
            std::min(cut.count, segment.count - cut.token));
      }
    }
    return {};
  });
}

Status Rope::State::apply_between(arch::Architecture architecture, const Placement& placement,
                                  const Array& array, const State& to, const Positions& to_positions) const {
  const Positions both[] = {placement.positions, to_positions};
  const Cuts cuts(array.extent, both, tables.rows_per_table());
  // With the same angles only the distance matters, and its rows are exact and cheap.
  const bool same = &to == this || (same_angles(tables.spec(), to.tables.spec()) &&
                                    tables.spec().magnitude == to.tables.spec().magnitude);
  const bool scaled =
      array.key.role == Role::query && (tables.spec().query_scale || to.tables.spec().query_scale);
  const bool shift =
      same && !scaled && tables.spec().angles == Angles::exact && to.tables.spec().angles == Angles::exact;
  Buffer<double> distances;
  TablePtr table;
  return cuts.each([&](const Cut& cut) -> Status {
    const std::size_t axes = tables.spec().axes;
    const RowPositions from = cut.rows(both[0], axes), target = cut.rows(both[1], axes);
    Status status;
    if (shift) {
      ROPEWALK_TRY(distances.reserve(axes * cut.count, "rerotate: distances"));
      for (std::size_t axis = 0; axis < axes; ++axis) {
        for (std::size_t row = 0; row < cut.count; ++row) {
          // Distances count from xPos's centre, as positions do.
          distances[axis * cut.count + row] =
              target.at(row, axis) - from.at(row, axis) + tables.spec().xpos.centre;
        }
      }
      status = tables.table({.values = distances.data(), .axis_stride = cut.count, .count = cut.count},
                            {Purpose::shift, array.key.role}, table);
    } else {
      status = tables.table_between(from, to.tables, target, array.key.role, table);
    }
    if (!status.ok()) return status;
    for (std::size_t i = cut.first_segment; i < cut.last_segment; ++i) {
      const Segment segment = cuts.segment(i);
      if (segment.count <= cut.token) continue;
      run(architecture, array, *table, segment.batch, segment.first + cut.token,
          std::min(cut.count, segment.count - cut.token));
    }
    return {};
  });
}

Status Rope::State::one(arch::Architecture architecture, std::string_view function, ArrayRef x,
                        MutableArrayRef out, const Placement& placement, TableKey key) const {
  if (simple_call(architecture, x, out, placement, key)) return {};
  const Subject subject{function, "x", "out", "heads", "strides", head_dim};
  ROPEWALK_LET(array, check(subject, placement, placement.heads, placement.strides, x, out, key));
  ROPEWALK_TRY(check_positions(range(function), placement.positions, placement.batch, placement.sequence));
  return apply(architecture, placement, {&array, 1});
}

Result<Rope> Rope::make(const RopeOptions& options) {
  const std::size_t rotary_dim = options.rotary_dim.value_or(options.head_dim);
  ROPEWALK_TRY(check_window(options, rotary_dim));
  ROPEWALK_LET(spec, make_row_spec(options, rotary_dim));
  ROPEWALK_LET(plan, plan_axes(options, rotary_dim / 2));
  ROPEWALK_LET(windows, windows_of(options, rotary_dim / 2, plan));
  std::optional<ReceptiveFieldTerms> receptive_field;
  if (const auto* rule = std::get_if<frequencies::ReceptiveField>(&options.frequencies)) {
    ROPEWALK_LET(terms, make_terms(options, *rule, rotary_dim));
    receptive_field = std::move(terms);
  }
  return Rope(
      std::unique_ptr<State>(new State{options.head_dim, rotary_dim, options.rotary_offset, options.pairing,
                                       TableMaker(std::move(spec)), std::move(receptive_field), windows}));
}

Rope::Rope(std::unique_ptr<State> state) : state_(std::move(state)) {}
Rope::Rope(Rope&&) noexcept = default;
Rope& Rope::operator=(Rope&&) noexcept = default;
Rope::~Rope() = default;

std::size_t Rope::head_dim() const { return state_->head_dim; }
std::size_t Rope::rotary_dim() const { return state_->rotary_dim; }
std::size_t Rope::rotary_offset() const { return state_->rotary_offset; }
Pairing Rope::pairing() const { return state_->pairing; }
std::size_t Rope::width() const { return state_->tables.spec().width(); }
std::size_t Rope::axes() const { return state_->tables.spec().axes; }
std::span<const double> Rope::frequencies() const { return state_->tables.spec().theta; }
double Rope::magnitude() const { return state_->tables.spec().magnitude; }

double QueryScale::at(double m) const {
  return 1 + scale * natural_log(1 + std::floor((m + static_cast<double>(offset)) / length));
}

Status Rope::try_query_scales(std::span<const double> positions, std::span<double> out) const {
  constexpr std::string_view function = "query_scales";
  if (out.size() != positions.size()) {
    return wrong_count(function, "out", out.size(),
                       sentence({positions.size(), ", as many as `positions` has"}));
  }
  const PositionRange all = state_->range(function);
  const PositionRange range{function, all.name, 1, all.low, all.high};
  if (positions.empty()) return {};
  ROPEWALK_TRY(check_positions(range, positions, 1, positions.size()));
  const std::optional<QueryScale>& query_scale = state_->tables.spec().query_scale;
  std::ranges::transform(positions, out.begin(),
                         [&](double m) { return query_scale ? query_scale->at(m) : 1; });
  return {};
}

double wavelength_of(double theta) {
  return theta == 0 ? std::numeric_limits<double>::infinity() : 2 * M_PI / std::fabs(theta);
}

std::vector<double> Rope::wavelengths() const {
  std::vector<double> lengths;
  for (double theta : frequencies()) lengths.push_back(wavelength_of(theta));
  return lengths;
}

Status Rope::try_rotate(ArrayRef x, MutableArrayRef out, const Placement& placement, Role role) const {
  return state_->one(arch::active(), "rotate", x, out, placement, {Purpose::rotate, role});
}

Status rotate_on(arch::Architecture architecture, const Rope& rope, ArrayRef x, MutableArrayRef out,
                 const Placement& placement, Role role) {
  return rope.state_->one(architecture, "rotate", x, out, placement, {Purpose::rotate, role});
}

Status Rope::try_unrotate(ArrayRef x, MutableArrayRef out, const Placement& placement, Role role) const {
  return state_->one(arch::active(), "unrotate", x, out, placement, {Purpose::unrotate, role});
}

/// An output for queries must not overlap an input of keys, nor the reverse, and no element is written twice.
Status Rope::State::check_apart(std::string_view function, const Array& q, const Array& k,
                                std::size_t head_dim) {
  const ArrayRef out_q{q.out.data, q.out.size, q.out.dtype}, out_k{k.out.data, k.out.size, k.out.dtype};
  const auto refuse = [&](std::string_view argument, std::string_view other) {
    return out_of_range(function, argument, sentence({"in the memory of `", other, "`"}),
                        "an array apart from it");
  };
  if (share_heads(out_q, q.extent, k.x, k.extent, head_dim)) return refuse("out_q", "k");
  if (share_heads(out_k, k.extent, q.x, q.extent, head_dim)) return refuse("out_k", "q");
  if (share_heads(out_q, q.extent, out_k, k.extent, head_dim)) return refuse("out_k", "out_q");
  return {};
}

Status Rope::try_rotate_qk(ArrayRef q, MutableArrayRef out_q, ArrayRef k, MutableArrayRef out_k,
                           const Placement& placement, std::size_t kv_heads,
                           std::optional<Strides> key_strides) const {
  constexpr std::string_view function = "rotate_qk";
  const RowSpec& spec = state_->tables.spec();
  // Where they do not differ, both share one table.
  const bool roles_differ = !spec.log2_zeta.empty() || spec.query_scale;
  const std::size_t head_dim = state_->head_dim;
  ROPEWALK_LET(queries,
               state_->check({function, "q", "out_q", "heads", "strides", head_dim}, placement,
                             placement.heads, placement.strides, q, out_q, {Purpose::rotate, Role::query}));
  ROPEWALK_LET(
      keys, state_->check({function, "k", "out_k", "kv_heads", "key_strides", head_dim}, placement, kv_heads,
                          key_strides, k, out_k, {Purpose::rotate, roles_differ ? Role::key : Role::query}));
  ROPEWALK_TRY(State::check_apart(function, queries, keys, head_dim));
  ROPEWALK_TRY(
      check_positions(state_->range(function), placement.positions, placement.batch, placement.sequence));
  const State::Array arrays[] = {std::move(queries), std::move(keys)};
  return state_->apply(arch::active(), placement, arrays);
}

namespace {

struct Bounds {
  double low, high;
};
Bounds bounds_of(const Positions& positions, std::size_t sequence) {
  if (positions.is_start()) return {positions.start(), positions.start() + static_cast<double>(sequence - 1)};
  const auto [low, high] = std::minmax_element(positions.values().begin(), positions.values().end());
  return {*low, *high};
}

/// With xPos, a step whose scale exceeds float32 is an error even if both positions are in range.
Status check_scale(const TableMaker& tables, const Placement& placement, const Positions& to_positions) {
  if (tables.spec().log2_zeta.empty()) return {};
  const double limit = tables.highest_position() - tables.spec().xpos.centre;
  const Bounds from = bounds_of(placement.positions, placement.sequence),
               to = bounds_of(to_positions, placement.sequence);
  for (const auto& [a, b] : {std::pair{from.low, to.high}, std::pair{from.high, to.low}}) {
    if (std::fabs(b - a) <= limit) continue;
    return out_of_range("rerotate", "to.positions", b,
                        sentence({"with xPos, at most ", limit, " from `positions` (", a, ")"}));
  }
  return {};
}

}  // namespace

Status rerotate_on(arch::Architecture architecture, const Rope& rope, ArrayRef x, MutableArrayRef out,
                   const Placement& placement, const Target& to, Role role) {
  constexpr std::string_view function = "rerotate";
  const Rope::State &own = *rope.state_, &target = to.rope == nullptr ? own : *to.rope->state_;
  const RowSpec &old_spec = own.tables.spec(), &new_spec = target.tables.spec();
  if (target.head_dim != own.head_dim || target.rotary_dim != own.rotary_dim ||
      target.rotary_offset != own.rotary_offset || target.pairing != own.pairing ||
      !(target.windows == own.windows) || new_spec.width() != old_spec.width() ||
      new_spec.axes != old_spec.axes) {
    return wrong_type(function, "to.rope", "of another shape",
                      "a rope with the same head_dim, rotary_dim, rotary_offset, pairing, axes and number of "
                      "frequencies: only the frequencies may differ");
  }
  const Subject subject{function, "x", "out", "heads", "strides", own.head_dim};
  ROPEWALK_LET(array, own.check(subject, placement, placement.heads, placement.strides, x, out,
                                {Purpose::shift, role}));
  const std::size_t batch = placement.batch, sequence = placement.sequence;
  ROPEWALK_TRY(check_positions(own.range(function), placement.positions, batch, sequence));
  ROPEWALK_TRY(check_positions(target.range(function, "to.positions"), to.positions, batch, sequence));
  ROPEWALK_TRY(check_scale(own.tables, placement, to.positions));
  return own.apply_between(architecture, placement, array, target, to.positions);
}

Status Rope::try_rerotate(ArrayRef x, MutableArrayRef out, const Placement& placement, const Target& to,
                          Role role) const {
  return rerotate_on(arch::active(), *this, x, out, placement, to, role);
}

Status Rope::try_table(std::span<const double> positions, std::span<float> cos, std::span<float> sin) const {
  const std::size_t row_width = width();
  if (positions.empty()) return out_of_range("table", "positions", "an empty array", "at least one position");
  if (row_width == 0 || cos.size() % row_width != 0 || cos.empty() ||
      (positions.size() * row_width != cos.size() && positions.size() * row_width != cos.size() * axes())) {
    return out_of_range("table", "cos", sentence({"an array of ", cos.size(), " elements"}),
                        sentence({"positions * frequencies = ", positions.size() * row_width, " elements"}));
  }
  if (sin.size() != cos.size()) {
    return out_of_range("table", "sin", sentence({"an array of ", sin.size(), " elements"}),
                        sentence({cos.size(), " elements, as cos has"}));
  }
  const std::size_t rows = cos.size() / row_width;
  ROPEWALK_TRY(check_positions(state_->range("table"), positions, 1, rows));
  const std::size_t chunk = state_->tables.rows_per_table();
  const std::size_t axis_stride = positions.size() == rows ? 0 : rows;
  TablePtr table;
  for (std::size_t row = 0; row < rows; row += chunk) {
    const std::size_t count = std::min(chunk, rows - row);
    ROPEWALK_TRY(state_->tables.table(
        {.values = positions.data() + row, .axis_stride = axis_stride, .count = count}, {}, table));
    std::copy_n(table->cos(), count * row_width, cos.data() + row * row_width);
    std::copy_n(table->sin(), count * row_width, sin.data() + row * row_width);
  }
  return {};
}

}  // namespace ropewalk
