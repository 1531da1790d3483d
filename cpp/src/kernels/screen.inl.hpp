#pragma once

#include "kernels/int8.inl.hpp"
#include "kernels/screen.hpp"

namespace ropewalk::kernels {

/// Relative bounds of rounding errors: that of a length, and that of the numbers whose length it is, relative to the length of
/// the whole row. Rotating adds less than 2^-20 to the latter (ten additions, and the product that makes the number).
inline constexpr float screen_length_error = 1e-4F, screen_row_error = 2e-6F;

template <class Arch>
[[gnu::cold]] void pack_screen(const PackScreenJob& job) noexcept {
  using B = Block<Arch>;
  constexpr std::size_t panel = gemm_panel<Arch>;
  const std::size_t columns = int8_columns(job.k), words = screen_words(job.k);
  float *const r = job.scratch, *const levels = job.scratch + columns;
  rotate_int8<Arch>(job.row, job.k, r);
  const auto length_of = [&](auto element) {
    B sum = B::broadcast(0.0F);
    for (std::size_t k = 0; k < columns; k += block) {
      const B x = element(k);
      sum = sum + x * x;
    }
    return __builtin_sqrtf(sum.sum());
  };
  const float norm = length_of([&](std::size_t k) { return load<Arch>(r + k, Whole()); });
  // The step that leaves least of numbers with a normal distribution (Max 1960). Rows that are next to nothing have none.
  const float step = norm >= 1e-15F ? 0.335F * norm / __builtin_sqrtf(static_cast<float>(columns)) : 0.0F;
  const B factor = B::broadcast(step > 0.0F ? 1.0F / step : 0.0F), steps = B::broadcast(step);
  const B half = B::broadcast(7.5F), magic = B::broadcast(int8_magic);
  const B lowest = B::broadcast(0.0F), highest = B::broadcast(15.0F);
  B sum = B::broadcast(0.0F);
  const float length = step * length_of([&](std::size_t k) {
                         using F = Floats<Arch>;
                         const B x = load<Arch>(r + k, Whole());
                         const B inside = (x * factor + half).map(lowest, highest, [](F v, F a, F b) {
                           return xsimd::min(xsimd::max(v, a), b);
                         });
                         const B level = (inside + magic) - magic, centred = level - half,
                                 rest = x - centred * steps;
                         store<Arch>(level, levels + k, Whole());
                         store<Arch>(rest, r + k, Whole());
                         sum = sum + rest.map([](F v) { return xsimd::abs(v); });
                         return centred;
                       });
  const float rest = length_of([&](std::size_t k) { return load<Arch>(r + k, Whole()); });
  const float finer = sum.sum() / static_cast<float>(columns);
  const B finer_steps = B::broadcast(finer);
  const float finer_rest = length_of([&](std::size_t k) {
    using F = Floats<Arch>;
    return load<Arch>(r + k, Whole()).map([](F v) { return xsimd::abs(v); }) - finer_steps;
  });
  std::uint32_t* const out = job.packed + job.n / panel * panel * words + job.n % panel;
  std::uint8_t* const signs = job.signs + job.n * words;
  for (std::size_t w = 0; w < words; ++w) {
    std::uint32_t word = 0, sign = 0;
    for (std::size_t j = 0; j < 8; ++j) {
      word |= static_cast<std::uint32_t>(levels[8 * w + j]) << 4 * j;
      sign |= (r[8 * w + j] > 0.0F ? 1U : 0U) << j;
    }
    out[w * panel] = word;
    signs[w] = static_cast<std::uint8_t>(sign);
  }
  const float size = static_cast<float>(int8_rotated(job.k)), more = (1.0F + screen_length_error) / size,
              error = screen_row_error * norm / size;
  // Squares of less are not what they should be.
  constexpr float least = 1e-18F;
  *job.result = {step / (2.0F * size), length * more, rest * more + error + least, finer / size,
                 finer_rest * more + error + least + norm * 0.0F};
}

template <class Arch>
void query_screen(const QueryScreenJob& job) noexcept {
  constexpr std::size_t in_block = 32;
  const std::size_t columns = int8_columns(job.k);
  float *const x = job.scratch, *const y = job.scratch + columns;
  // As int8_blocks_row rounds it.
  for (std::size_t at = 0; at < columns; at += in_block) {
    float largest = 0.0F, poison = 0.0F;
    for (std::size_t i = at; i < at + in_block; ++i) {
      x[i] = i < job.k ? job.x[i] : 0.0F;
      largest = __builtin_fabsf(x[i]) > largest ? __builtin_fabsf(x[i]) : largest;
      poison += x[i] * 0.0F;
    }
    const float scale = largest / int8_largest_activation + poison;
    const float factor = int8_factor<Arch>(scale);
    for (std::size_t i = at; i < at + in_block; ++i)
      x[i] = ((x[i] * factor + int8_magic) - int8_magic) * scale;
  }
  rotate_int8<Arch>(x, columns, y);
  const float scale = largest_of<Arch>(y, columns) / 127.0F, factor = int8_factor<Arch>(scale);
  double length = 0, rest = 0;
  for (std::size_t i = 0; i < columns; ++i) {
    const float whole = factor == 0.0F ? 0.0F : (y[i] * factor + int8_magic) - int8_magic;
    const double left = static_cast<double>(y[i]) - static_cast<double>(scale) * static_cast<double>(whole);
    job.a[i] = static_cast<std::int8_t>(whole);
    length += static_cast<double>(y[i]) * static_cast<double>(y[i]);
    rest += left * left;
  }
  const double norm = __builtin_sqrt(length);
  const auto error = static_cast<double>(screen_row_error);
  *job.result = {scale, static_cast<float>(norm * (1 + error)),
                 static_cast<float>(__builtin_sqrt(rest) * (1 + error) + norm * error)};
}

/// The numbers of a word that are multiplied at once, and those of the input in the same places.
template <class Form>
struct ScreenPart {
  using Arch = typename Form::Arch;
  using I = Ints<Arch>;
  static constexpr std::size_t parts = 8 / Form::columns, width = 32 / Form::columns;
  static constexpr std::int32_t mask = Form::columns == 4 ? 0x0f0f0f0f : 0x000f000f;

  static std::int32_t word(const std::int8_t* a, std::size_t part) {
    std::uint32_t out = 0;
    for (std::size_t i = 0; i < Form::columns; ++i) {
      const auto number = static_cast<std::uint32_t>(static_cast<std::int32_t>(a[part + i * parts]));
      out |= (number & ((1U << width) - 1)) << i * width;
    }
    return static_cast<std::int32_t>(out);
  }
  static I add(I a, I words, I sum) {
    if constexpr (Form::columns == 4) {
      return Dot4<Arch>::add(a, words & I(mask), sum);
    } else {
      return Pairs16<Arch>::add(a, words & I(mask), sum);
    }
  }
};

template <class Form>
void screen(const ScreenJob& job) noexcept {
  using Arch = typename Form::Arch;
  using I = Ints<Arch>;
  using F = Floats<Arch>;
  using Part = ScreenPart<Form>;
  constexpr std::size_t panel = gemm_panel<Arch>, size = I::size;
  static_assert(panel == 2 * size);
  const std::size_t words = screen_words(job.k);
  std::int32_t total = 0;
  for (std::size_t k = 0; k < 8 * words; ++k) total += job.a[k];
  for (std::size_t w = 0; w < words; ++w) {
    for (std::size_t part = 0; part < Part::parts; ++part)
      job.scratch[w * Part::parts + part] = Part::word(job.a + 8 * w, part);
  }
  const I offset(15 * total);
  const F scale(job.scale);
  for (std::size_t n = 0; n < job.n; n += panel) {
    const auto* b = reinterpret_cast<const std::int32_t*>(job.packed) + n * words;
    const std::int32_t* a = job.scratch;
    I first(0), second(0);
    for (std::size_t w = words; w > 0; --w) {
      I left = I::load_aligned(b), right = I::load_aligned(b + size);
      unrolled<Part::parts>([&](auto part) __attribute__((always_inline)) {
        const I word(a[part]);
        first = Part::add(word, part == 0 ? left : left >> static_cast<int>(4 * part), first);
        second = Part::add(word, part == 0 ? right : right >> static_cast<int>(4 * part), second);
      });
      a += Part::parts;
      b += panel;
    }
    (xsimd::to_float(first + first - offset) * (F::load_unaligned(job.step + n) * scale))
        .store_unaligned(job.near + n);
    (xsimd::to_float(second + second - offset) * (F::load_unaligned(job.step + n + size) * scale))
        .store_unaligned(job.near + n + size);
  }
}

}  // namespace ropewalk::kernels
