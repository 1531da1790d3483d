#include "nn/linear.hpp"

#include <algorithm>
#include <cstring>

#include "nn/scratch.hpp"
#include "nn/threads.hpp"

namespace ropewalk::nn {

Status PackedWeight::pack(Compute compute, const float* weight, std::size_t n, std::size_t k) {
  return pack_strided(compute, weight, 1, static_cast<std::ptrdiff_t>(k), n, k);
}

Status PackedWeight::pack_transposed(Compute compute, const float* matrix, std::size_t k, std::size_t n) {
  return pack_strided(compute, matrix, static_cast<std::ptrdiff_t>(n), 1, n, k);
}

Status PackedWeight::pack_strided(Compute compute, const float* b, std::ptrdiff_t k_stride,
                                  std::ptrdiff_t n_stride, std::size_t n, std::size_t k) {
  const kernels::DenseKernels& kernels = compute.dense();
  const Status status = packed_.reserve(kernels.packed_size(k, n), "PackedWeight::pack");
  if (!status.ok()) return status;
  kernels.pack({b, k_stride, n_stride, packed_.data(), k, n});
  n_ = n;
  k_ = k;
  kernels_ = &kernels;
  return {};
}

Status PackedWeight::pack_int8(Compute compute, const float* weight, std::size_t n, std::size_t k) {
  if (Status status = reserve(compute, n, k, WeightForm::int8_rows); !status.ok()) return status;
  set_rows(0, n, weight);
  return {};
}

Status PackedWeight::reserve(Compute compute, std::size_t n, std::size_t k, WeightForm form) {
  const kernels::DenseKernels& kernels = compute.dense();
  const char* const what = "PackedWeight::reserve";
  Status status;
  switch (form) {
    case WeightForm::float32:
      status = packed_.reserve(kernels.packed_size(k, n), what);
      break;
    case WeightForm::int8_rows:
      status = bytes_.reserve(kernels::int8_size(k, n), what);
      if (status.ok()) status = scales_.reserve(kernels::int8_weight_rows(n), what);
      if (status.ok()) status = rows_.reserve(kernels::int8_scratch(k), what);
      break;
    case WeightForm::int8_blocks:
      status = bytes_.reserve(kernels::blocks_size(k, n), what);
      if (status.ok()) status = rows_.reserve(kernels::blocks_scratch(k), what);
      break;
  }
  if (!status.ok()) return status;
  if (form == WeightForm::float32) {
    const std::size_t whole = n / kernels.panel * kernels.panel * k;
    std::fill_n(packed_.data() + whole, packed_.size() - whole, 0.0F);
  } else {
    std::memset(bytes_.data(), 0, bytes_.size());
    std::fill_n(scales_.data(), scales_.size(), 0.0F);
  }
  form_ = form;
  n_ = n;
  k_ = k;
  kernels_ = &kernels;
  int8_ = &compute.int8();
  return {};
}

void PackedWeight::set_rows(std::size_t first, std::size_t count, const float* rows, bool whole) {
  if (form_ == WeightForm::int8_rows) {
    return int8_->rows.pack({rows, first, count, k_, bytes_.data(), scales_.data(),
                             reinterpret_cast<float*>(rows_.data()), whole});
  }
  if (form_ == WeightForm::int8_blocks)
    return int8_->blocks.pack({rows, first, count, k_, bytes_.data(), whole});
  for (std::size_t n = first; n < first + count; ++n, rows += k_) {
    float* out = packed_.data() + n / kernels_->panel * kernels_->panel * k_ + n % kernels_->panel;
    for (std::size_t k = 0; k < k_; ++k, out += kernels_->panel) *out = rows[k];
  }
}

void PackedWeight::multiply_scales(std::size_t first, std::span<const float> factors) {
  for (std::size_t i = 0; i < factors.size(); ++i) {
    if (form_ == WeightForm::int8_blocks) {
      int8_->blocks.scale({bytes_.data(), first + i, k_, factors[i]});
    } else {
      scales_[first + i] *= factors[i];
    }
  }
}

void PackedWeight::row(std::size_t n, float* out) const {
  if (form_ == WeightForm::int8_rows) return int8_->rows.unpack({bytes_.data(), scales_.data(), n, k_, out});
  if (form_ == WeightForm::int8_blocks) return int8_->blocks.unpack({bytes_.data(), n, k_, out});
  const float* in = packed_.data() + n / kernels_->panel * kernels_->panel * k_ + n % kernels_->panel;
  for (std::size_t k = 0; k < k_; ++k, in += kernels_->panel) out[k] = *in;
}

std::uint64_t PackedWeight::bytes_of(Compute compute, std::uint64_t n, std::uint64_t k, WeightForm form) {
  const auto whole = [](std::uint64_t count, std::uint64_t part) { return (count + part - 1) / part * part; };
  if (form == WeightForm::float32) return whole(n, compute.dense().panel) * k * sizeof(float);
  const std::uint64_t rows = whole(n, kernels::widest_panel);
  if (form == WeightForm::int8_blocks) {
    const std::uint64_t columns = kernels::int8_columns(k), blocks = columns / kernels::scale_block;
    return rows * (columns + blocks * sizeof(float)) +
           kernels::blocks_rows * (columns / 2 + blocks) * sizeof(std::int32_t);
  }
  return rows * (kernels::int8_row_bytes(k) + sizeof(float)) +
         kernels::int8_scratch(k) * sizeof(std::int32_t);
}

void PackedWeight::multiply(float* y, const float* x, const float* bias, const Piece& piece,
                            std::int32_t* scratch) const {
  const float* const a = x + piece.row * k_;
  float* const c = y + piece.row * piece.all + piece.column;
  const float* const b = bias == nullptr ? nullptr : bias + piece.column;
  if (form_ == WeightForm::int8_rows) {
    int8_->rows.gemm({.a = a,
                      .packed = bytes_.data() + piece.column * kernels::int8_row_bytes(k_),
                      .scale = scales_.data() + piece.column,
                      .bias = b,
                      .c = c,
                      .rows = scratch,
                      .m = piece.rows,
                      .n = piece.columns,
                      .k = k_,
                      .c_row = piece.all});
  } else if (form_ == WeightForm::int8_blocks) {
    int8_->blocks.gemm({.a = a,
                        .packed = bytes_.data() + piece.column * kernels::blocks_row_bytes(k_),
                        .bias = b,
                        .c = c,
                        .rows = scratch,
                        .m = piece.rows,
                        .n = piece.columns,
                        .k = k_,
                        .c_row = piece.all});
  } else {
    kernels_->gemm({.a = a,
                    .a_row = static_cast<std::ptrdiff_t>(k_),
                    .a_k = 1,
                    .b = packed_.data() + piece.column * k_,
                    .bias = b,
                    .c = c,
                    .c_row = static_cast<std::ptrdiff_t>(piece.all),
                    .m = piece.rows,
                    .n = piece.columns,
                    .k = k_,
                    .accumulate = false});
  }
}

/// Rows of a part begin where those of a tile do in WebAssembly, and are as many as are quantised at a time.
constexpr std::size_t row_step = 8, least_row_steps = kernels::int8_rows / row_step;
/// Fewer rows than these for a thread would read the weight too often.
constexpr std::size_t least_rows = 48;
/// Columns of a part. In 8 bits it brings all rows of x into 8 bits, which takes as long as some columns.
constexpr std::size_t column_step = kernels::widest_panel, least_column_steps = 256 / column_step;

void linear_forward(Compute compute, float* y, const float* x, const PackedWeight& weight, const float* bias,
                    std::size_t m, std::size_t n) {
  const std::size_t scratch = weight.rows_.size();
  Threads* const threads = threads_for(compute, std::uint64_t{m} * n * weight.k());
  if (threads == nullptr || (scratch > 0 && !threads->reserve(scratch * sizeof(std::int32_t))))
    return weight.multiply(y, x, bias, {0, m, 0, n, n}, weight.rows_.data());
  const bool by_rows = m >= least_rows * threads->count();
  const std::size_t step = by_rows ? row_step : column_step, all = by_rows ? m : n;
  const std::size_t least = by_rows ? least_row_steps : scratch > 0 ? least_column_steps : 1;
  const std::size_t steps = (all + step - 1) / step, parts = parts_of(steps, threads->count(), least);
  in_parts(*threads, parts, [&](std::size_t part, std::size_t thread) {
    const std::size_t first = first_step(steps, part, parts) * step;
    const std::size_t count = std::min(all, first_step(steps, part + 1, parts) * step) - first;
    const PackedWeight::Piece piece =
        by_rows ? PackedWeight::Piece{first, count, 0, n, n} : PackedWeight::Piece{0, m, first, count, n};
    weight.multiply(y, x, bias, piece, static_cast<std::int32_t*>(threads->scratch(thread)));
  });
}

std::size_t linear_backward_scratch(std::size_t m, std::size_t k, std::size_t n) {
  return packed_scratch(std::max(m, n), k);
}

void linear_backward(Compute compute, float* dx, float* dw, float* db, const float* dy, const float* x,
                     const float* w, std::size_t m, std::size_t k, std::size_t n, float* scratch) {
  const kernels::DenseKernels& kernels = compute.dense();
  const auto wide = static_cast<std::ptrdiff_t>(k), narrow = static_cast<std::ptrdiff_t>(n);
  if (dx != nullptr) {  // (M,K) = dy (M,N) w (N,K)
    kernels.pack({w, wide, 1, scratch, n, k});
    kernels.gemm({.a = dy,
                  .a_row = narrow,
                  .a_k = 1,
                  .b = scratch,
                  .bias = nullptr,
                  .c = dx,
                  .c_row = wide,
                  .m = m,
                  .n = k,
                  .k = n,
                  .accumulate = false});
  }
  // (N,K) += dy^T (N,M) x (M,K)
  kernels.pack({x, wide, 1, scratch, m, k});
  kernels.gemm({.a = dy,
                .a_row = 1,
                .a_k = narrow,
                .b = scratch,
                .bias = nullptr,
                .c = dw,
                .c_row = wide,
                .m = n,
                .n = k,
                .k = m,
                .accumulate = true});
  if (db != nullptr) kernels.add_rows(dy, db, m, n);
}

}  // namespace ropewalk::nn
