// Contacts of a protein (Rao et al., ICLR 2021): each attention map, made symmetric and freed of what its rows and
// columns have in common, is one input of a logistic regression. Maps are taken as the layers make them, since those
// of all layers would be hundreds of megabytes.

#include <algorithm>

#include "model/heads/head.hpp"
#include "nn/activation.hpp"

namespace ropewalk::model {
namespace {

class Contact final : public Head {
 public:
  Contact(Builder& builder, const Spec& spec)
      : heads_(spec.attention.heads),
        end_id_(spec.end_id),
        weight_(builder.matrix("contact.output", 1, spec.layers.size() * heads_)),
        bias_(builder.vector("contact.output", ".bias", 1, parameters::Initial::zeros)),
        map_(builder.slot()),
        sums_(builder.slot()),
        contacts_(builder.slot()) {}

  Status pack(const Packing&) override { return {}; }

  void plan(Plan& plan) const override {
    if (!plan.keeps().contacts) return;
    const std::uint64_t size = inner(plan.tokens());
    plan.keep(map_, {size, size});
    plan.keep(sums_, {size});
    plan.keep(contacts_, {plan.batch(), size, size});
  }

  void observe(const Pass& pass, std::size_t layer, const float* probabilities) const override {
    const std::size_t size = inner(pass.tokens), square = pass.tokens * pass.tokens;
    float* const contacts = pass.at(contacts_);
    if (layer == 0) std::fill_n(contacts, pass.batch * size * size, 0.0F);
    for (std::size_t b = 0; b < pass.batch; ++b) {
      for (std::size_t h = 0; h < heads_; ++h) {
        add_map(pass, b, probabilities + (b * heads_ + h) * square,
                pass.parameter(weight_)[layer * heads_ + h], contacts + b * size * size);
      }
    }
  }

  void forward(const Pass& pass, const float*) const override {
    if (!pass.keep.contacts) return;
    const std::size_t size = inner(pass.tokens);
    float* const contacts = pass.at(contacts_);
    const std::size_t count = pass.batch * size * size;
    for (std::size_t i = 0; i < count; ++i) contacts[i] += *pass.parameter(bias_);
    nn::activation_forward(pass.compute, Activation::sigmoid, contacts, contacts, count);
    for (std::size_t b = 0; b < pass.batch; ++b) {
      for (std::size_t i = 0; i < size * size; ++i) {
        if (!counts(pass, b, i / size + 1) || !counts(pass, b, i % size + 1))
          contacts[b * size * size + i] = 0;
      }
    }
  }

  void collect(const Pass& pass, Outputs& outputs) const override {
    const std::size_t size = inner(pass.tokens);
    if (pass.keep.contacts) outputs.add("contacts", {pass.at(contacts_), pass.batch * size * size});
  }

 private:
  /// Rows and columns without the first and the last.
  static std::size_t inner(std::size_t tokens) { return tokens < 2 ? 0 : tokens - 2; }

  /// True if the token is neither padding nor the end.
  bool counts(const Pass& pass, std::size_t b, std::size_t token) const {
    const std::size_t row = b * pass.tokens + token;
    return (pass.key_mask == nullptr || pass.key_mask[row] != 0) && pass.ids[row] != end_id_;
  }

  /// contacts (size,size) += weight * (S - r r^T / sum r), S the symmetric map and r the sums of its rows.
  void add_map(const Pass& pass, std::size_t b, const float* map, float weight, float* contacts) const {
    const std::size_t size = inner(pass.tokens);
    float *const symmetric = pass.at(map_), *const sums = pass.at(sums_);
    double total = 0;
    for (std::size_t i = 0; i < size; ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < size; ++j) {
        const bool both = counts(pass, b, i + 1) && counts(pass, b, j + 1);
        const float value =
            both ? map[(i + 1) * pass.tokens + j + 1] + map[(j + 1) * pass.tokens + i + 1] : 0.0F;
        symmetric[i * size + j] = value;
        sum += value;
      }
      sums[i] = static_cast<float>(sum);
      total += sum;
    }
    if (total == 0) return;
    for (std::size_t i = 0; i < size; ++i) {
      const float share = static_cast<float>(double{sums[i]} / total);
      for (std::size_t j = 0; j < size; ++j)
        contacts[i * size + j] += weight * (symmetric[i * size + j] - share * sums[j]);
    }
  }

  std::size_t heads_;
  std::optional<std::int32_t> end_id_;
  std::uint64_t weight_, bias_;  // (1, L H) and (1)
  Slot map_;                     // (T-2,T-2), one map
  Slot sums_;                    // (T-2)
  Slot contacts_;                // (B,T-2,T-2)
};

HeadSpec usual(const Spec&) { return {.kind = "contact"}; }

Result<std::unique_ptr<Head>> make(Builder& builder, const Spec& spec, const HeadSpec&, const Trunk&) {
  return std::unique_ptr<Head>(std::make_unique<Contact>(builder, spec));
}

}  // namespace

extern const HeadKind contact = {"contact", "contact", "", "", usual, make};

}  // namespace ropewalk::model
