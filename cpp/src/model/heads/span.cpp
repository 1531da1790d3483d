// Question answering: how much each token looks like the first and like the last of the answer.

#include "model/heads/head.hpp"

namespace ropewalk::model {
namespace {

class Span final : public Head {
 public:
  Span(Builder& builder, const Spec& spec, const HeadSpec& head)
      : output_(builder, "span.output", 2, spec.hidden, head.bias),
        both_(builder.slot()),
        start_(builder.slot()),
        end_(builder.slot()) {}

  Status pack(const Packing& packing) override { return output_.pack(packing); }
  void plan(Plan& plan) const override {
    plan.lend(both_, {plan.batch(), plan.tokens(), 2});
    plan.keep(start_, {plan.batch(), plan.tokens()});
    plan.keep(end_, {plan.batch(), plan.tokens()});
  }
  void forward(const Pass& pass, const float* hidden) const override {
    float* const both = pass.at(both_);
    output_.forward(pass, both, hidden, pass.rows());
    for (std::size_t i = 0; i < pass.rows(); ++i) {
      pass.at(start_)[i] = both[2 * i];
      pass.at(end_)[i] = both[2 * i + 1];
    }
  }
  void collect(const Pass& pass, Outputs& outputs) const override {
    outputs.add("start_logits", {pass.at(start_), pass.rows()});
    outputs.add("end_logits", {pass.at(end_), pass.rows()});
  }

 private:
  Linear output_;
  Slot both_;         // (B,T,2)
  Slot start_, end_;  // (B,T) each
};

HeadSpec usual(const Spec&) { return {.kind = "span"}; }

Result<std::unique_ptr<Head>> make(Builder& builder, const Spec& spec, const HeadSpec& head, const Trunk&) {
  return std::unique_ptr<Head>(std::make_unique<Span>(builder, spec, head));
}

}  // namespace

extern const HeadKind span = {"span", "question answering", "ForQuestionAnswering", "", usual, make};

}  // namespace ropewalk::model
