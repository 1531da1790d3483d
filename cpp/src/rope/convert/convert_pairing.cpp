// Moves the rows of a projection between pairings. Within each head's window of d rows, transposing (2, d/2)
// to (d/2, 2) goes from half to interleaved; the reverse goes back.

#include <cstdint>
#include <cstring>
#include <string>

#include "base/buffer.hpp"
#include "base/text.hpp"
#include "ropewalk/convert.hpp"

namespace ropewalk {
namespace {

constexpr std::string_view function = "convert_pairing";

std::string elements(std::size_t count) { return "an array of " + std::to_string(count) + " elements"; }

Status check_head(const PairingConversion& conversion, std::size_t rotary_dim) {
  if (conversion.heads == 0)
    return out_of_range(function, "heads", conversion.heads, "a whole number of at least 1");
  if (conversion.head_dim == 0) {
    return out_of_range(function, "head_dim", conversion.head_dim, "a whole number of at least 1");
  }
  if (conversion.rotary_offset >= conversion.head_dim) {
    return out_of_range(function, "rotary_offset", conversion.rotary_offset,
                        sentence({"a whole number below head_dim = ", conversion.head_dim}));
  }
  const std::size_t room = conversion.head_dim - conversion.rotary_offset;
  if (rotary_dim == 0 || rotary_dim % 2 != 0 || rotary_dim > room) {
    return out_of_range(function, "rotary_dim", rotary_dim,
                        sentence({"an even number from 2 to head_dim - rotary_offset = ", room}));
  }
  return {};
}

Status check_arrays(ArrayRef weight, MutableArrayRef out) {
  if (weight.dtype != out.dtype) {
    return wrong_type(function, "out", "of another element type", "the element type of `weight`");
  }
  if (weight.size != out.size) {
    return out_of_range(function, "out", elements(out.size),
                        sentence({weight.size, " elements, as `weight` has"}));
  }
  const auto from = reinterpret_cast<std::uintptr_t>(weight.data),
             to = reinterpret_cast<std::uintptr_t>(out.data);
  const std::size_t bytes = weight.size * size_of(weight.dtype);
  if (from != to && from < to + bytes && to < from + bytes) {
    return out_of_range(function, "out", "partly in the memory of `weight`",
                        "the same array, or one apart from it");
  }
  return {};
}

/// heads * head_dim * columns must be the weight's size.
Result<std::size_t> columns_of(ArrayRef weight, const PairingConversion& conversion) {
  std::size_t rows, size;
  const bool countable = !__builtin_mul_overflow(conversion.heads, conversion.head_dim, &rows);
  const std::size_t columns = conversion.columns.value_or(countable ? weight.size / rows : 0);
  const bool fits =
      countable && !__builtin_mul_overflow(rows, columns, &size) && columns > 0 && size == weight.size;
  if (fits) return columns;
  return out_of_range(
      function, "weight", elements(weight.size),
      "heads * head_dim * columns = " + std::to_string(conversion.heads) + " * " +
          std::to_string(conversion.head_dim) + " * " +
          (conversion.columns ? std::to_string(*conversion.columns) : std::string("a whole number")) +
          " elements");
}

/// The index in half order of channel i < d in interleaved order.
std::size_t half_channel(std::size_t i, std::size_t rotary_dim) { return i / 2 + (i % 2) * (rotary_dim / 2); }

}  // namespace

Status try_convert_pairing(ArrayRef weight, MutableArrayRef out, const PairingConversion& conversion) {
  const std::size_t offset = conversion.rotary_offset;
  const std::size_t room = conversion.head_dim > offset ? conversion.head_dim - offset : 0;
  const std::size_t rotary_dim = conversion.rotary_dim.value_or(room);
  ROPEWALK_TRY(check_head(conversion, rotary_dim));
  ROPEWALK_LET(columns, columns_of(weight, conversion));
  ROPEWALK_TRY(check_arrays(weight, out));

  const std::size_t row = columns * size_of(weight.dtype);
  const bool in_place = weight.data == out.data, same = conversion.from == conversion.to;
  if (same && in_place) return {};
  Buffer<char> window;  // what in-place rows are taken from
  if (in_place) {
    ROPEWALK_TRY(window.allocate(rotary_dim * row, "convert_pairing: one head"));
  }
  const auto* source = static_cast<const char*>(weight.data);
  auto* target = static_cast<char*>(out.data);
  if (!in_place) std::memcpy(target, source, weight.size * size_of(weight.dtype));
  if (same) return {};
  for (std::size_t head = 0; head < conversion.heads; ++head) {
    const std::size_t start = (head * conversion.head_dim + offset) * row;
    const char* old = source + start;
    if (in_place) old = static_cast<const char*>(std::memcpy(window.data(), old, rotary_dim * row));
    for (std::size_t i = 0; i < rotary_dim; ++i) {
      const std::size_t half = half_channel(i, rotary_dim);
      const bool to_interleaved = conversion.to == Pairing::interleaved;
      std::memcpy(target + start + (to_interleaved ? i : half) * row, old + (to_interleaved ? half : i) * row,
                  row);
    }
  }
  return {};
}

}  // namespace ropewalk
