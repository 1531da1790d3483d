// Sequence classification and regression: one hidden state of a sequence through a layer and its activation,
// then the output layer, with dropout before either. Regression is the head with one output, which is the
// value itself.

#include "base/text.hpp"
#include "model/heads/head.hpp"
#include "model/heads/pool.hpp"
#include "model/heads/transform.hpp"
#include "nn/activation.hpp"
#include "nn/cross_entropy.hpp"
#include "nn/mean_squared_error.hpp"

namespace ropewalk::model {
namespace {

class SequenceClassification final : public Head {
 public:
  SequenceClassification(Builder& builder, const Spec& spec, const HeadSpec& head)
      : pool_(head.pooled, spec.hidden),
        late_pool_(Pooled::mean, spec.labels),
        transform_(builder, "sequence_classification", spec, head, spec.hidden),
        output_(builder, "sequence_classification.output", spec.labels, spec.hidden, head.bias),
        hidden_(spec.hidden),
        late_(head.late),
        relevance_activation_(
            spec.relevance.value_or(spec.labels == 1 ? Activation::sigmoid : Activation::linear)),
        each_(builder.slot()),
        input_(builder.slot()),
        logits_(builder.slot()),
        relevance_(builder.slot()),
        log_sum_exp_(builder.slot()),
        dtransformed_(builder.slot()) {}

  Status pack(const Packing& packing) override {
    ROPEWALK_TRY(transform_.pack(packing));
    return output_.pack(packing);
  }

  void plan(Plan& plan) const override {
    plan.keep(relevance_, {plan.batch(), output_.outputs()});
    if (late_) {
      transform_.plan(plan, plan.rows());
      plan.lend(each_, {plan.batch(), plan.tokens(), output_.outputs()});
      plan.keep(logits_, {plan.batch(), output_.outputs()});
      return;
    }
    plan.hold(input_, {plan.batch(), hidden_});
    transform_.plan(plan, plan.batch());
    plan.keep(logits_, {plan.batch(), output_.outputs()});
    plan.keep(log_sum_exp_, {plan.batch()});
  }

  void plan_backward(Plan& plan) const override {
    if (late_) return;
    plan.lend(dtransformed_, {plan.batch(), hidden_});
    output_.plan_backward(plan, plan.batch());
    transform_.plan_backward(plan, plan.batch());
  }

  void forward(const Pass& pass, const float* hidden) const override {
    if (late_) {
      const float* const transformed = transform_.forward(pass, const_cast<float*>(hidden), pass.rows());
      output_.forward(pass, pass.at(each_), transformed, pass.rows());
      late_pool_.forward(pass, pass.at(logits_), pass.at(each_));
      return;
    }
    float* const input = pass.at(input_);
    pool_.forward(pass, input, hidden);
    pass.dropped(input, input, pass.batch * hidden_, Site::head_input);
    float* const transformed = transform_.forward(pass, input, pass.batch);
    pass.dropped(transformed, transformed, pass.batch * hidden_, Site::head_hidden);
    output_.forward(pass, pass.at(logits_), transformed, pass.batch);
  }

  void collect(const Pass& pass, Outputs& outputs) const override {
    const std::size_t size = pass.batch * output_.outputs();
    nn::activation_forward(pass.compute, relevance_activation_, pass.at(relevance_), pass.at(logits_), size);
    outputs.add("class_logits", {pass.at(logits_), size});
    outputs.add("relevance", {pass.at(relevance_), size});
  }

  // Nobody trains the mean of logits.
  std::size_t classes() const override { return late_ ? 0 : output_.outputs(); }

  nn::Loss loss(const Pass& pass, const float* hidden, const Labels& labels) const override {
    forward(pass, hidden);
    const float* const logits = pass.at(logits_);
    if (labels.values != nullptr) return nn::mean_squared_error_forward(logits, labels.values, pass.batch);
    return nn::cross_entropy_forward(pass.compute, pass.at(log_sum_exp_), logits, labels.classes, pass.batch,
                                     classes());
  }

  void backward(const Pass& pass, float* dhidden, const Labels& labels, std::size_t counted) const override {
    float *const logits = pass.at(logits_), *const dtransformed = pass.at(dtransformed_);
    if (labels.values != nullptr) {
      nn::mean_squared_error_backward(logits, logits, labels.values, counted, 1.0F, pass.batch);
    } else {
      nn::cross_entropy_backward(pass.compute, logits, logits, pass.at(log_sum_exp_), labels.classes, counted,
                                 1.0F, pass.batch, classes());
    }
    const std::size_t size = pass.batch * hidden_;
    float* const input = pass.at(input_);
    output_.backward(pass, dtransformed, logits, transform_.result(pass, input), pass.batch);
    pass.dropped(dtransformed, dtransformed, size, Site::head_hidden);
    float* const dinput = transform_.backward(pass, dtransformed, input, pass.batch);
    pass.dropped(dinput, dinput, size, Site::head_input);
    pool_.backward(pass, dhidden, dinput);
  }

 private:
  Pool pool_, late_pool_;
  Transform transform_;
  Linear output_;
  std::size_t hidden_;
  bool late_;
  Activation relevance_activation_;
  Slot each_;          // (B,T,labels), where the mean is taken of logits
  Slot input_;         // (B,C)
  Slot logits_;        // (B,labels)
  Slot relevance_;     // (B,labels)
  Slot log_sum_exp_;   // (B)
  Slot dtransformed_;  // (B,C)
};

HeadSpec usual(const Spec& spec) {
  return {.kind = "sequence_classification", .dense = true, .activation = spec.feed_forward.activation};
}

Result<std::unique_ptr<Head>> make(Builder& builder, const Spec& spec, const HeadSpec& head, const Trunk&) {
  return std::unique_ptr<Head>(std::make_unique<SequenceClassification>(builder, spec, head));
}

}  // namespace

extern const HeadKind sequence_classification = {
    "sequence_classification", "classification", "ForSequenceClassification", "", usual, make};

}  // namespace ropewalk::model
