// Multiple choice: a score for each sequence. RoFormer reads it from the last token, as Hugging Face's
// summary has it; padding counts as a token there, so choices of different lengths belong into passes of
// their own.

#include "base/text.hpp"
#include "model/heads/head.hpp"
#include "model/heads/pool.hpp"
#include "model/heads/transform.hpp"

namespace ropewalk::model {
namespace {

class Choice final : public Head {
 public:
  Choice(Builder& builder, const Spec& spec, const HeadSpec& head)
      : pool_(head.pooled, spec.hidden),
        transform_(builder, "choice", spec, head, spec.hidden),
        output_(builder, "choice.output", 1, spec.hidden, head.bias),
        hidden_(spec.hidden),
        input_(builder.slot()),
        logits_(builder.slot()) {}

  Status pack(const Packing& packing) override {
    ROPEWALK_TRY(transform_.pack(packing));
    return output_.pack(packing);
  }
  void plan(Plan& plan) const override {
    plan.lend(input_, {plan.batch(), hidden_});
    transform_.plan(plan, plan.batch());
    plan.keep(logits_, {plan.batch()});
  }
  void forward(const Pass& pass, const float* hidden) const override {
    pool_.forward(pass, pass.at(input_), hidden);
    output_.forward(pass, pass.at(logits_), transform_.forward(pass, pass.at(input_), pass.batch),
                    pass.batch);
  }
  void collect(const Pass& pass, Outputs& outputs) const override {
    outputs.add("choice_logits", {pass.at(logits_), pass.batch});
  }

 private:
  Pool pool_;
  Transform transform_;
  Linear output_;
  std::size_t hidden_;
  Slot input_;   // (B,C)
  Slot logits_;  // (B)
};

HeadSpec usual(const Spec&) { return {.kind = "choice", .pooled = Pooled::last}; }

Result<std::unique_ptr<Head>> make(Builder& builder, const Spec& spec, const HeadSpec& head, const Trunk&) {
  return std::unique_ptr<Head>(std::make_unique<Choice>(builder, spec, head));
}

}  // namespace

extern const HeadKind choice = {"choice", "multiple choice", "ForMultipleChoice", "", usual, make};

}  // namespace ropewalk::model
