// LogitScore of sentence-transformers, for causal rerankers: the logit of one word behind the last token, less that of
// another. Two rows of the decoder are read, so that the logits of all other words cost nothing.

#include "base/text.hpp"
#include "model/heads/head.hpp"
#include "nn/activation.hpp"

namespace ropewalk::model {
namespace {

/// The decoder has the names of the causal-language-model head.
constexpr const char* decoder_role = "causal_lm.decoder";

class LogitScore final : public Head {
 public:
  LogitScore(Builder& builder, const Spec& spec, const HeadSpec& head, const Trunk& trunk)
      : decoder_(head.tied
                     ? Linear::tied(builder, decoder_role, trunk.words, spec.vocabulary, spec.hidden, false)
                     : Linear(builder, decoder_role, spec.vocabulary, spec.hidden, false)),
        activation_(spec.relevance.value_or(Activation::sigmoid)),
        true_token_(head.true_token),
        false_token_(head.false_token),
        words_(builder.slot()),
        logits_(builder.slot()),
        relevance_(builder.slot()) {}

  Status pack(const Packing& packing) override { return decoder_.pack(packing); }

  void plan(Plan& plan) const override {
    plan.lend(words_, {2, decoder_.inputs()});
    plan.keep(logits_, {plan.batch()});
    plan.keep(relevance_, {plan.batch()});
  }

  void forward(const Pass& pass, const float* hidden) const override {
    const std::size_t width = decoder_.inputs();
    float *const yes = pass.at(words_), *const no = yes + width;
    decoder_.row(true_token_, yes);
    if (false_token_) decoder_.row(*false_token_, no);
    for (std::size_t b = 0; b < pass.batch; ++b) {
      const float* const state = hidden + last(pass, b) * width;
      // A chain in the order of the entries has the same bits on every architecture.
      double score = 0;
      for (std::size_t i = 0; i < width; ++i)
        score += double{state[i]} * (double{yes[i]} - (false_token_ ? double{no[i]} : 0.0));
      pass.at(logits_)[b] = static_cast<float>(score);
    }
  }

  void collect(const Pass& pass, Outputs& outputs) const override {
    nn::activation_forward(pass.compute, activation_, pass.at(relevance_), pass.at(logits_), pass.batch);
    outputs.add("class_logits", {pass.at(logits_), pass.batch});
    outputs.add("relevance", {pass.at(relevance_), pass.batch});
  }

 private:
  /// The row of the last token of sequence b that is not padding.
  static std::size_t last(const Pass& pass, std::size_t b) {
    const std::size_t first = b * pass.tokens;
    std::size_t row = first + pass.tokens - 1;
    if (pass.key_mask == nullptr) return row;
    while (row > first && pass.key_mask[row] == 0) --row;
    return row;
  }

  Linear decoder_;
  Activation activation_;
  std::size_t true_token_;
  std::optional<std::size_t> false_token_;
  Slot words_;      // (2,C)
  Slot logits_;     // (B)
  Slot relevance_;  // (B)
};

HeadSpec usual(const Spec& spec) { return {.kind = "logit_score", .bias = false, .tied = spec.tied}; }

Result<std::unique_ptr<Head>> make(Builder& builder, const Spec& spec, const HeadSpec& head,
                                   const Trunk& trunk) {
  for (const std::size_t token : {head.true_token, head.false_token.value_or(0)}) {
    if (token >= spec.vocabulary)
      return out_of_range(spec.family, "true_token_id, false_token_id", token,
                          "an id below `vocab_size`, " + std::to_string(spec.vocabulary));
  }
  return std::unique_ptr<Head>(std::make_unique<LogitScore>(builder, spec, head, trunk));
}

}  // namespace

extern const HeadKind logit_score = {"logit_score", "logit-score", "", "", usual, make};

}  // namespace ropewalk::model
