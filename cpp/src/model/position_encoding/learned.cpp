#include "model/position_encoding/learned.hpp"

#include "arch/select.hpp"
#include "base/text.hpp"

namespace ropewalk::position_encoding {
namespace {

class Learned final : public PositionEncoding {
 public:
  Learned(std::size_t rows, std::size_t width) : rows_(rows), width_(width) {}

  void add_parameters(parameters::Table& table) override {
    weight_ = table.add_of_positions("roformer.embeddings.position_embeddings.weight", {rows_, width_},
                                     parameters::Initial::normal, true);
  }

  Status prepare(std::size_t tokens) override {
    if (tokens <= rows_) return {};
    return out_of_range(
        "roformer", "sequence", tokens,
        "with `position_encoding` \"learned\", at most `max_position_embeddings` = " + std::to_string(rows_));
  }

  // x (B,T,E) += weight (T of its rows, E)
  void add_to_embeddings(float* x, std::size_t batch, std::size_t tokens,
                         const float* parameters) const override {
    const std::size_t size = tokens * width_;
    for (std::size_t b = 0; b < batch; ++b) {
      arch::active().dense.add(parameters + weight_, x + b * size, size);
    }
  }
  void add_to_embeddings_backward(const float* dx, std::size_t batch, std::size_t tokens,
                                  float* gradients) const override {
    const std::size_t size = tokens * width_;
    for (std::size_t b = 0; b < batch; ++b) {
      arch::active().dense.add(dx + b * size, gradients + weight_, size);
    }
  }

 private:
  std::size_t rows_, width_;
  std::uint64_t weight_ = 0;  // (rows,E)
};

}  // namespace

Result<std::unique_ptr<PositionEncoding>> make_learned(const Dimensions& dimensions) {
  return std::unique_ptr<PositionEncoding>(
      std::make_unique<Learned>(dimensions.max_positions, dimensions.embedding));
}

}  // namespace ropewalk::position_encoding
