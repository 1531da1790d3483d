#pragma once

// A RoFormer in memory: parameters in one buffer, and beside it the weights in the order in which the matrix
// product reads them.

#include <memory>
#include <string>
#include <vector>

#include "base/buffer.hpp"
#include "model/layout.hpp"
#include "model/position_encoding/position_encoding.hpp"
#include "nn/activation.hpp"
#include "nn/linear.hpp"
#include "ropewalk/safetensors.hpp"

namespace ropewalk::roformer {

struct PackedLayer {
  nn::PackedWeight qkv, attention_output, intermediate, output;
};

struct PackedModel {
  nn::PackedWeight project, transform, decoder, class_dense, class_output, token_output, span_output,
      choice_output;
  std::vector<PackedLayer> layers;
};

class Model {
 public:
  /// With uninitialised parameters: fill them, then repack.
  static Result<Model> make(const RoFormerConfig& config, const Heads& heads);
  /// From a checkpoint, with the heads that it holds. One of `added` that it holds nothing of is added: fill
  /// its parameters, which are those of fresh(), then repack.
  static Result<Model> load(const RoFormerConfig& config, const Safetensors& checkpoint,
                            Precision precision = Precision::float32, const Heads& added = {});

  const RoFormerConfig& config() const { return config_; }
  const Heads& heads() const { return heads_; }
  const Layout& layout() const { return layout_; }
  nn::Activation activation() const { return activation_; }
  position_encoding::PositionEncoding& positions() const { return *positions_; }
  /// In the order of layout().table. After a change, call repack.
  std::span<float> parameters() { return parameters_.span(); }
  const float* parameters() const { return parameters_.data(); }
  /// nullptr for a parameter that is absent.
  const float* at(std::uint64_t offset) const {
    return offset == absent ? nullptr : parameters_.data() + offset;
  }
  const PackedModel& packed() const { return packed_; }
  const std::vector<std::string>& notes() const { return notes_; }
  /// Parameters that load added, by their place in layout().table.
  std::span<const std::size_t> fresh() const { return fresh_; }

  /// Packs the weights anew; allocates the first time only.
  Status repack();
  /// The file of the parameters, with Hugging Face names. The layout views this model.
  Result<SafetensorsLayout> safetensors(SafetensorsType type = SafetensorsType::F32) const;

 private:
  Status read(const Safetensors& checkpoint, const Heads& added);

  RoFormerConfig config_;
  Precision precision_ = Precision::float32;
  Heads heads_;
  nn::Activation activation_ = nn::Activation::gelu;
  std::unique_ptr<position_encoding::PositionEncoding> positions_;
  Layout layout_;
  Buffer<float> parameters_;
  PackedModel packed_;
  std::vector<std::string> notes_;
  std::vector<std::size_t> fresh_;
};

}  // namespace ropewalk::roformer
