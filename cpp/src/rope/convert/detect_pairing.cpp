// Rotates the sample with both pairings and compares the results with the other program's.

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/buffer.hpp"
#include "base/half.hpp"
#include "base/text.hpp"
#include "rope/extent.hpp"
#include "ropewalk/convert.hpp"

namespace ropewalk {
namespace {

constexpr std::string_view function = "detect_pairing";
constexpr double tolerance = 1.0 / 64;
// The first bounds float32 rounding between equal results. The second is how much closer one pairing must be
// than the other.
constexpr double rounding = 1e-6, nearer = 8;

float element(ArrayRef array, std::size_t i) {
  if (array.dtype == DType::float32) return static_cast<const float*>(array.data)[i];
  const std::uint16_t bits = static_cast<const std::uint16_t*>(array.data)[i];
  return array.dtype == DType::float16 ? from_float16(bits) : from_bfloat16(bits);
}

struct Window {
  std::size_t head_dim, begin, end;
};

/// Relative root mean square error against `expected`, over the rotated channels or over the others,
/// whichever is larger. NaN if the data are not finite.
double difference(ArrayRef got, ArrayRef expected, const Extent& extent, const Window& window) {
  double error[2] = {0, 0}, size[2] = {0, 0};
  const Strides& strides = extent.strides;
  for (std::size_t b = 0; b < extent.batch; ++b) {
    for (std::size_t s = 0; s < extent.sequence; ++s) {
      for (std::size_t h = 0; h < extent.heads; ++h) {
        const std::size_t at = b * static_cast<std::size_t>(strides.batch) +
                               s * static_cast<std::size_t>(strides.sequence) +
                               h * static_cast<std::size_t>(strides.head);
        for (std::size_t i = 0; i < window.head_dim; ++i) {
          const int inside = i >= window.begin && i < window.end;
          const double wanted = element(expected, at + i), apart = element(got, at + i) - wanted;
          error[inside] += apart * apart;
          size[inside] += wanted * wanted;
        }
      }
    }
  }
  const auto ratio = [&](int part) { return error[part] == 0 ? 0 : std::sqrt(error[part] / size[part]); };
  const double outside = ratio(0), inside = ratio(1);
  return std::isnan(outside) || outside > inside ? outside : inside;
}

}  // namespace

Result<std::optional<Pairing>> try_detect_pairing(ArrayRef x, ArrayRef rotated, const RopeOptions& options,
                                                  const Placement& placement, Role role) {
  RopeOptions candidate = options;
  candidate.pairing = Pairing::interleaved;
  Result<Rope> interleaved = Rope::make(candidate);
  if (!interleaved.ok()) return interleaved.status();
  candidate.pairing = Pairing::half;
  Result<Rope> half = Rope::make(candidate);
  if (!half.ok()) return half.status();

  ROPEWALK_LET(checked, resolve({function, "x", "rotated", "heads", "strides", options.head_dim}, placement,
                                placement.heads, placement.strides, x,
                                {const_cast<void*>(rotated.data), rotated.size, rotated.dtype}));
  Buffer<char> memory;
  ROPEWALK_TRY(memory.allocate(x.size * size_of(x.dtype), "detect_pairing: rotated x"));
  const MutableArrayRef out{memory.data(), x.size, x.dtype};
  const Window window{options.head_dim, options.rotary_offset,
                      options.rotary_offset + half.value().rotary_dim()};

  double apart[2];
  for (const Pairing pairing : {Pairing::interleaved, Pairing::half}) {
    const Rope& rope = pairing == Pairing::half ? half.value() : interleaved.value();
    if (Status s = rope.try_rotate(x, out, placement, role); !s.ok()) return s.in(function);
    apart[static_cast<int>(pairing)] = difference({out.data, out.size, out.dtype}, rotated, checked, window);
  }
  const double a = apart[static_cast<int>(Pairing::interleaved)], b = apart[static_cast<int>(Pairing::half)];
  const bool a_fits = a <= tolerance, b_fits = b <= tolerance;
  if (!a_fits && !b_fits) return std::optional<Pairing>();
  if (a_fits != b_fits) return std::optional(a_fits ? Pairing::interleaved : Pairing::half);
  if (b > rounding && a * nearer <= b) return std::optional(Pairing::interleaved);
  if (a > rounding && b * nearer <= a) return std::optional(Pairing::half);
  return out_of_range(
      function, "x",
      sentence({"a sample that both pairings rotate alike, to within ", std::max(a, b), " of its size"}),
      "one that tells them apart: rotary_dim of at least 4, positions other than 0, channels other "
      "than 0");
}

}  // namespace ropewalk
