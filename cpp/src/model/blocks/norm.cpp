#include "model/blocks/norm.hpp"

#include "nn/norm.hpp"

namespace ropewalk::model {
namespace {

nn::Norm norm(const Pass& pass, NormKind kind, std::uint64_t gain, std::uint64_t bias, float eps) {
  return {.kind = kind, .gamma = pass.parameter(gain), .beta = pass.parameter(bias), .eps = eps};
}

}  // namespace

Norm::Norm(Builder& builder, std::string_view role, std::size_t width, const NormSpec& spec)
    : kind_(spec.kind),
      eps_(static_cast<float>(spec.eps)),
      width_(width),
      mean_(builder.slot()),
      rstd_(builder.slot()) {
  using parameters::Initial;
  if (spec.gain) {
    const Initial one = spec.kind == NormKind::rms_plus_one ? Initial::zeros : Initial::ones;
    gain_ = builder.vector(role, ".weight", width, one);
  }
  if (spec.bias) bias_ = builder.vector(role, ".bias", width, Initial::zeros);
}

Norm::Norm(Builder& builder, const Norm& other)
    : kind_(other.kind_),
      eps_(other.eps_),
      width_(other.width_),
      gain_(other.gain_),
      bias_(other.bias_),
      mean_(builder.slot()),
      rstd_(builder.slot()) {}

void Norm::plan(Plan& plan, std::uint64_t rows) const {
  if (!plan.keeps().gradients) return;
  plan.keep(mean_, {rows});
  plan.keep(rstd_, {rows});
}

void Norm::forward(const Pass& pass, float* y, const float* x, std::size_t rows) const {
  nn::norm_forward(pass.compute, y, pass.at(mean_), pass.at(rstd_), x, norm(pass, kind_, gain_, bias_, eps_),
                   rows, width_);
}

void Norm::forward_sum(const Pass& pass, float* y, float* sum, const float* x, const float* residual,
                       std::size_t rows) const {
  nn::add_norm_forward(pass.compute, y, sum, pass.at(mean_), pass.at(rstd_), x, residual,
                       norm(pass, kind_, gain_, bias_, eps_), rows, width_);
}

void Norm::backward(const Pass& pass, float* dx, const float* dy, const float* x, std::size_t rows) const {
  nn::norm_backward(pass.compute, dx, pass.gradient(gain_), pass.gradient(bias_), dy, x,
                    norm(pass, kind_, gain_, bias_, eps_), pass.at(mean_), pass.at(rstd_), rows, width_);
}

void Norm::forward_heads(const Pass& pass, float* y, const float* x, const nn::HeadNormShape& shape) const {
  nn::head_norm_forward(pass.compute, y, pass.at(mean_), pass.at(rstd_), x,
                        norm(pass, kind_, gain_, bias_, eps_), shape);
}

void Norm::backward_heads(const Pass& pass, float* dx, const float* dy, const float* x,
                          const nn::HeadNormShape& shape) const {
  nn::head_norm_backward(pass.compute, dx, pass.gradient(gain_), pass.gradient(bias_), dy, x,
                         norm(pass, kind_, gain_, bias_, eps_), pass.at(mean_), pass.at(rstd_), shape);
}

}  // namespace ropewalk::model
