#include "model/heads/word_prediction.hpp"

#include <cstring>
#include <string>

#include "base/text.hpp"
#include "model/heads/transform.hpp"
#include "nn/cross_entropy.hpp"

namespace ropewalk::model {
namespace {

/// All rows when logits are asked for, only the labelled ones when a loss is.
class WordPrediction final : public Head {
 public:
  WordPrediction(Builder& builder, const Spec& spec, const HeadSpec& head, const Trunk& trunk)
      : hidden_(spec.hidden),
        scale_(static_cast<float>(head.scale)),
        cap_(static_cast<float>(head.soft_cap)),
        is_product_(!head.dense && !head.bias && head.scale == 1 && head.soft_cap == 0),
        transform_(builder, head.kind, spec, head, spec.embedding_width()),
        decoder_(head.tied ? Linear::tied(builder, head.kind + ".decoder", trunk.words, spec.vocabulary,
                                          spec.embedding_width(), head.bias)
                           : Linear(builder, head.kind + ".decoder", spec.vocabulary, spec.embedding_width(),
                                    head.bias)),
        rows_(builder.slot()),
        row_labels_(builder.slot()),
        counts_(builder.slot()),
        input_(builder.slot()),
        logits_(builder.slot()),
        uncapped_(builder.slot()),
        log_sum_exp_(builder.slot()),
        dtransformed_(builder.slot()) {}

  Status pack(const Packing& packing) override {
    ROPEWALK_TRY(transform_.pack(packing));
    return decoder_.pack(packing);
  }

  void plan(Plan& plan) const override {
    const bool learns = plan.keeps().gradients;
    if (!learns && !plan.keeps().logits) return;
    const std::uint64_t rows = plan.rows();
    transform_.plan(plan, rows);
    plan.keep(logits_, {rows, decoder_.outputs()});
    if (learns && cap_ != 0) plan.keep(uncapped_, {rows, decoder_.outputs()});
    // For the loss, which an evaluation asks for as well.
    plan.keep(rows_, {rows});
    plan.keep(row_labels_, {rows});
    plan.keep(counts_, {1});
    plan.keep(log_sum_exp_, {rows});
    plan.keep(input_, {plan.batch(), plan.tokens(), hidden_});
  }

  void plan_backward(Plan& plan) const override {
    plan.lend(dtransformed_, {plan.batch(), plan.tokens(), decoder_.inputs()});
    decoder_.plan_backward(plan, plan.rows());
    transform_.plan_backward(plan, plan.rows());
  }

  void forward(const Pass& pass, const float* hidden) const override {
    if (pass.keep.logits) decode(pass, const_cast<float*>(hidden), pass.rows());
  }

  void collect(const Pass& pass, Outputs& outputs) const override {
    if (pass.keep.logits) outputs.add("logits", {pass.at(logits_), pass.rows() * decoder_.outputs()});
  }

  const nn::PackedWeight* output_matrix() const override {
    return is_product_ ? &decoder_.packed() : nullptr;
  }

  std::size_t classes() const override { return decoder_.outputs(); }

  nn::Loss loss(const Pass& pass, const float* hidden, const Labels& labels) const override {
    std::int32_t *const rows = pass.whole_at(rows_), *const row_labels = pass.whole_at(row_labels_);
    std::size_t count = 0;
    for (std::size_t i = 0; i < pass.rows(); ++i) {
      if (labels.classes[i] == nn::ignored_label) continue;
      rows[count] = static_cast<std::int32_t>(i);
      row_labels[count] = labels.classes[i];
      std::memcpy(pass.at(input_) + count * hidden_, hidden + i * hidden_, hidden_ * sizeof(float));
      ++count;
    }
    *pass.whole_at(counts_) = static_cast<std::int32_t>(count);
    if (count == 0) return {};
    decode(pass, pass.at(input_), count);
    return nn::cross_entropy_forward(pass.compute, pass.at(log_sum_exp_), pass.at(logits_), row_labels, count,
                                     decoder_.outputs(), labels.smoothing);
  }

  void backward(const Pass& pass, float* dhidden, const Labels& labels, std::size_t counted) const override {
    const auto rows = static_cast<std::size_t>(*pass.whole_at(counts_));
    float *const logits = pass.at(logits_), *const dtransformed = pass.at(dtransformed_);
    nn::cross_entropy_backward(pass.compute, logits, logits, pass.at(log_sum_exp_),
                               pass.whole_at(row_labels_), counted, 1.0F, rows, decoder_.outputs(),
                               labels.smoothing);
    if (cap_ != 0) {
      pass.compute.dense().soft_cap_backward(pass.at(uncapped_), 1.0F, cap_, logits,
                                             rows * decoder_.outputs());
    }
    if (scale_ != 1) pass.compute.dense().scale(scale_, logits, logits, rows * decoder_.outputs());
    float* const input = pass.at(input_);
    decoder_.backward(pass, dtransformed, logits, transform_.result(pass, input), rows);
    const float* const dinput = transform_.backward(pass, dtransformed, input, rows);
    std::memset(dhidden, 0, pass.rows() * hidden_ * sizeof(float));
    for (std::size_t i = 0; i < rows; ++i) {
      std::memcpy(dhidden + static_cast<std::size_t>(pass.whole_at(rows_)[i]) * hidden_, dinput + i * hidden_,
                  hidden_ * sizeof(float));
    }
  }

 private:
  /// x (rows,C) to logits (rows,V).
  void decode(const Pass& pass, float* x, std::size_t rows) const {
    const std::size_t size = rows * decoder_.outputs();
    float* const logits = pass.at(logits_);
    decoder_.forward(pass, logits, transform_.forward(pass, x, rows), rows);
    if (scale_ != 1) pass.compute.dense().scale(scale_, logits, logits, size);
    if (cap_ == 0) return;
    if (float* const uncapped = pass.at(uncapped_)) std::memcpy(uncapped, logits, size * sizeof(float));
    pass.compute.dense().soft_cap(logits, 1.0F, cap_, size);
  }

  std::size_t hidden_;
  float scale_, cap_;
  bool is_product_;
  Transform transform_;
  Linear decoder_;
  Slot rows_, row_labels_;  // (B,T) whole numbers: which rows are labelled, with what
  Slot counts_;             // how many
  Slot input_;              // (B,T,C), the labelled rows
  Slot logits_;             // (B,T,V)
  Slot uncapped_;           // (B,T,V), before a cap, for its gradient
  Slot log_sum_exp_;        // (B,T)
  Slot dtransformed_;       // (B,T,E)
};

}  // namespace

Result<std::unique_ptr<Head>> make_word_prediction(Builder& builder, const Spec& spec, const HeadSpec& head,
                                                   const Trunk& trunk) {
  // A decoder alone reads hidden states, and its weight is as wide as the word vectors.
  if (!head.dense && spec.embedding_width() != spec.hidden) {
    return out_of_range(spec.family, "embedding_size", spec.embedding_width(),
                        "where the decoder stands alone, `hidden_size`, " + std::to_string(spec.hidden));
  }
  return std::unique_ptr<Head>(std::make_unique<WordPrediction>(builder, spec, head, trunk));
}

}  // namespace ropewalk::model
