#include "base/text.hpp"
#include "model/position_encoding/kinds.hpp"

namespace ropewalk::model::position_encoding {
namespace {

class WithLearned final : public PositionEncoding {
 public:
  WithLearned(std::unique_ptr<PositionEncoding> table, std::unique_ptr<PositionEncoding> attention)
      : table_(std::move(table)), attention_(std::move(attention)) {}

  void add_parameters(Builder& builder) override {
    table_->add_parameters(builder);
    attention_->add_parameters(builder);
  }
  void add_layer_parameters(Builder& builder) override { attention_->add_layer_parameters(builder); }
  Status update(nn::Compute compute, const float* parameters) override {
    return attention_->update(compute, parameters);
  }
  std::span<const NamedBuffer> buffers() const override { return attention_->buffers(); }
  void swap_frequencies(PositionEncoding& other) override {
    attention_->swap_frequencies(*static_cast<WithLearned&>(other).attention_);
  }
  Status prepare(nn::Compute compute, std::size_t tokens) override {
    ROPEWALK_TRY(table_->prepare(compute, tokens));
    return attention_->prepare(compute, tokens);
  }

  void add_to_embeddings(nn::Compute compute, float* x, const std::int32_t* ids, std::size_t batch,
                         std::size_t tokens, const float* parameters) const override {
    table_->add_to_embeddings(compute, x, ids, batch, tokens, parameters);
  }
  void add_to_embeddings_backward(nn::Compute compute, const float* dx, const std::int32_t* ids,
                                  std::size_t batch, std::size_t tokens, float* gradients) const override {
    table_->add_to_embeddings_backward(compute, dx, ids, batch, tokens, gradients);
  }

  Rows projected_rows(std::size_t tokens) const override { return attention_->projected_rows(tokens); }
  bool needs_probs() const override { return attention_->needs_probs(); }
  bool has_scores() const override { return attention_->has_scores(); }
  void attend(const Attention& pass) const override { attention_->attend(pass); }
  void attend_backward(const AttentionGradient& pass) const override { attention_->attend_backward(pass); }
  std::size_t forward_scratch(const nn::AttentionShape& shape, bool with_probs) const override {
    return attention_->forward_scratch(shape, with_probs);
  }
  std::size_t backward_scratch(const nn::AttentionShape& shape) const override {
    return attention_->backward_scratch(shape);
  }

 private:
  std::unique_ptr<PositionEncoding> table_, attention_;
};

}  // namespace

Made with_learned(const Spec& spec, const std::optional<positions::Learned>& learned, Made attention) {
  if (!attention.ok() || !learned) return attention;
  Made table = make_learned(spec, *learned);
  if (!table.ok()) return table;
  return std::unique_ptr<PositionEncoding>(
      std::make_unique<WithLearned>(std::move(table).value(), std::move(attention).value()));
}

}  // namespace ropewalk::model::position_encoding
