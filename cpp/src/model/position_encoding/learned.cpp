#include "model/position_encoding/kinds.hpp"

#include "base/text.hpp"

namespace ropewalk::model::position_encoding {
namespace {

class Learned final : public PositionEncoding {
 public:
  Learned(const Spec& spec, const positions::Learned& options)
      : family_(spec.family),
        rows_(options.rows),
        width_(spec.embedding_width()),
        padding_(options.padding_id) {}

  void add_parameters(Builder& builder) override {
    weight_ = builder.of_positions("embedding.positions", ".weight", {rows_, width_},
                                   parameters::Initial::normal, true);
  }

  Status prepare(nn::Compute, std::size_t tokens) override {
    const std::size_t before = padding_ ? static_cast<std::size_t>(*padding_) + 1 : 0;
    if (tokens + before <= rows_) return {};
    std::string most = "at most `max_position_embeddings` = " + std::to_string(rows_);
    if (padding_) most += ", less those up to `pad_token_id` = " + std::to_string(*padding_);
    return out_of_range(family_, "sequence", tokens, "with `position_encoding` \"learned\", " + most);
  }

  // x (B,T,E) += a row of weight (rows,E) for each token
  void add_to_embeddings(nn::Compute compute, float* x, const std::int32_t* ids, std::size_t batch,
                         std::size_t tokens, const float* parameters) const override {
    each_run(ids, batch, tokens, [&](std::size_t token, std::size_t row, std::size_t count) {
      compute.dense().add(parameters + weight_ + row * width_, x + token * width_, count * width_);
    });
  }
  void add_later_to_embeddings(nn::Compute compute, float* x, std::size_t first, std::size_t tokens,
                               const float* parameters) const override {
    compute.dense().add(parameters + weight_ + first * width_, x, tokens * width_);
  }
  void add_to_embeddings_backward(nn::Compute compute, const float* dx, const std::int32_t* ids,
                                  std::size_t batch, std::size_t tokens, float* gradients) const override {
    each_run(ids, batch, tokens, [&](std::size_t token, std::size_t row, std::size_t count) {
      compute.dense().add(dx + token * width_, gradients + weight_ + row * width_, count * width_);
    });
  }

 private:
  /// Calls with runs of tokens that have neighbouring rows.
  template <class Call>
  void each_run(const std::int32_t* ids, std::size_t batch, std::size_t tokens, Call&& call) const {
    for (std::size_t b = 0; b < batch; ++b) {
      if (!padding_) {
        call(b * tokens, 0, tokens);
        continue;
      }
      const auto padding = static_cast<std::size_t>(*padding_);
      std::size_t counted = 0;
      for (std::size_t token = b * tokens; token < (b + 1) * tokens; ++token) {
        const bool counts = ids[token] != *padding_;
        if (counts) ++counted;
        call(token, counts ? padding + counted : padding, 1);
      }
    }
  }

  std::string family_;
  std::size_t rows_, width_;
  std::optional<std::int32_t> padding_;
  std::uint64_t weight_ = 0;  // (rows,E)
};

}  // namespace

Made make_learned(const Spec& spec, const positions::Learned& options) {
  return std::unique_ptr<PositionEncoding>(std::make_unique<Learned>(spec, options));
}

}  // namespace ropewalk::model::position_encoding
