#include "rope/extent.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "base/text.hpp"

namespace ropewalk {
namespace {

constexpr std::string_view whole = "a whole number of at least 1";

/// A stride of an axis of length 1 reaches nothing, but kernels multiply it by the size of an element.
constexpr std::ptrdiff_t most_elements = std::numeric_limits<std::ptrdiff_t>::max() / 8;

std::string quoted(std::string_view name) { return sentence({"`", name, "`"}); }

bool product(std::initializer_list<std::size_t> factors, std::size_t& result) {
  result = 1;
  for (std::size_t factor : factors) {
    if (__builtin_mul_overflow(result, factor, &result)) return false;
  }
  return true;
}

/// Elements from the first channel to the end of the last one; 0 if heads would overlap.
std::size_t span_of(const Extent& extent, std::size_t head_dim) {
  struct Axis {
    std::size_t stride, count;
  };
  Axis axes[] = {{static_cast<std::size_t>(extent.strides.batch), extent.batch},
                 {static_cast<std::size_t>(extent.strides.sequence), extent.sequence},
                 {static_cast<std::size_t>(extent.strides.head), extent.heads}};
  // Three comparisons sort three axes; std::sort would be 3 KB of the WASM module.
  for (const auto& [low, high] : {std::pair{0, 1}, std::pair{1, 2}, std::pair{0, 1}}) {
    if (axes[high].stride < axes[low].stride) std::swap(axes[low], axes[high]);
  }
  std::size_t length = head_dim;
  for (const Axis& axis : axes) {
    if (axis.count == 1) continue;
    std::size_t reach;
    if (axis.stride < length || __builtin_mul_overflow(axis.stride, axis.count - 1, &reach) ||
        __builtin_add_overflow(length, reach, &length)) {
      return 0;
    }
  }
  return length;
}

Status check_strides(const Subject& subject, const Strides& strides, const Extent& extent, std::size_t size) {
  const struct {
    const char* name;
    std::ptrdiff_t value;
  } named[] = {{"batch", strides.batch}, {"sequence", strides.sequence}, {"head", strides.head}};
  for (const auto& each : named) {
    if (each.value < 0 || each.value > most_elements) {
      return out_of_range(subject.function, sentence({subject.strides_name, ".", each.name}),
                          static_cast<double>(each.value),
                          each.value < 0 ? "0 or more elements" : "a stride whose bytes can be counted");
    }
  }
  const std::size_t length = span_of(extent, subject.head_dim);
  if (length != 0 && length <= size) return {};
  const std::string value =
      sentence({"{batch: ", strides.batch, ", sequence: ", strides.sequence, ", head: ", strides.head, "}"});
  return out_of_range(subject.function, subject.strides_name, value,
                      length == 0 ? std::string("strides at which no two heads overlap")
                                  : sentence({"strides that stay within the ", size, " elements of ",
                                              quoted(subject.x_name), "; these reach ", length}));
}

Status check_packing(const Subject& subject, const Placement& placement) {
  const std::span<const std::size_t> lengths = placement.cumulative_lengths;
  if (placement.layout != Layout::thd) {
    if (lengths.empty()) return {};
    return wrong_type(subject.function, "cumulative_lengths", "given",
                      "given with the layout thd alone, whose packed sequences it cuts");
  }
  if (placement.batch != 1) {
    return out_of_range(subject.function, "batch", placement.batch, "1 with the layout thd");
  }
  if (lengths.size() < 2 || lengths.front() != 0 || lengths.back() != placement.sequence) {
    return out_of_range(
        subject.function, "cumulative_lengths",
        lengths.empty() ? std::string("missing")
                        : sentence({"an array of ", lengths.size(), " numbers from ", lengths.front(), " to ",
                                    lengths.back()}),
        sentence({"with the layout thd, 0, then the end of each sequence, the last of them sequence = ",
                  placement.sequence}));
  }
  for (std::size_t i = 1; i < lengths.size(); ++i) {
    if (lengths[i] >= lengths[i - 1]) continue;
    return out_of_range(subject.function, sentence({"cumulative_lengths[", i, "]"}), lengths[i],
                        sentence({"at least the number before it, ", lengths[i - 1]}));
  }
  return {};
}

Status check_arrays(const Subject& subject, ArrayRef x, MutableArrayRef out) {
  if (x.dtype != out.dtype) {
    return wrong_type(subject.function, subject.out_name, "of another element type",
                      sentence({"the element type of ", quoted(subject.x_name)}));
  }
  if (x.size != out.size) {
    return out_of_range(subject.function, subject.out_name, sentence({"an array of ", out.size, " elements"}),
                        sentence({x.size, " elements, as ", quoted(subject.x_name), " has"}));
  }
  const auto from = reinterpret_cast<std::uintptr_t>(x.data), to = reinterpret_cast<std::uintptr_t>(out.data);
  const std::size_t bytes = x.size * size_of(x.dtype);
  if (from != to && from < to + bytes && to < from + bytes) {
    return out_of_range(subject.function, subject.out_name,
                        sentence({"partly in the memory of ", quoted(subject.x_name)}),
                        "the same array, or one apart from it");
  }
  return {};
}

}  // namespace

Result<Extent> resolve(const Subject& subject, const Placement& placement, std::size_t heads,
                       const std::optional<Strides>& strides, ArrayRef x, MutableArrayRef out) {
  if (placement.batch == 0) return out_of_range(subject.function, "batch", placement.batch, whole);
  if (placement.sequence == 0) return out_of_range(subject.function, "sequence", placement.sequence, whole);
  if (heads == 0) return out_of_range(subject.function, subject.heads_name, heads, whole);
  ROPEWALK_TRY(check_packing(subject, placement));

  Extent extent{.batch = placement.batch,
                .sequence = placement.sequence,
                .heads = heads,
                .strides = {},
                .cumulative_lengths = placement.cumulative_lengths};
  std::size_t elements;
  const bool fits = product({extent.batch, extent.sequence, extent.heads, subject.head_dim}, elements);
  if (strides) {
    extent.strides = *strides;
    ROPEWALK_TRY(check_strides(subject, *strides, extent, x.size));
  } else {
    if (!fits || elements != x.size) {
      return out_of_range(subject.function, subject.x_name, sentence({"an array of ", x.size, " elements"}),
                          sentence({"batch * sequence * ", subject.heads_name, " * head_dim = ", extent.batch,
                                    " * ", extent.sequence, " * ", extent.heads, " * ", subject.head_dim,
                                    fits ? Piece(" = ") : Piece(", more than memory can hold: "),
                                    fits ? Piece(elements) : Piece("too many"), " elements"}));
    }
    extent.strides = strides_of(placement.layout, extent.sequence, extent.heads, subject.head_dim);
  }
  ROPEWALK_TRY(check_arrays(subject, x, out));
  return extent;
}

namespace {

/// The heads of an array in the order of their addresses, which follows from its strides. Heads of one array
/// do not overlap.
class HeadWalk {
 public:
  HeadWalk(ArrayRef array, const Extent& extent, std::size_t head_dim)
      : begin_(reinterpret_cast<std::uintptr_t>(array.data)), head_bytes_(head_dim * size_of(array.dtype)) {
    const std::size_t element = size_of(array.dtype);
    const Strides& strides = extent.strides;
    axes_[0] = {static_cast<std::size_t>(strides.batch) * element, extent.batch, 0};
    axes_[1] = {static_cast<std::size_t>(strides.sequence) * element, extent.sequence, 0};
    axes_[2] = {static_cast<std::size_t>(strides.head) * element, extent.heads, 0};
    for (const auto& [low, high] : {std::pair{0, 1}, std::pair{1, 2}, std::pair{0, 1}}) {
      if (axes_[high].stride < axes_[low].stride) std::swap(axes_[low], axes_[high]);
    }
  }

  std::uintptr_t begin() const { return begin_; }
  std::uintptr_t end() const { return begin_ + head_bytes_; }
  /// Returns false after the last head.
  bool next() {
    for (Axis& axis : axes_) {
      if (++axis.at < axis.count) {
        begin_ += axis.stride;
        return true;
      }
      begin_ -= axis.stride * (axis.count - 1);
      axis.at = 0;
    }
    return false;
  }

 private:
  struct Axis {
    std::size_t stride = 0, count = 1, at = 0;
  };
  Axis axes_[3];  // nearest neighbours first
  std::uintptr_t begin_;
  std::size_t head_bytes_;
};

}  // namespace

bool share_heads(ArrayRef a, const Extent& a_extent, ArrayRef b, const Extent& b_extent,
                 std::size_t head_dim) {
  const auto a_begin = reinterpret_cast<std::uintptr_t>(a.data),
             b_begin = reinterpret_cast<std::uintptr_t>(b.data);
  if (a_begin + a.size * size_of(a.dtype) <= b_begin || b_begin + b.size * size_of(b.dtype) <= a_begin)
    return false;
  HeadWalk in_a(a, a_extent, head_dim), in_b(b, b_extent, head_dim);
  for (;;) {
    if (in_a.end() <= in_b.begin()) {
      if (!in_a.next()) return false;
    } else if (in_b.end() <= in_a.begin()) {
      if (!in_b.next()) return false;
    } else {
      return true;
    }
  }
}

Status check_positions(const PositionRange& range, const Positions& positions, std::size_t batch,
                       std::size_t sequence) {
  const auto refusal = [&](const std::string& name, double value) {
    return out_of_range(range.function, name, value,
                        sentence({"a finite number from ", range.low, " to ", range.high}));
  };
  const auto allowed = [&](double m) { return m >= range.low && m <= range.high; };
  const std::string name(range.name);
  if (positions.is_start()) {
    const double last = positions.start() + static_cast<double>(sequence - 1);
    if (!allowed(positions.start())) return refusal(name, positions.start());
    if (!allowed(last)) return refusal(name, last);
    return {};
  }
  const std::span<const double> values = positions.values();
  // The products cannot overflow, because arrays of batch * sequence heads exist in memory.
  const std::size_t tokens = batch * sequence;
  if (values.size() != sequence && values.size() != tokens && values.size() != range.axes * tokens) {
    std::string sizes =
        sentence({"a start, or sequence = ", sequence, " numbers, or batch * sequence = ", tokens});
    if (range.axes > 1) sizes += ", or axes * batch * sequence = " + std::to_string(range.axes * tokens);
    return out_of_range(range.function, name, sentence({"an array of ", values.size(), " numbers"}), sizes);
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!allowed(values[i])) return refusal(name + "[" + std::to_string(i) + "]", values[i]);
  }
  return {};
}

}  // namespace ropewalk
