#include "model/blocks/convolution.hpp"

#include <algorithm>
#include <vector>

#include "nn/activation.hpp"

namespace ropewalk::model {
namespace {

/// A convolution is a product with a row of neighbours: C / G channels of k tokens, in the order in which PyTorch holds a
/// row of the weight (C, C / G, k).
class Convolution final : public Branch {
 public:
  Convolution(Builder builder, const Spec& spec)
      : width_(spec.convolution.width),
        channels_(spec.hidden),
        activation_(spec.convolution.activation),
        weight_(builder.packed_tensor(
            "convolution", {spec.hidden, spec.hidden / spec.convolution.groups, spec.convolution.width})),
        bias_(builder.vector("convolution", ".bias", spec.hidden, parameters::Initial::zeros)),
        groups_(spec.convolution.groups),
        neighbours_(builder.slot()),
        product_(builder.slot()) {}

  Status pack(const Packing& packing) override {
    if (packing.arrived) return {};
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const std::uint64_t weight = weight_ + std::uint64_t{g} * each() * columns();
      if (packing.claims != nullptr) {
        packing.claims->push_back({weight, each(), columns(), &groups_[g], nullptr});
      } else if (Status status =
                     groups_[g].pack(packing.compute, packing.parameters + weight, each(), columns());
                 !status.ok()) {
        return status;
      }
    }
    return {};
  }

  void plan(Plan& plan) const override {
    plan.lend(neighbours_, {plan.batch(), plan.tokens(), columns()});
    if (groups_.size() > 1) plan.lend(product_, {plan.batch(), plan.tokens(), each()});
  }
  void plan_backward(Plan&) const override {}

  void forward(const Pass& pass, float* y, const float* x) const override {
    const std::size_t rows = pass.rows();
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      gather(pass, x + g * each());
      float* const product = groups_.size() == 1 ? y : pass.at(product_);
      nn::linear_forward(pass.compute, product, pass.at(neighbours_), groups_[g],
                         pass.parameter(bias_) + g * each(), rows);
      for (std::size_t row = 0; product != y && row < rows; ++row)
        std::copy_n(product + row * each(), each(), y + row * channels_ + g * each());
    }
    nn::activation_forward(pass.compute, activation_, y, y, rows * channels_);
  }
  // The trainer refuses models with convolutions.
  void backward(const Pass&, float*, const float*, const float*) const override {}

 private:
  /// Channels of a group.
  std::size_t each() const { return channels_ / groups_.size(); }
  std::size_t columns() const { return each() * width_; }

  /// The neighbours of each token: the channels from x on, 0 beyond the text.
  void gather(const Pass& pass, const float* x) const {
    const auto reach = static_cast<std::ptrdiff_t>(width_ / 2),
               tokens = static_cast<std::ptrdiff_t>(pass.tokens);
    float* out = pass.at(neighbours_);
    for (std::size_t b = 0; b < pass.batch; ++b, x += pass.tokens * channels_) {
      for (std::ptrdiff_t t = 0; t < tokens; ++t, out += columns()) {
        for (std::ptrdiff_t k = -reach; k <= reach; ++k) {
          const bool inside = t + k >= 0 && t + k < tokens;
          const float* const from = x + (t + k) * static_cast<std::ptrdiff_t>(channels_);
          for (std::size_t c = 0; c < each(); ++c)
            out[c * width_ + static_cast<std::size_t>(k + reach)] = inside ? from[c] : 0.0F;
        }
      }
    }
  }

  std::size_t width_, channels_;
  Activation activation_;
  std::uint64_t weight_, bias_;  // (C, C / G, k) and (C)
  std::vector<nn::PackedWeight> groups_;
  Slot neighbours_;  // (B,T,C / G,k)
  Slot product_;     // (B,T,C / G), where there are several groups
};

}  // namespace

std::unique_ptr<Branch> make_convolution(Builder builder, const Spec& spec) {
  return std::make_unique<Convolution>(builder, spec);
}

}  // namespace ropewalk::model
