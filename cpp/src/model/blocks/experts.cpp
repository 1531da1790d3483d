#include "model/blocks/experts.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "nn/activation.hpp"
#include "nn/scratch.hpp"

namespace ropewalk::model {

Experts::Experts(Builder builder, const Spec& spec)
    : activation_(spec.feed_forward.activation),
      experts_(spec.feed_forward.experts),
      active_(spec.feed_forward.active_experts),
      hidden_(spec.hidden),
      width_(spec.feed_forward.width),
      router_(builder.matrix("experts.router", experts_, hidden_)),
      up_(builder.packed_matrix("experts.up", experts_ * width_, hidden_)),
      down_(builder.packed_matrix("experts.down", experts_ * width_, hidden_)),
      packed_up_(experts_),
      packed_down_(experts_),
      shares_(builder.slot()),
      rows_(builder.slot()),
      counts_(builder.slot()),
      gathered_(builder.slot()),
      wide_(builder.slot()),
      activated_(builder.slot()),
      output_(builder.slot()),
      gathered_again_(builder.slot()),
      dshares_(builder.slot()),
      doutput_(builder.slot()),
      dwide_(builder.slot()),
      dgathered_(builder.slot()),
      dx_(builder.slot()) {
  if (spec.feed_forward.output_bias)
    bias_ = builder.vector("experts", ".bias", hidden_, parameters::Initial::zeros);
}

Status Experts::pack(const Packing& packing) {
  const std::size_t size = width_ * hidden_;
  if (packing.claims != nullptr) {
    for (std::size_t e = 0; e < experts_; ++e) {
      packing.claims->push_back({up_ + e * size, width_, hidden_, &packed_up_[e], nullptr});
      // Checkpoints hold the second matrix of an expert as (F,C).
      packing.claims->push_back({down_ + e * size, width_, hidden_, &packed_down_[e], nullptr, true});
    }
    return {};
  }
  if (packing.arrived) return {};
  for (std::size_t e = 0; e < experts_; ++e) {
    const float* const up = packing.parameters + up_ + e * size;
    const float* const down = packing.parameters + down_ + e * size;
    for (Status status : {packed_up_[e].pack(packing.compute, up, width_, hidden_),
                          packed_down_[e].pack_transposed(packing.compute, down, width_, hidden_)}) {
      if (!status.ok()) return status;
    }
  }
  return {};
}

void Experts::plan(Plan& plan) const {
  const std::uint64_t rows = plan.rows();
  const bool learns = plan.keeps().gradients;
  plan.hold(shares_, {rows, experts_});
  plan.hold(rows_, {rows, active_});
  plan.hold(counts_, {experts_});
  plan.lend(gathered_, {rows, hidden_});
  plan.lend(output_, {rows, hidden_});
  plan.hold(wide_, {rows, learns ? active_ : 1, width_});
  if (learns) {
    plan.keep(activated_, {rows, active_, width_});
  } else {
    plan.share(activated_, wide_);
  }
}

void Experts::plan_backward(Plan& plan) const {
  const std::uint64_t rows = plan.rows();
  plan.lend(gathered_again_, {rows, hidden_});
  plan.lend(dshares_, {rows, experts_});
  plan.lend(doutput_, {rows, hidden_});
  plan.lend(dwide_, {rows, width_});
  plan.lend(dgathered_, {rows, hidden_});
  plan.lend(dx_, {rows, hidden_});
  plan.scratch(nn::packed_scratch(hidden_, width_));
  plan.scratch(nn::linear_backward_scratch(plan.rows(), hidden_, width_));
  plan.scratch(nn::linear_backward_scratch(plan.rows(), hidden_, experts_));
}

/// The choice of experts must not depend on the architecture: the products are float64 chains.
void Experts::route(const Pass& pass, const float* x) const {
  const std::size_t rows = pass.rows();
  float* const shares = pass.at(shares_);
  const float* const router = pass.parameter(router_);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t e = 0; e < experts_; ++e) {
      double sum = 0;
      for (std::size_t i = 0; i < hidden_; ++i)
        sum += double{x[row * hidden_ + i]} * double{router[e * hidden_ + i]};
      shares[row * experts_ + e] = static_cast<float>(sum);
    }
  }
  const auto stride = static_cast<std::ptrdiff_t>(experts_);
  pass.compute.dense().softmax({.x = shares,
                                .x_row = stride,
                                .y = shares,
                                .y_row = stride,
                                .rows = rows,
                                .columns = experts_,
                                .scale = 1,
                                .bias = nullptr,
                                .bias_row = 0,
                                .mask = nullptr});
  std::int32_t* next = pass.whole_at(rows_);
  for (std::size_t e = 0; e < experts_; ++e) {
    std::int32_t* const first = next;
    for (std::size_t row = 0; row < rows; ++row) {
      const float* const own = shares + row * experts_;
      std::size_t before = 0;  // experts that come before this one
      for (std::size_t other = 0; other < experts_; ++other)
        before += own[other] > own[e] || (own[other] == own[e] && other < e) ? 1 : 0;
      if (before < active_) *next++ = static_cast<std::int32_t>(row);
    }
    pass.whole_at(counts_)[e] = static_cast<std::int32_t>(next - first);
  }
}

template <class Visit>
void Experts::for_each_expert(const Pass& pass, Visit&& visit) const {
  std::size_t before = 0;
  for (std::size_t e = 0; e < experts_; ++e) {
    const auto count = static_cast<std::size_t>(pass.whole_at(counts_)[e]);
    if (count != 0) visit(e, std::span<const std::int32_t>(pass.whole_at(rows_) + before, count), before);
    before += count;
  }
}

void Experts::gather(const Pass&, float* to, const float* x, std::span<const std::int32_t> rows) const {
  for (const std::int32_t row : rows) {
    std::memcpy(to, x + static_cast<std::size_t>(row) * hidden_, hidden_ * sizeof(float));
    to += hidden_;
  }
}

void Experts::forward(const Pass& pass, float* y, const float* x) const {
  const auto& dense = pass.compute.dense();
  const float *const shares = pass.at(shares_), *const bias = pass.parameter(bias_);
  float *const gathered = pass.at(gathered_), *const output = pass.at(output_);
  route(pass, x);
  for (std::size_t row = 0; row < pass.rows(); ++row) {
    if (bias == nullptr) std::fill_n(y + row * hidden_, hidden_, 0.0F);
    if (bias != nullptr) std::memcpy(y + row * hidden_, bias, hidden_ * sizeof(float));
  }
  for_each_expert(pass, [&](std::size_t e, std::span<const std::int32_t> rows, std::size_t before) {
    const std::size_t at = pass.keep.gradients ? before * width_ : 0;
    float *const wide = pass.at(wide_) + at, *const activated = pass.at(activated_) + at;
    gather(pass, gathered, x, rows);
    nn::linear_forward(pass.compute, wide, gathered, packed_up_[e], nullptr, rows.size());
    nn::activation_forward(pass.compute, activation_, activated, wide, rows.size() * width_);
    nn::linear_forward(pass.compute, output, activated, packed_down_[e], nullptr, rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto row = static_cast<std::size_t>(rows[i]);
      dense.scale(shares[row * experts_ + e], output + i * hidden_, output + i * hidden_, hidden_);
      dense.add(output + i * hidden_, y + row * hidden_, hidden_);
    }
  });
}

void Experts::backward(const Pass& pass, float* dx, const float* dy, const float* x) const {
  const kernels::DenseKernels& dense = pass.compute.dense();
  const std::size_t all = pass.rows(), size = width_ * hidden_;
  const float* const shares = pass.at(shares_);
  float *const dshares = pass.at(dshares_), *const doutput = pass.at(doutput_), *const sum = pass.at(dx_);
  float *const gathered = pass.at(gathered_again_), *const dgathered = pass.at(dgathered_),
               *const dwide = pass.at(dwide_);
  std::fill_n(dshares, all * experts_, 0.0F);
  std::fill_n(sum, all * hidden_, 0.0F);
  if (bias_ != absent) dense.add_rows(dy, pass.gradient(bias_), all, hidden_);
  for_each_expert(pass, [&](std::size_t e, std::span<const std::int32_t> rows, std::size_t before) {
    const std::size_t count = rows.size();
    const float *const wide = pass.at(wide_) + before * width_, *const activated =
                                                                    pass.at(activated_) + before * width_;
    const float *const up = pass.parameter(up_) + e * size, *const down = pass.parameter(down_) + e * size;
    gather(pass, gathered, x, rows);
    gather(pass, doutput, dy, rows);
    // dwide (m,F) = dy down^T, whose product with the activations is the gradient of the share.
    dense.pack({down, 1, static_cast<std::ptrdiff_t>(hidden_), pass.scratch, hidden_, width_});
    dense.gemm({.a = doutput,
                .a_row = static_cast<std::ptrdiff_t>(hidden_),
                .a_k = 1,
                .b = pass.scratch,
                .bias = nullptr,
                .c = dwide,
                .c_row = static_cast<std::ptrdiff_t>(width_),
                .m = count,
                .n = width_,
                .k = hidden_,
                .accumulate = false});
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t share = static_cast<std::size_t>(rows[i]) * experts_ + e;
      const float* const own = activated + i * width_;
      dshares[share] = std::inner_product(own, own + width_, dwide + i * width_, 0.0F);
      dense.scale(shares[share], dwide + i * width_, dwide + i * width_, width_);
      dense.scale(shares[share], doutput + i * hidden_, doutput + i * hidden_, hidden_);
    }
    // down (F,C) += activated^T (p dy): as the gradient of a weight whose outputs are the activations.
    nn::linear_backward(pass.compute, nullptr, pass.gradient(down_) + e * size, nullptr, activated, doutput,
                        down, count, hidden_, width_, pass.scratch);
    nn::activation_backward(pass.compute, activation_, dwide, dwide, wide, count * width_);
    nn::linear_backward(pass.compute, dgathered, pass.gradient(up_) + e * size, nullptr, dwide, gathered, up,
                        count, hidden_, width_, pass.scratch);
    for (std::size_t i = 0; i < count; ++i)
      dense.add(dgathered + i * hidden_, sum + static_cast<std::size_t>(rows[i]) * hidden_, hidden_);
  });
  const auto stride = static_cast<std::ptrdiff_t>(experts_);
  dense.softmax_backward({.y = shares,
                          .y_row = stride,
                          .dy = dshares,
                          .dy_row = stride,
                          .rows = all,
                          .columns = experts_,
                          .scale = 1,
                          .dbias = nullptr,
                          .dbias_row = 0});
  nn::linear_backward(pass.compute, dx, pass.gradient(router_), nullptr, dshares, x, pass.parameter(router_),
                      all, hidden_, experts_, pass.scratch);
  dense.add(sum, dx, all * hidden_);
}

}  // namespace ropewalk::model
