// Rotation of any shape, layout, strides and element type at any positions: every instruction set agrees with the
// float64 reference, channels that do not rotate keep their values, and a refused call writes nothing.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/half.hpp"
#include "reference/rotate.hpp"
#include "ropewalk/architecture.hpp"
#include "ropewalk/rope.hpp"
#include "target.hpp"

namespace {

using namespace ropewalk;
using fuzz::Numbers;

constexpr std::uint16_t untouched = 0x5a5a;

/// One call: what is rotated, where, and by what.
struct Call {
  RopeOptions options;
  std::size_t batch = 1, sequence = 1, heads = 1;
  Strides strides;
  bool plain_layout = true;
  Layout layout = Layout::bshd;
  std::vector<double> positions;
  DType dtype = DType::float32;
  std::size_t elements = 0;

  Placement placement() const {
    Placement at{
        .batch = batch, .sequence = sequence, .heads = heads, .layout = layout, .positions = positions};
    if (!plain_layout) at.strides = strides;
    return at;
  }
  double position(std::size_t b, std::size_t s) const {
    return positions.size() == sequence ? positions[s] : positions[b * sequence + s];
  }
  std::size_t first(std::size_t b, std::size_t s, std::size_t h) const {
    return b * static_cast<std::size_t>(strides.batch) + s * static_cast<std::size_t>(strides.sequence) +
           h * static_cast<std::size_t>(strides.head);
  }
};

Frequencies frequencies_of(Numbers& numbers, std::size_t pairs) {
  const double base = numbers.flag() ? 10000 : numbers.real(1.5, 1e6);
  const double factor = numbers.real(1, 40);
  switch (numbers.whole(0, 6)) {
    case 0:
      return frequencies::Linear{base, factor};
    case 1:
      return frequencies::Ntk{base, factor};
    case 2:
      return frequencies::Yarn{.base = base, .factor = factor, .original_max_positions = 4096};
    case 3:
      return frequencies::Llama3{.base = base, .factor = factor};
    case 4:
      return frequencies::Proportional{base, numbers.real(0, 1), factor};
    case 5: {
      frequencies::Custom custom;
      for (std::size_t j = 0; j < pairs; ++j) custom.frequencies.push_back(numbers.real(-4, 4));
      custom.magnitude = numbers.real(0.1, 2);
      return custom;
    }
    default:
      return frequencies::Default{base};
  }
}

double position_of(Numbers& numbers) {
  switch (numbers.whole(0, 3)) {
    case 0:
      return numbers.real(-1000, 1000);
    case 1:
      return numbers.raw<std::int16_t>();
    case 2:
      return numbers.raw<std::uint16_t>() * 64.0;
    default:
      return static_cast<double>(numbers.whole(0, 40));
  }
}

/// Strides of axes in any order, with gaps between them.
void spread(Numbers& numbers, Call& call) {
  std::size_t* const extents[] = {&call.batch, &call.sequence, &call.heads};
  std::ptrdiff_t* const strides[] = {&call.strides.batch, &call.strides.sequence, &call.strides.head};
  std::size_t order[] = {0, 1, 2};
  for (std::size_t swaps = numbers.whole(0, 5); swaps > 0; --swaps) std::next_permutation(order, order + 3);
  std::size_t reach = call.options.head_dim;
  for (const std::size_t axis : order) {
    const std::size_t stride = reach + numbers.whole(0, 9);
    *strides[axis] = static_cast<std::ptrdiff_t>(stride);
    reach += stride * (*extents[axis] - 1);
  }
  call.plain_layout = false;
  call.elements = reach + numbers.whole(0, 5);
}

Call call_of(Numbers& numbers) {
  Call call;
  RopeOptions& options = call.options;
  options.head_dim = numbers.whole(2, 160);
  const std::size_t pairs = numbers.whole(1, options.head_dim / 2);
  options.rotary_dim = 2 * pairs;
  options.rotary_offset = numbers.whole(0, options.head_dim - 2 * pairs);
  options.pairing = numbers.flag() ? Pairing::half : Pairing::interleaved;
  options.frequencies = frequencies_of(numbers, pairs);
  call.batch = numbers.whole(1, 3);
  call.sequence = numbers.whole(1, 12);
  call.heads = numbers.whole(1, 5);
  call.dtype = static_cast<DType>(numbers.whole(0, 2));
  const std::size_t count = numbers.flag() ? call.sequence : call.batch * call.sequence;
  for (std::size_t i = 0; i < count; ++i) call.positions.push_back(position_of(numbers));

  const auto d = static_cast<std::ptrdiff_t>(options.head_dim),
             s = static_cast<std::ptrdiff_t>(call.sequence), h = static_cast<std::ptrdiff_t>(call.heads);
  call.elements = call.batch * call.sequence * call.heads * options.head_dim;
  switch (numbers.whole(0, 2)) {
    case 0:
      call.strides = {.batch = s * h * d, .sequence = h * d, .head = d};
      break;
    case 1:
      call.layout = Layout::bhsd;
      call.strides = {.batch = s * h * d, .sequence = d, .head = s * d};
      break;
    default:
      spread(numbers, call);
      break;
  }
  return call;
}

/// Elements of any of the three types, in memory whose size is exact.
class Elements {
 public:
  Elements(std::size_t count, DType dtype)
      : dtype_(dtype), floats_(single() ? count : 0), halves_(single() ? 0 : count) {}

  std::size_t size() const { return single() ? floats_.size() : halves_.size(); }
  void set(std::size_t i, float value) {
    if (single()) {
      floats_[i] = value;
    } else {
      halves_[i] = dtype_ == DType::float16 ? to_float16(value) : to_bfloat16(value);
    }
  }
  double at(std::size_t i) const {
    if (single()) return floats_[i];
    return dtype_ == DType::float16 ? from_float16(halves_[i]) : from_bfloat16(halves_[i]);
  }
  void clear() {
    std::fill(floats_.begin(), floats_.end(), static_cast<float>(untouched));
    std::fill(halves_.begin(), halves_.end(), untouched);
  }
  bool is_clear() const {
    return std::all_of(floats_.begin(), floats_.end(),
                       [](float x) { return x == static_cast<float>(untouched); }) &&
           std::all_of(halves_.begin(), halves_.end(), [](std::uint16_t x) { return x == untouched; });
  }
  ArrayRef in() const {
    return single() ? ArrayRef(floats_.data(), floats_.size(), dtype_)
                    : ArrayRef(halves_.data(), halves_.size(), dtype_);
  }
  MutableArrayRef out() {
    return single() ? MutableArrayRef(floats_.data(), floats_.size(), dtype_)
                    : MutableArrayRef(halves_.data(), halves_.size(), dtype_);
  }

 private:
  bool single() const { return dtype_ == DType::float32; }
  DType dtype_;
  std::vector<float> floats_;
  std::vector<std::uint16_t> halves_;
};

/// Half a unit in the last place of the type, with room for the rounding of the product.
double unit_of(DType dtype) {
  return std::ldexp(2.5, dtype == DType::float32 ? -23 : dtype == DType::float16 ? -11 : -8);
}

void compare_head(const Call& call, const Rope& rope, std::span<const double> theta, double position,
                  std::size_t first, const Elements& x, const Elements& y, std::string_view architecture) {
  const std::size_t d = rope.rotary_dim(), begin = call.options.rotary_offset;
  std::vector<double> head(d), expected(d);
  for (std::size_t c = 0; c < call.options.head_dim; ++c) {
    if (c >= begin && c < begin + d) {
      head[c - begin] = x.at(first + c);
    } else {
      fuzz::require(x.at(first + c) == y.at(first + c), "channels beside the rotated ones stay",
                    architecture);
    }
  }
  reference::rotate_head(head.data(), expected.data(), position, theta.data(), rope.magnitude(), d / 2,
                         rope.pairing());
  for (std::size_t j = 0; j < d / 2; ++j) {
    const std::size_t a = reference::first_channel(rope.pairing(), d / 2, j),
                      b = reference::second_channel(rope.pairing(), d / 2, j);
    const double length = std::hypot(head[a], head[b]) * std::fabs(rope.magnitude());
    // Subnormal half-precision numbers have fewer digits.
    const double bound = length * unit_of(call.dtype) + std::ldexp(1.0, -24);
    for (const std::size_t c : {a, b}) {
      fuzz::require(std::fabs(y.at(first + begin + c) - expected[c]) <= bound, "rotation is the reference's",
                    architecture);
    }
  }
}

void compare(const Call& call, const Rope& rope, const Elements& x, const Elements& y,
             std::string_view architecture) {
  const std::size_t pairs = rope.rotary_dim() / 2;
  for (std::size_t b = 0; b < call.batch; ++b) {
    for (std::size_t s = 0; s < call.sequence; ++s) {
      for (std::size_t h = 0; h < call.heads; ++h) {
        const std::span<const double> theta =
            rope.frequencies().subspan(rope.width() == pairs ? 0 : h * pairs, pairs);
        compare_head(call, rope, theta, call.position(b, s), call.first(b, s, h), x, y, architecture);
      }
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Numbers numbers(data, size);
  const Call call = call_of(numbers);
  const Result<Rope> made = Rope::make(call.options);
  if (!made.ok()) {
    fuzz::require_words(made.status());
    return 0;
  }
  Elements x(call.elements, call.dtype), y(call.elements, call.dtype);
  std::uint32_t state = 12345;
  for (std::size_t i = 0; i < x.size(); ++i) {
    state = state * 1664525u + 1013904223u;
    x.set(i, static_cast<float>(static_cast<std::int32_t>(state)) / 1e9f);
  }
  for (const std::string_view architecture : architectures()) {
    fuzz::require(try_use_architecture(architecture).ok(), "an architecture that is listed can be used");
    y.clear();
    const Status status = made.value().try_rotate(x.in(), y.out(), call.placement());
    if (status.ok()) {
      compare(call, made.value(), x, y, architecture);
    } else {
      fuzz::require_words(status);
      fuzz::require(y.is_clear(), "a refused call writes nothing", architecture);
    }
  }
  return 0;
}
