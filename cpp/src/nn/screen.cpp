#include "nn/screen.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <utility>

#include "arch/select.hpp"
#include "nn/threads.hpp"

namespace ropewalk::nn {
namespace {

/// The part of the panels up to which reading them singly pays: the copy has been read by then, which takes about half as long
/// as the weight.
constexpr std::size_t worthwhile = 4;
/// Rows beyond `count` that are computed at first: those that look best are not always the best.
constexpr std::size_t more_at_first = 7;

std::size_t whole(std::size_t n, std::size_t part) { return (n + part - 1) / part * part; }

}  // namespace

std::uint64_t Screen::bytes_of(std::uint64_t n, std::uint64_t k) {
  const std::uint64_t rows = (n + kernels::widest_panel - 1) / kernels::widest_panel * kernels::widest_panel;
  const std::uint64_t words = kernels::screen_words(k);
  return rows * (words * 5 + 7 * sizeof(float) + 1) + words * 1024;
}

Status Screen::make(const PackedWeight& weight) {
  const std::size_t k = weight.k(), words = kernels::screen_words(k), columns = 8 * words;
  const std::size_t panel = arch::active().dense.panel, rows = whole(weight.n(), panel);
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
  Buffer<float> row;
  if (status.ok()) status = row.allocate(k, what);
  if (!status.ok()) return status;
  weight_ = &weight;
  kernels_ = arch::active().screen;
  near_of_ = arch::int8().screen;
  panel_ = panel;
  finite_ = true;
  std::memset(packed_.data(), 0, packed_.size() * sizeof(std::uint32_t));
  std::fill_n(step_.data(), rows, 0.0F);
  for (std::size_t n = 0; n < weight.n(); ++n) {
    kernels::ScreenRow result;
    weight.row(n, row.data());
    kernels_.pack({row.data(), n, k, packed_.data(), signs_.data(), floats_.data(), &result});
    step_[n] = result.step;
    length_[n] = result.length;
    rest_[n] = result.rest;
    finer_step_[n] = result.finer_step;
    finer_rest_[n] = result.finer_rest;
    finite_ = finite_ && std::isfinite(result.finer_rest);
    longest_ = std::max(longest_, static_cast<double>(result.length) + result.rest);
  }
  return {};
}

void Screen::compute(const float* x, std::size_t panel) {
  if (std::exchange(computed_[panel], 1) != 0) return;
  const std::size_t first = panel * panel_;
  weight_->elements(exact_.data(), x, first, std::min(panel_, weight_->n() - first));
}

bool Screen::largest(const float* x, std::size_t count, std::span<const std::int32_t> also,
                     Elements& elements) {
  const std::size_t n = weight_->n(), k = weight_->k(), words = kernels::screen_words(k);
  const std::size_t panels = (n + panel_ - 1) / panel_;
  if (!finite_ || count == 0 || count >= n / worthwhile) return false;
  kernels::ScreenQuery query;
  kernels_.query({x, k, a_.data(), floats_.data(), &query});
  // An element, and every sum on the way to it, stays far below the largest float; and nothing that counts is subnormal.
  if (!(query.length > 1e-15F && query.length * longest_ < 1e35)) return false;

  const auto read = [&](std::size_t first, std::size_t end, std::int32_t* scratch) {
    near_of_({.packed = packed_.data() + first * panel_ * words,
              .step = step_.data() + first * panel_,
              .a = a_.data(),
              .scratch = scratch,
              .near = near_.data() + first * panel_,
              .n = (end - first) * panel_,
              .k = k,
              .scale = query.scale});
  };
  Threads* const threads = threads_for(std::uint64_t{n} * k / 2);
  if (threads != nullptr && threads->reserve(words_.size() * sizeof(std::int32_t))) {
    const std::size_t parts = parts_of(panels, threads->count());
    in_parts(*threads, parts, [&](std::size_t part, std::size_t thread) {
      read(first_step(panels, part, parts), first_step(panels, part + 1, parts),
           static_cast<std::int32_t*>(threads->scratch(thread)));
    });
  } else {
    read(0, panels, words_.data());
  }

  // Rows that look best, the worst of them first.
  using Row = std::pair<float, std::int32_t>;
  std::vector<Row> best;
  const std::size_t first_rows = count + more_at_first;
  for (std::size_t i = 0; i < n; ++i) {
    if (best.size() == first_rows && near_[i] <= best.front().first) continue;
    if (best.size() == first_rows) {
      std::ranges::pop_heap(best, std::greater());
      best.pop_back();
    }
    best.emplace_back(near_[i], static_cast<std::int32_t>(i));
    std::ranges::push_heap(best, std::greater());
  }
  std::memset(computed_.data(), 0, panels);
  const auto compute_row = [&](std::int32_t row) { compute(x, static_cast<std::size_t>(row) / panel_); };
  for (const std::int32_t row : also) compute_row(row);
  for (const Row& row : best) compute_row(row.second);
  // The rows `also` may be changed afterwards, so that they are no measure.
  std::vector<float> exact;
  for (const Row& row : best) {
    if (std::ranges::find(also, row.second) == also.end())
      exact.push_back(exact_[static_cast<std::size_t>(row.second)]);
  }
  if (exact.size() < count) return false;
  std::ranges::nth_element(exact, exact.begin() + static_cast<std::ptrdiff_t>(count - 1), std::greater());
  const float least = exact[count - 1];

  // What rounding adds, as a part of |w| |x|: a chain of that many additions, and some operations here, each by 2^-24.
  const float rounding = (static_cast<float>(words) / 4 + 40.0F) * 0x1p-24F * 1.1F;
  const float by_rest = query.length * (1.0F + 2 * rounding);
  const float by_length = query.rest + query.length * 2 * rounding;
  constexpr float subnormal = 1e-35F;
  std::vector<std::int32_t> rows;
  for (std::size_t i = 0; i < n; ++i) {
    if (near_[i] + (rest_[i] * by_rest + length_[i] * by_length) + subnormal >= least)
      rows.push_back(static_cast<std::int32_t>(i));
  }
  if (rows.size() > n / 2) return false;
  // Sums of eight columns with either sign.
  for (std::size_t w = 0; w < words; ++w) {
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
  std::size_t left = panels / worthwhile;
  for (const std::int32_t each : rows) {
    const auto i = static_cast<std::size_t>(each);
    if (computed_[i / panel_] != 0) continue;
    const std::uint8_t* const signs = signs_.data() + i * words;
    std::int32_t sum = 0;
    for (std::size_t w = 0; w < words; ++w) sum += sums_[256 * w + signs[w]];
    const float nearer = near_[i] + static_cast<float>(sum) * (finer_step_[i] * query.scale);
    if (!(nearer + (finer_rest_[i] * by_rest + (length_[i] + rest_[i]) * by_length) + subnormal >= least))
      continue;
    if (left-- == 0) return false;
    compute_row(each);
  }
  elements.rows.clear();
  elements.values.clear();
  for (std::size_t panel = 0; panel < panels; ++panel) {
    if (computed_[panel] == 0) continue;
    for (std::size_t i = panel * panel_; i < std::min(n, (panel + 1) * panel_); ++i) {
      elements.rows.push_back(static_cast<std::int32_t>(i));
      elements.values.push_back(exact_[i]);
    }
  }
  return true;
}

}  // namespace ropewalk::nn
