#include "model/activations.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "arch/select.hpp"

namespace ropewalk::roformer {

/// Hands out pieces of a block; without a block it only adds up their sizes.
class Activations::Plan {
 public:
  explicit Plan(float* block) : block_(block) {}

  float* take(std::initializer_list<std::uint64_t> shape) {
    std::uint64_t size = 1;
    for (const std::uint64_t extent : shape) {
      if (extent != 0 && size > limit / extent) size = limit;
      size = std::min(limit, size * extent);
    }
    float* const piece = block_ == nullptr ? nullptr : block_ + used_;
    used_ = std::min(limit, used_ + (size + 15) / 16 * 16);  // pieces begin on 64 bytes
    return piece;
  }
  std::uint64_t used() const { return used_; }

 private:
  static constexpr std::uint64_t limit = std::uint64_t{1} << 62;
  float* block_;
  std::uint64_t used_ = 0;
};

nn::AttentionShape attention_shape(const RoFormerConfig& config, std::size_t batch, std::size_t tokens) {
  nn::AttentionShape shape{};
  shape.batch = batch;
  shape.tokens = tokens;
  shape.heads = config.num_attention_heads;
  shape.head_dim = config.head_dim();
  shape.scale = static_cast<float>(1 / std::sqrt(static_cast<double>(shape.head_dim)));
  shape.token_stride = 3 * config.hidden_size;
  return shape;
}

namespace {

std::size_t scratch_size(const Model& model, std::size_t batch, std::size_t tokens, const Keep& keep) {
  const RoFormerConfig& config = model.config();
  nn::AttentionShape shape = attention_shape(config, batch, tokens);
  if (keep.gradients) shape.keep = static_cast<float>(1 - config.attention_probs_dropout_prob);
  const std::size_t m = batch * tokens;
  std::size_t size = model.positions().forward_scratch(
      shape, keep.attentions || (keep.gradients && model.positions().needs_probs()));
  if (!keep.gradients) return size;
  size = std::max(size, model.positions().backward_scratch(shape));
  const auto linear = [&](std::size_t rows, std::size_t inputs, std::size_t outputs) {
    size = std::max(size, nn::linear_backward_scratch(rows, inputs, outputs));
  };
  const std::size_t hidden = config.hidden_size, embedding = config.embedding_size;
  linear(m, embedding, hidden);
  linear(m, hidden, 3 * hidden);
  linear(m, hidden, hidden);
  linear(m, hidden, config.intermediate_size);
  linear(m, config.intermediate_size, hidden);
  if (model.heads().masked_lm) {
    linear(m, hidden, embedding);
    linear(m, embedding, config.vocab_size);
  }
  if (model.heads().classification) {
    linear(batch, hidden, hidden);
    linear(batch, hidden, config.num_labels);
  }
  return size;
}

}  // namespace

void Activations::plan(Plan& plan, const Model& model) {
  const RoFormerConfig& config = model.config();
  const std::uint64_t b = batch, t = tokens, c = config.hidden_size, e = config.embedding_size;
  const std::uint64_t i = config.intermediate_size, h = config.num_attention_heads, v = config.vocab_size;
  // A norm in inference works in place and keeps nothing.
  const auto norm = [&](float* output, std::uint64_t width) {
    if (!keep.gradients) return NormActivations{output, nullptr, nullptr};
    float* const input = plan.take({b, t, width});
    float* const mean = plan.take({b, t});
    return NormActivations{input, mean, plan.take({b, t})};
  };
  embedded = plan.take({b, t, e});
  embedding_norm = norm(embedded, e);
  input = model.layout().projects ? plan.take({b, t, c}) : embedded;

  layers.resize(config.num_hidden_layers);
  for (std::size_t l = 0; l < layers.size(); ++l) {
    LayerActivations& layer = layers[l];
    if (keep.gradients || l == 0) {
      layer = {};
      layer.qkv = plan.take({b, t, 3, c});
      layer.context = plan.take({b, t, c});
      layer.attention_output = plan.take({b, t, c});
      layer.attention_norm = norm(layer.attention_output, c);
      layer.intermediate = plan.take({b, t, i});
      layer.activated = keep.gradients ? plan.take({b, t, i}) : layer.intermediate;
    } else {
      layer = layers[0];
    }
    const bool probs = keep.attentions || (keep.gradients && model.positions().needs_probs());
    layer.probs = probs ? plan.take({b, h, t, t}) : nullptr;
    const bool scores = keep.scores && model.positions().has_scores();
    layer.scores = scores ? plan.take({b, h, t, t}) : nullptr;
    // A layer's input has been added by the time its output is written, so inference needs one hidden state;
    // but the embeddings are kept apart, since they may have another width.
    const bool own = keep.gradients || keep.hidden_states || l == 0;
    layer.output = own ? plan.take({b, t, c}) : layers[0].output;
    layer.output_norm = norm(layer.output, c);
    layer.query = keep.rotated_qk ? plan.take({b, t, c}) : nullptr;
    layer.key = keep.rotated_qk ? plan.take({b, t, c}) : nullptr;
  }

  if (model.heads().masked_lm && (keep.logits || keep.gradients)) {
    head_input = plan.take({b, t, c});
    transform = plan.take({b, t, e});
    transformed = keep.gradients ? plan.take({b, t, e}) : transform;
    transform_norm = norm(transformed, e);
    logits = plan.take({b, t, v});
    log_sum_exp = plan.take({b, t});
  }
  if (model.heads().classification) {
    class_input = plan.take({b, c});
    class_hidden = plan.take({b, c});
    class_activated = plan.take({b, c});
    class_logits = plan.take({b, config.num_labels});
    class_log_sum_exp = plan.take({b});
  }
  if (model.heads().token_classification) token_logits = plan.take({b, t, config.num_labels});
  if (model.heads().question_answering) {
    span_logits = plan.take({b, t, 2});
    start_logits = plan.take({b, t});
    end_logits = plan.take({b, t});
  }
  if (model.heads().multiple_choice) {
    choice_input = plan.take({b, c});
    choice_logits = plan.take({b});
  }
  if (keep.gradients) {
    dhidden = plan.take({b, t, c});
    dbranch = plan.take({b, t, c});
    dcontext = plan.take({b, t, c});
    dqkv = plan.take({b, t, 3, c});
    dintermediate = plan.take({b, t, i});
    dembedded = plan.take({b, t, e});
    dhead = plan.take({b, t, std::max(c, e)});
    dtransformed = plan.take({b, t, e});
  }
  // After the rest, whose sizes have been seen to fit: scratch sizes are computed in size_t.
  scratch = plan.take({scratch_size(model, batch, tokens, keep)});
}

Status Activations::prepare(const Model& model, std::size_t batch_, std::size_t tokens_, const Keep& keep_) {
  if (Status status = model.positions().prepare(tokens_); !status.ok()) return status;
  // Scratch sizes depend on the kernels in use.
  const kernels::Kernels* active = &arch::active();
  if (model_ == &model && kernels_ == active && batch == batch_ && tokens == tokens_ && keep == keep_)
    return {};

  model_ = nullptr;  // until everything has its place
  batch = batch_;
  tokens = tokens_;
  keep = keep_;
  Plan measure(nullptr);
  plan(measure, model);
  const std::size_t m = batch * tokens, pairs = model.config().is_decoder ? tokens * tokens : 0;
  // Words for an error cost memory of their own, which a training step within what there is does not take.
  if (measure.used() > arena_.size() || m > rows.size() || m > row_labels.size() || m > key_mask.size() ||
      pairs > causal_mask.size()) {
    const std::string what =
        "roformer: activations of " + std::to_string(batch) + " x " + std::to_string(tokens);
    if (measure.used() > SIZE_MAX / sizeof(float)) {
      return Status::out_of_memory(what + ": no memory for " + std::to_string(measure.used()) + " numbers");
    }
    for (Status status : {arena_.reserve(static_cast<std::size_t>(measure.used()), what.c_str()),
                          rows.reserve(m, what.c_str()), row_labels.reserve(m, what.c_str()),
                          key_mask.reserve(m, what.c_str()), causal_mask.reserve(pairs, what.c_str())}) {
      if (!status.ok()) return status;
    }
  }
  model_ = &model;
  kernels_ = active;
  Plan assign(arena_.data());
  plan(assign, model);
  for (std::size_t i = 0; i < pairs; ++i) causal_mask[i] = i % tokens_ <= i / tokens_;
  return {};
}

}  // namespace ropewalk::roformer
