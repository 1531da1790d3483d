#include "nn/screen.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <utility>

#include "nn/threads.hpp"

namespace ropewalk::nn {
namespace {

/// The part of the panels up to which reading them singly pays: the copy has been read by then, which takes about half as long
/// as the weight.
constexpr std::size_t worthwhile = 4;
/// Rows beyond `count` that are computed at first: those that look best are not always the best.
constexpr std::size_t more_at_first = 7;
/// More than what operations on subnormal numbers may lose.
constexpr float subnormal = 1e-35F;

std::size_t whole(std::size_t n, std::size_t part) { return (n + part - 1) / part * part; }

}  // namespace

std::uint64_t Screen::bytes_of(std::uint64_t n, std::uint64_t k) {
  const std::uint64_t rows = (n + kernels::widest_panel - 1) / kernels::widest_panel * kernels::widest_panel;
  const std::uint64_t words = kernels::screen_words(k);
  return rows * (words * 5 + 7 * sizeof(float) + 1) + words * 1024;
}

Status Screen::make(Compute compute, const PackedWeight& weight) {
  const std::size_t k = weight.k(), words = kernels::screen_words(k), columns = 8 * words;
  const std::size_t panel = compute.dense().panel, rows = whole(weight.n(), panel);
  const char* const what = "screen of the output matrix";
  Status status = packed_.allocate(rows * words, what);
  if (status.ok()) status = signs_.allocate(rows * words, what);
  for (Buffer<float>* each : {&step_, &length_, &rest_, &finer_step_, &finer_rest_, &near_, &exact_})
    if (status.ok()) status = each->allocate(rows, what);
  if (status.ok()) status = computed_.allocate(rows / panel, what);
  if (status.ok()) status = floats_.allocate(2 * columns, what);
  if (status.ok()) status = a_.allocate(columns, what);
  if (status.ok()) status = words_.allocate(4 * words, what);
  if (status.ok()) status = sums_.allocate(words * 256, what);
  if (status.ok()) status = row_.allocate(k, what);
  if (!status.ok()) return status;
  weight_ = &weight;
  kernels_ = compute.kernels().screen;
  near_of_ = compute.int8().screen;
  panel_ = panel;
  packed_rows_ = 0;
  longest_ = 0;
  finite_ = true;
  std::memset(packed_.data(), 0, packed_.size() * sizeof(std::uint32_t));
  std::fill_n(step_.data(), rows, 0.0F);
  return {};
}

std::size_t Screen::pack(std::size_t rows) {
  const std::size_t end = std::min(weight_->n(), packed_rows_ + rows);
  for (; packed_rows_ < end; ++packed_rows_) {
    const std::size_t n = packed_rows_;
    kernels::ScreenRow result;
    weight_->row(n, row_.data());
    kernels_.pack({row_.data(), n, weight_->k(), packed_.data(), signs_.data(), floats_.data(), &result});
    step_[n] = result.step;
    length_[n] = result.length;
    rest_[n] = result.rest;
    finer_step_[n] = result.finer_step;
    finer_rest_[n] = result.finer_rest;
    finite_ = finite_ && std::isfinite(result.finer_rest);
    longest_ = std::max(longest_, static_cast<double>(result.length) + result.rest);
  }
  return weight_->n() - end;
}

void Screen::read_copy(Compute compute, float scale) {
  const std::size_t k = weight_->k(), words = kernels::screen_words(k), panels = computed_.size();
  const auto read = [&](std::size_t first, std::size_t end, std::int32_t* scratch) {
    near_of_({.packed = packed_.data() + first * panel_ * words,
              .step = step_.data() + first * panel_,
              .a = a_.data(),
              .scratch = scratch,
              .near = near_.data() + first * panel_,
              .n = (end - first) * panel_,
              .k = k,
              .scale = scale});
  };
  Threads* const threads = threads_for(compute, std::uint64_t{weight_->n()} * k / 2);
  if (threads == nullptr || !threads->reserve(words_.size() * sizeof(std::int32_t))) {
    read(0, panels, words_.data());
    return;
  }
  const std::size_t parts = parts_of(panels, threads->count());
  in_parts(*threads, parts, [&](std::size_t part, std::size_t thread) {
    read(first_step(panels, part, parts), first_step(panels, part + 1, parts),
         static_cast<std::int32_t*>(threads->scratch(thread)));
  });
}

std::vector<std::int32_t> Screen::best_looking(std::size_t count) const {
  using Row = std::pair<float, std::int32_t>;
  std::vector<Row> best;  // a heap, the worst of them first
  for (std::size_t i = 0; i < weight_->n(); ++i) {
    if (best.size() == count && near_[i] <= best.front().first) continue;
    if (best.size() == count) {
      std::ranges::pop_heap(best, std::greater());
      best.pop_back();
    }
    best.emplace_back(near_[i], static_cast<std::int32_t>(i));
    std::ranges::push_heap(best, std::greater());
  }
  std::vector<std::int32_t> rows;
  for (const Row& row : best) rows.push_back(row.second);
  return rows;
}

void Screen::multiply(const float* x, std::int32_t row) {
  const std::size_t panel = static_cast<std::size_t>(row) / panel_, first = panel * panel_;
  if (std::exchange(computed_[panel], 1) != 0) return;
  weight_->elements(exact_.data(), x, first, std::min(panel_, weight_->n() - first));
}

void Screen::sum_signs() {
  for (std::size_t w = 0; w < kernels::screen_words(weight_->k()); ++w) {
    std::int16_t* const sums = sums_.data() + 256 * w;
    const std::int8_t* const a = a_.data() + 8 * w;
    int sum = 0;
    for (std::size_t j = 0; j < 8; ++j) sum -= a[j];
    sums[0] = static_cast<std::int16_t>(sum);
    for (std::size_t j = 0; j < 8; ++j) {
      for (std::size_t i = 0; i < std::size_t{1} << j; ++i)
        sums[i + (std::size_t{1} << j)] = static_cast<std::int16_t>(sums[i] + 2 * a[j]);
    }
  }
}

Screen::Bounds Screen::bounds_of(const kernels::ScreenQuery& query) const {
  // Rounding adds at most this part of |w| |x|: a chain of that many additions, and some operations here, each by 2^-24.
  const auto words = static_cast<float>(kernels::screen_words(weight_->k()));
  const float rounding = (words / 4 + 40.0F) * 0x1p-24F * 1.1F;
  return {.scale = query.scale,
          .by_rest = query.length * (1.0F + 2 * rounding),
          .by_length = query.rest + query.length * 2 * rounding};
}

float Screen::most_by_four_bits(std::size_t row, const Bounds& bounds) const {
  return near_[row] + (rest_[row] * bounds.by_rest + length_[row] * bounds.by_length) + subnormal;
}

float Screen::most_by_five_bits(std::size_t row, const Bounds& bounds) const {
  const std::size_t words = kernels::screen_words(weight_->k());
  const std::uint8_t* const signs = signs_.data() + row * words;
  std::int32_t sum = 0;
  for (std::size_t w = 0; w < words; ++w) sum += sums_[256 * w + signs[w]];
  const float nearer = near_[row] + static_cast<float>(sum) * (finer_step_[row] * bounds.scale);
  return nearer + (finer_rest_[row] * bounds.by_rest + (length_[row] + rest_[row]) * bounds.by_length) +
         subnormal;
}

bool Screen::largest(Compute compute, const float* x, std::size_t count, std::span<const std::int32_t> also,
                     Elements& elements) {
  const std::size_t n = weight_->n(), panels = computed_.size();
  if (!finite_ || packed_rows_ < n || count == 0 || count >= n / worthwhile) return false;
  kernels::ScreenQuery query;
  kernels_.query({x, weight_->k(), a_.data(), floats_.data(), &query});
  // An element, and every sum on the way to it, stays far below the largest float; and nothing that counts is subnormal.
  if (!(query.length > 1e-15F && query.length * longest_ < 1e35)) return false;
  read_copy(compute, query.scale);

  const std::vector<std::int32_t> best = best_looking(count + more_at_first);
  std::memset(computed_.data(), 0, panels);
  for (const std::int32_t row : also) multiply(x, row);
  for (const std::int32_t row : best) multiply(x, row);
  // The rows `also` may be changed afterwards, so that they are no measure.
  std::vector<float> exact;
  for (const std::int32_t row : best) {
    if (std::ranges::find(also, row) == also.end()) exact.push_back(exact_[static_cast<std::size_t>(row)]);
  }
  if (exact.size() < count) return false;
  std::ranges::nth_element(exact, exact.begin() + static_cast<std::ptrdiff_t>(count - 1), std::greater());
  const float least = exact[count - 1];

  const Bounds bounds = bounds_of(query);
  std::vector<std::int32_t> rows;
  for (std::size_t i = 0; i < n; ++i) {
    if (most_by_four_bits(i, bounds) >= least) rows.push_back(static_cast<std::int32_t>(i));
  }
  if (rows.size() > n / 2) return false;
  sum_signs();
  std::size_t left = panels / worthwhile;
  for (const std::int32_t row : rows) {
    const auto i = static_cast<std::size_t>(row);
    if (computed_[i / panel_] != 0 || !(most_by_five_bits(i, bounds) >= least)) continue;
    if (left-- == 0) return false;
    multiply(x, row);
  }

  elements.rows.clear();
  elements.values.clear();
  for (std::size_t i = 0; i < n; ++i) {
    if (computed_[i / panel_] == 0) continue;
    elements.rows.push_back(static_cast<std::int32_t>(i));
    elements.values.push_back(exact_[i]);
  }
  return true;
}

}  // namespace ropewalk::nn
