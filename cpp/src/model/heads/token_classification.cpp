// Token classification: a class for every token.

#include "base/text.hpp"
#include "model/heads/head.hpp"
#include "model/heads/transform.hpp"

namespace ropewalk::model {
namespace {

class TokenClassification final : public Head {
 public:
  TokenClassification(Builder& builder, const Spec& spec, const HeadSpec& head)
      : transform_(builder, "token_classification", spec, head, spec.hidden),
        output_(builder, "token_classification.output", spec.labels, spec.hidden, head.bias),
        logits_(builder.slot()) {}

  Status pack(const Packing& packing) override {
    ROPEWALK_TRY(transform_.pack(packing));
    return output_.pack(packing);
  }
  void plan(Plan& plan) const override {
    transform_.plan(plan, plan.rows());
    plan.keep(logits_, {plan.batch(), plan.tokens(), output_.outputs()});
  }
  void forward(const Pass& pass, const float* hidden) const override {
    output_.forward(pass, pass.at(logits_), transform_.forward(pass, const_cast<float*>(hidden), pass.rows()),
                    pass.rows());
  }
  void collect(const Pass& pass, Outputs& outputs) const override {
    outputs.add("token_logits", {pass.at(logits_), pass.rows() * output_.outputs()});
  }

 private:
  Transform transform_;
  Linear output_;
  Slot logits_;  // (B,T,labels)
};

HeadSpec usual(const Spec&) { return {.kind = "token_classification"}; }

Result<std::unique_ptr<Head>> make(Builder& builder, const Spec& spec, const HeadSpec& head, const Trunk&) {
  return std::unique_ptr<Head>(std::make_unique<TokenClassification>(builder, spec, head));
}

}  // namespace

extern const HeadKind token_classification = {
    "token_classification", "token classification", "ForTokenClassification", "", usual, make};

}  // namespace ropewalk::model
