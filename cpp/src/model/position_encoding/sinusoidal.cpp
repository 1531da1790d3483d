#include "model/position_encoding/kinds.hpp"

#include <cmath>
#include <limits>

#include "base/buffer.hpp"
#include "base/text.hpp"
#include "ropewalk/rope.hpp"

namespace ropewalk::model::position_encoding {
namespace {

class Sinusoidal final : public PositionEncoding {
 public:
  Sinusoidal(std::size_t width, double scale) : width_(width), scale_(scale) {}

  Status prepare(nn::Compute, std::size_t tokens) override {
    if (tokens <= tokens_) return {};
    Buffer<float> table;
    ROPEWALK_TRY(table.allocate(tokens * width_, "roformer: positions"));
    ROPEWALK_TRY(fill_sinusoids(table.span(), 0, 1, tokens, width_));
    const auto scale = static_cast<float>(scale_);
    for (float& value : table.span()) value *= scale;
    table_ = std::move(table);
    tokens_ = tokens;
    return {};
  }

  void add_to_embeddings(nn::Compute compute, float* x, const std::int32_t*, std::size_t batch,
                         std::size_t tokens, const float*) const override {
    const std::size_t size = tokens * width_;
    for (std::size_t b = 0; b < batch; ++b) compute.dense().add(table_.data(), x + b * size, size);
  }

 private:
  std::size_t width_;
  double scale_;
  std::size_t tokens_ = 0;
  Buffer<float> table_;  // (T,E)
};

}  // namespace

Status fill_sinusoids(std::span<float> table, double first, double step, std::size_t rows,
                      std::size_t width) {
  // An odd width ends with a sine.
  const std::size_t pairs = (width + 1) / 2;
  frequencies::Custom rule;
  for (std::size_t i = 0; i < pairs; ++i) {
    rule.frequencies.push_back(std::pow(10000, -2 * static_cast<double>(i) / static_cast<double>(width)));
  }
  ROPEWALK_LET(rope, Rope::make({.head_dim = 2 * pairs, .frequencies = std::move(rule)}));
  Buffer<float> row;  // cos, then sin
  ROPEWALK_TRY(row.allocate(2 * pairs, "roformer: positions"));
  for (std::size_t r = 0; r < rows; ++r) {
    const double position = first + step * static_cast<double>(r);
    ROPEWALK_TRY(rope.try_table({&position, 1}, row.span().first(pairs), row.span().last(pairs)));
    for (std::size_t c = 0; c < width; ++c) {
      table[r * width + c] = row[(c % 2 == 0 ? pairs : 0) + c / 2];
    }
  }
  return {};
}

Made make_sinusoidal(const Spec& spec, const positions::Sinusoidal& options) {
  if (!(options.scale > 0 && options.scale <= static_cast<double>(std::numeric_limits<float>::max()))) {
    return out_of_range(spec.family, "sinusoidal_scale", options.scale, "a number above 0");
  }
  return std::unique_ptr<PositionEncoding>(
      std::make_unique<Sinusoidal>(spec.embedding_width(), options.scale));
}

}  // namespace ropewalk::model::position_encoding
